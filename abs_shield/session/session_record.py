"""The record of a session: what the call lifecycle writes, and what layers read of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import islice
from operator import attrgetter
from threading import RLock
from time import monotonic
from typing import TYPE_CHECKING, Any, TypeVar, cast
from weakref import ref

from abs_shield.core import Decision, ToolCall
from abs_shield.core.events import Event, MessageText, Opaque, Proposed, Returned
from abs_shield.core.fork_safety import new_id, renewed
from abs_shield.core.messages import UnreadableMessage, read_message
from abs_shield.session.active_calls import ActiveCall
from abs_shield.session.bounded_list import NO_ENTRIES, NO_ITEMS, keep, own
from abs_shield.session.call_states import (
    TOO_LARGE,
    CallStates,
    Executed,
    is_feedback,
    object_of,
)
from abs_shield.session.decision_history import DecisionHistory
from abs_shield.session.event_log import EventLog, measure
from abs_shield.session.limits import Limits
from abs_shield.session.message_deduplication import MessageDeduplicator
from abs_shield.session.pending_calls import PendingCalls
from abs_shield.session.run_mentions import Mentions
from abs_shield.session.running_calls import RunningCalls
from abs_shield.stats import RunningStats

if TYPE_CHECKING:
    from abs_shield.session.session import Session

D = TypeVar("D")
_MOST_EARLIER = 50
"""
Turns of the agent, of a conversation that began elsewhere, that are kept; a window of messages
seldom has more.
"""
_EMPTY, _DECISION = 4_000, 2_000
"""Bytes of a session, and of a decision."""


class SessionRecord:
    """
    The state of one session. The lifecycle, adapters and replay write it; layers read it.

    Attributes:
        run_id: Id of the run that is under way.
        turns: User messages so far.
        parent: The record of the session that started this one; None where none did.
        limits: The bounds of the session.
        lock: Is held while a call is judged or the record is written.
        clock: Seconds that never go back.
        owner: The Shield that opened the session; None where the host made it.
        ephemeral: Whether the session stands for one call that belongs to none.
        grant: The tools to which the host narrowed it; a step's tools are never more than these.
        overlays: The functions that belong to this session alone, by the id of the Shield's
            registry that they stand before. Sessions of sub-agents have those of their parent too.
        log: The events, oldest first.
        mentions: Where each value of the run was mentioned.
        pending: Calls that were proposed and have not come back.
        calls: Which calls are open, and which are over.
        running: The calls that the Shield runs at this moment.
        decisions: The newest decisions, and reports on answers.
        executions: The newest calls that ran, oldest first.
        execution_count: How many calls ran.
        child_execution_count: How many calls of sub-agents ran.
        likelihoods: Mean log-probabilities of the names of the session's calls.
        blocks: Tool to its blocked calls in this run.
        repeats: Digest of a blocked call to how often it came in this run.
        opaque_reasons: Why the model saw what the session did not; the newest ones.
        earlier_replies: What the agent had said before its conversation was first added here.
        closers: What is called when the session is left for the last time.
    """

    __slots__ = (
        "__weakref__", "_child_executions", "_children", "_derived", "_transcript",
        "_unseen_before", "blocks", "calls", "child_execution_count", "clock", "closers",
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
        self.mentions: Mentions = Mentions(limits, parent=above, lock=self.lock)
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
        self._unseen_before = ""
        self._transcript: MessageDeduplicator | None = None
        self._derived: dict[tuple[type, int], tuple[Any, object]] = NO_ENTRIES
        self._child_executions: list[Executed] = NO_ITEMS
        self._children: dict[int, ref[SessionRecord]] | None = None

    # What happens in a run -----------------------------------------------------------------------

    def take(self, event: Event) -> None:
        """Append one event to the log, and draw its consequences."""
        with self.lock:
            # What was not seen came before the first event of this session.
            if self._unseen_before:
                reason, self._unseen_before = self._unseen_before, ""
                self.take(Opaque(reason))
            match event:
                case MessageText():
                    # As a user's text, feedback would count as a mention of the claims it quotes.
                    if event.role == "user" and self.decisions.is_feedback(event.text):
                        event = event._replace(role="assistant")
                    self.settle()
                    if event.role == "user":
                        self._begin_run()
                    self.mentions.add_text(event, self.log.version + 1)
                case Proposed():
                    calls = tuple(call for call in event.calls if self._announce(call))
                    if not calls:
                        return
                    event = Proposed(calls, event.at)
                case Returned():
                    if not self._take_result(event):
                        return
                case Opaque():
                    # the newest ones, since a host may call `opaque` for each message
                    self.opaque_reasons = (*self.opaque_reasons, event.reason)[-20:]
                    self.mentions.mark_opaque(event.reason)
            self.log.append(event)

    def add(self, messages: Iterable[Any], *, tolerant: bool) -> None:
        """Add what is new of a list of messages; see `Session.add`."""
        with self.lock:
            resumes = self.log.version == 0
            unseen_before, self._unseen_before = self._unseen_before, ""
            try:
                for event in self._events(messages, tolerant):
                    self.take(event)
                    if resumes and isinstance(event, MessageText) and event.role == "assistant":
                        replies = (*self.earlier_replies, event.text)
                        self.earlier_replies = replies[-_MOST_EARLIER:]
            finally:
                if not self.log.version:
                    self._unseen_before = unseen_before  # no event was added yet
                elif unseen_before and not self.earlier_replies:
                    self.take(Opaque(unseen_before))

    def _events(self, messages: Iterable[Any], tolerant: bool) -> Iterator[Event]:
        if self._transcript is None:
            self._transcript = MessageDeduplicator()
        for message in self._transcript.new(list(messages)):
            try:
                yield from [*read_message(message)] if tolerant else read_message(message)
            except UnreadableMessage as error:
                if not tolerant:
                    raise
                yield Opaque(str(error))

    def vouch(self, text: str) -> None:
        """Count *text*, which the host or a person wrote into a call, as mentioned."""
        with self.lock:
            self.mentions.add_vouched(text, self.log.version + 1)
            self.log.append(MessageText("system", text))

    def begin_unseen(self, reason: str) -> None:
        """
        Note that this session goes on from one that is not known here.

        Unless it is resumed from a transcript, a miss proves nothing from its first event on.
        """
        self._unseen_before = reason

    def end_turn(self, feedback: str = "") -> None:
        """
        Note that the model is asked to write again after its last calls.

        Args:
            feedback: The text it is asked with. In a transcript a message that holds it counts
                as the agent's own words, also under the role of a user: it quotes the claims
                that did not hold.
        """
        with self.lock:
            self.decisions.over = True
            if feedback:
                earlier = self.decisions.feedback
                self.decisions.feedback = (*earlier, feedback)[-_MOST_EARLIER:]

    # What the lifecycle writes -------------------------------------------------------------------

    def open(
        self,
        call: ToolCall,
        decision: Decision,
        *,
        arguments: Any,
        size: int = -1,
        runs: bool = False,
    ) -> None:
        """
        Note that the Shield let *call* pass.

        Args:
            call: The call.
            decision: What was decided of it.
            arguments: Its arguments as judged.
            size: Their characters, where that is known.
            runs: Whether the Shield runs it now.
        """
        call_id = call.id
        with self.lock:
            if call_id:
                self.calls.open(call_id, ActiveCall(decision.id, call.name, arguments, runs))
            else:
                self.calls.open_loose(call.name)
            if not (call_id and self.pending.forget(call_id)):
                self.log.append(Proposed((call,), None, decision.id), size=size)
            self.decisions.keep(decision, most=self.limits.decisions)

    def stop(self, call: ToolCall, decision: Decision, *, announced: bool = False) -> None:
        """Record that the Shield blocked *call*: a message may show it, but it did not run."""
        with self.lock:
            is_announced = (bool(call.id) and self.pending.forget(call.id or "")) or announced
            self.pending.end(call.id, decision.id)
            if not is_announced:
                self.log.append(Proposed((call,), None, decision.id))
            if call.id:
                self.calls.end(call.id, announced=is_announced)
            else:
                self.calls.blocked_loose(call)

    def add_execution(self, executed: Executed) -> None:
        """Add a call that ran: its blocked attempts are forgiven."""
        with self.lock:
            self._end(executed)

    def add_result(self, executed: Executed, value: Any) -> None:
        """Add a call that ran, and what the model reads of it: a value, or an error's text."""
        with self.lock:
            size = self._end(executed)
        self.show(executed, value, size=-1 if executed.error else size)

    def show(
        self, executed: Executed, value: Any, *, of_child: bool = False, size: int = -1
    ) -> None:
        """
        Note that the model reads what a call returned; its parents' sessions note it as well.

        Args:
            executed: The call.
            value: What it returned, or the text of its error.
            of_child: Whether a sub-agent made the call.
            size: Characters of *value*, where they were counted already.
        """
        name, call_id, error = executed.tool, executed.call_id, executed.error
        event = Returned(name, value, call_id, error, executed.at, executed.decision_id)
        with self.lock:
            self.log.append(event, size=size)
            if of_child:
                held = self._limit(executed)[0]
                self._child_executions = own(self._child_executions)
                keep(self._child_executions, held, most=self.limits.executed)
                self.child_execution_count += 1
            self.mentions.add_result(executed, value, self.log.version)
        # Outside this lock, since the parent's record takes its own.
        if self.parent is not None:
            self.parent.show(executed, value, of_child=True, size=size)

    def add_decision(self, decision: Decision) -> None:
        """Keep a decision that was logged."""
        with self.lock:
            self.decisions.keep(decision, most=self.limits.decisions)

    def add_proposal(self, decision: Decision, *, first: bool) -> None:
        """Note that a call of a turn was judged; the *first* one begins a new turn."""
        if first:
            self.decisions.turn = []
        self.decisions.turn.append(decision.id)

    def add_report(self, report: Any) -> None:
        """Keep the report on an answer."""
        with self.lock:
            self.decisions.report(report, most=self.limits.decisions)

    def settle(self) -> None:
        """End the turn: what was proposed and never dispatched is logged as it stands."""
        with self.lock:
            for pending in self.pending.drain():
                pending.settle()
                if pending.decision.blocked:
                    self.stop(pending.call, pending.decision, announced=pending.announced)

    def add_closer(self, closer: Callable[[Any], None]) -> None:
        """Call *closer* with the session when that is left for the last time."""
        if closer not in self.closers:
            self.closers = (*self.closers, closer)

    def add_child(self, child: SessionRecord) -> None:
        """Count what *child* holds as held here, as long as something holds it."""
        with self.lock:
            children = self._children = {} if self._children is None else self._children
        key = id(child)
        children[key] = ref(child, lambda _: children.pop(key, None))

    # What layers and checks read -----------------------------------------------------------------

    def newest(self, most: int, *, of_children: bool = False) -> list[Executed]:
        """Return the newest *most* calls that ran, oldest first; or those of sub-agents."""
        executions = self._child_executions if of_children else self.executions
        return [*islice(reversed(executions), max(0, most))][::-1]

    def derive(self, kind: type[D], *, owner: object = None) -> D:
        """Return what *kind* works out for *owner* about this session; made at the first call."""
        key = (kind, id(owner))
        if key not in self._derived:  # `id` is unique as long as `owner` is stored beside it
            self._derived = own(self._derived)
            self._derived[key] = (kind(), owner)
        return cast("D", self._derived[key][0])

    def result_decision(self, call_id: str) -> Decision | None:
        """Return the newest decision about what a call returned; None where there is none."""
        with self.lock:
            newest = reversed(self.decisions.results)
            return next((one for one in newest if one.call_id == call_id), None)

    @property
    def memory_bytes(self) -> int:
        """Memory that it and its sub-agents' sessions hold, about: within a factor of three."""
        # `value_bytes` also counts calls that were dropped; only the share that is stored matters.
        ran = min(1.0, len(self.executions) / (self.execution_count or 1))
        held = self.mentions.held_bytes + self.log.held + int(self.log.value_bytes * ran)
        held += self.log.folded_size
        decided = self.decisions
        every = (decided.calls, decided.results, decided.answers, decided.outputs)
        held += _EMPTY + _DECISION * sum(map(len, every))
        refs = () if self._children is None else self._children.copy().values()
        children = [child() for child in refs]
        return held + sum(child.memory_bytes for child in children if child is not None)

    # Inside --------------------------------------------------------------------------------------

    def _begin_run(self) -> None:
        # The first user message begins no new run: the run began with the session.
        if self.turns:
            self.run_id = new_id()
        self.turns += 1
        self.blocks.clear()
        self.repeats.clear()
        self.calls.new_run()

    def _take_result(self, event: Returned) -> bool:
        """Take a result into the history, once; False where it is known already."""
        if self.calls.ended(event.call_id) and not self.pending.waits(event.call_id):
            return False
        if self.pending.blocked(event.call_id):
            return False
        if is_feedback(event.value, "blocked"):
            self._end_blocked(event)
            return False
        call = self.pending.answered(event)
        name = event.name or (call.name if call else "")
        if call is None and self.calls.claim(name):
            return False
        withheld = is_feedback(event.value, "withheld")
        executed = Executed(
            tool=name,
            arguments=object_of(call),
            value=None if event.error or withheld else event.value,
            call_id=event.call_id or new_id(),
            error=event.error and not withheld,
            at=self.clock() if event.at is None else event.at,
            turn=self.turns,
        )
        self._keep(executed)
        value = None if withheld else event.value
        self.mentions.add_result(executed, value, self.log.version + 1)
        self.calls.end(executed.call_id or "", announced=call is not None)
        if self.parent is not None:
            self.parent.show(executed, value, of_child=True)
        return True

    def _end_blocked(self, event: Returned) -> None:
        """End a call that a transcript answers with our own feedback: it never ran."""
        call = self.pending.answered(event, blocked=True)
        if event.call_id:
            self.calls.end(event.call_id, announced=call is not None)

    def _end(self, executed: Executed) -> int:
        """Keep a call that ran, and end it; return the characters of its value, as counted."""
        size = self._keep(executed)
        self.pending.end(executed.call_id, executed.decision_id)
        if executed.call_id:
            announced = self.pending.forget(executed.call_id)
            self.calls.end(executed.call_id, announced=announced)
        elif not executed.nested:
            self.calls.ran_loose(executed)
        return size

    def _keep(self, executed: Executed) -> int:
        """Keep a call in the history; return the characters of its value, as far as counted."""
        self.calls.shut(executed.call_id or "", executed.decision_id)
        held, size = self._limit(executed)
        self.executions = own(self.executions)
        keep(self.executions, held, most=self.limits.executed)
        self.execution_count += 1
        self.blocks.pop(executed.tool, None)
        return size

    def _limit(self, executed: Executed) -> tuple[Executed, int]:
        """Return the call as it is kept, without a result that is too large, and its size."""
        most = self.limits.message
        size = measure(executed.value, most)
        return (replace(executed, value=TOO_LARGE) if size > most else executed), size

    def _announce(self, call: ToolCall) -> bool:
        """Note that a transcript shows *call*; False where the Shield knows it already."""
        if (call.id or "") in self.calls.opened:
            self.pending.announce(call)
            return False
        if self.calls.note_announced(call):
            return False
        self.pending.announce(call)
        return True


_NO_OVERLAYS: Mapping[int, Any] = {}
"""Of every session that has none; nothing is added to it."""

record_of: Callable[[Session], SessionRecord] = attrgetter("_record")
"""
Return the record of a session: for the Shield, its layers, adapters and replay, not for hosts.

It is the one way to it, so that `Session` itself shows what hosts need and no more.
"""

mentions_of: Callable[[Session], Mentions] = attrgetter("_record.mentions")
"""Return where each value of a session was mentioned: what most layers read of its record."""
