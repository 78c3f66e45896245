"""The state of a session: its events, its calls, its decisions and what it mentions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from itertools import islice
from threading import RLock
from time import monotonic
from typing import TYPE_CHECKING, Any, TypeVar
from weakref import ref

from abs_shield.core import Decision
from abs_shield.core.fork_safety import new_id, renewed
from abs_shield.session.bounded_list import NO_ENTRIES, NO_ITEMS, copy_if_shared
from abs_shield.session.call_states import CallStates, Executed
from abs_shield.session.decision_history import DecisionHistory
from abs_shield.session.event_log import EventLog
from abs_shield.session.limits import Limits
from abs_shield.session.message_deduplication import MessageDeduplicator
from abs_shield.session.pending_calls import PendingCalls
from abs_shield.session.running_calls import RunningCalls
from abs_shield.stats import RunningStats

if TYPE_CHECKING:
    from abs_shield.session.run_mentions import Mentions
    from abs_shield.session.session_record import SessionRecord

D = TypeVar("D")
_EMPTY, _DECISION = 4_000, 2_000
"""Estimated bytes of an empty session, and of a decision."""
_NO_OVERLAYS: Mapping[int, Any] = {}
"""Shared by all sessions without overlays; it is never changed."""


@cache
def _mentions_class() -> type[Mentions]:
    # Imported lazily, because the index is slow to import, and cached, because even an import of
    # an imported module would take a fifth of the time in which a session is created.
    from abs_shield.session.run_mentions import Mentions

    return Mentions


class SessionState:
    """
    The state of one session, which a `SessionRecord` writes.

    Attributes:
        run_id: Id of the current run.
        turns: Number of user messages so far.
        parent: The record of the session that started this one; None without one.
        limits: The bounds of the session.
        lock: The lock that is held while a call is judged or the record is written.
        clock: A monotonic clock in seconds.
        owner: The Shield that opened the session; None if the host created it.
        ephemeral: Whether the session was created for a single call outside any session.
        grant: Names of the tools that the host allows in it; the tools of a step are among these.
            None for all tools.
        overlays: The functions that belong to this session alone, by the id of the Shield's
            registry that they replace. Sessions of sub-agents also have those of their parent.
        log: The events, oldest first.
        mentions: The index of the values that the run mentions.
        pending: The proposed calls without a result.
        calls: The states of the calls: open, ended or blocked.
        running: The calls that the Shield is running.
        decisions: The newest decisions, and reports on answers.
        executions: The newest calls that ran, oldest first.
        execution_count: Number of calls that ran.
        child_execution_count: Number of calls of sub-agents that ran.
        likelihoods: Statistics of the mean log-probabilities of the names of the session's calls.
        blocks: Tool to the number of its blocked calls in this run.
        repeats: Digest of a blocked call to the number of its repetitions in this run.
        opaque_reasons: Descriptions of what the model read unrecorded; the newest 20.
        earlier_replies: Texts of the agent in the messages that were first added to the session.
        closers: Functions that are called when the session is left for the last time.
    """

    __slots__ = (
        "__weakref__", "_child_executions", "_children", "_derived", "_transcript",
        "_unrecorded_reason", "blocks", "calls", "child_execution_count", "clock", "closers",
        "decisions", "earlier_replies", "ephemeral", "execution_count", "executions", "grant",
        "likelihoods", "limits", "lock", "log", "mentions", "opaque_reasons", "overlays", "owner",
        "parent", "pending", "repeats", "run_id", "running", "turns",
    )  # fmt: skip

    def __init__(
        self, limits: Limits, parent: SessionRecord | None = None, owner: object = None
    ) -> None:
        self.run_id = new_id()
        self.turns = 0
        self.parent = parent
        self.limits = limits
        self.lock = renewed(RLock())
        self.clock: Callable[[], float] = monotonic
        self.owner = owner
        self.ephemeral = False
        self.grant: frozenset[str] | None = None
        self.overlays: Mapping[int, Any] = _NO_OVERLAYS
        self.log = EventLog(limits.text)
        above = None if parent is None else parent.mentions
        self.mentions: Mentions = _mentions_class()(limits, parent=above, lock=self.lock)
        self.pending = PendingCalls()
        self.calls = CallStates(limits.executed)
        self.running = RunningCalls()
        self.decisions = DecisionHistory()
        self.executions: list[Executed] = NO_ITEMS
        self.execution_count = self.child_execution_count = 0
        self.likelihoods = RunningStats()
        self.blocks: dict[str, int] = {}
        self.repeats: dict[bytes, int] = {}
        self.opaque_reasons: tuple[str, ...] = ()
        self.earlier_replies: tuple[str, ...] = ()
        self.closers: tuple[Callable[[Any], None], ...] = ()
        self._unrecorded_reason = ""
        self._transcript: MessageDeduplicator | None = None
        self._derived: dict[tuple[type, int], tuple[Any, object]] = NO_ENTRIES
        self._child_executions: list[Executed] = NO_ITEMS
        self._children: dict[int, ref[SessionRecord]] | None = None

    def add_closer(self, closer: Callable[[Any], None]) -> None:
        """Register a function that is called with the session when it is left for the last time."""
        if closer not in self.closers:
            self.closers = (*self.closers, closer)

    def add_child(self, child: SessionRecord) -> None:
        """Count the memory of *child* as this session's, as long as *child* exists."""
        with self.lock:
            children = self._children = {} if self._children is None else self._children
        key = id(child)
        children[key] = ref(child, lambda _: children.pop(key, None))

    def newest(self, most: int, *, of_children: bool = False) -> list[Executed]:
        """Return the newest *most* calls that ran, of this agent or of sub-agents, oldest first."""
        executions = self._child_executions if of_children else self.executions
        return [*islice(reversed(executions), max(0, most))][::-1]

    def derive(self, kind: type[D], *, owner: object = None) -> D:
        """Return this session's object of class *kind* for *owner*; it is created on first use."""
        key = (kind, id(owner))
        if key not in self._derived:  # `id` is unique as long as `owner` is stored with it
            self._derived = copy_if_shared(self._derived)
            self._derived[key] = (kind(), owner)
        derived: D = self._derived[key][0]
        return derived

    def result_decision(self, call_id: str) -> Decision | None:
        """Return the newest decision about the result of a call; None without one."""
        with self.lock:
            newest = reversed(self.decisions.results)
            return next((one for one in newest if one.call_id == call_id), None)

    @property
    def memory_bytes(self) -> int:
        """Memory of the session and its sub-agents' in bytes, accurate to a factor of three."""
        # `value_bytes` includes dropped calls; only the stored share counts.
        ran = min(1.0, len(self.executions) / (self.execution_count or 1))
        held = self.mentions.held_bytes + self.log.size + int(self.log.value_bytes * ran)
        held += self.log.casefolded_text_size
        decided = self.decisions
        every = (decided.calls, decided.results, decided.answers, decided.outputs)
        held += _EMPTY + _DECISION * sum(map(len, every))
        refs = () if self._children is None else self._children.copy().values()
        children = [child() for child in refs]
        return held + sum(child.memory_bytes for child in children if child is not None)
