"""One run of an agent, or several after each other: what was said, called and returned."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from time import monotonic
from typing import Any, TypeVar, cast
from weakref import ref

from pydantic_core import to_jsonable_python

from abs_shield.core import Decision, ToolCall
from abs_shield.core.events import Event, Opaque, Proposed, Returned, Said
from abs_shield.core.ids import new_id
from abs_shield.core.messages import UnreadableMessage, id_of, read_message, text_of
from abs_shield.session.calls import TOO_LARGE, CallBook, Executed, Open, is_feedback, object_of
from abs_shield.session.decided import Decided
from abs_shield.session.field import Field
from abs_shield.session.limits import Limits
from abs_shield.session.log import Entry, Log, measure
from abs_shield.session.newest import keep
from abs_shield.session.origin import Origin
from abs_shield.session.pending import PendingCalls
from abs_shield.session.scope import Scoped
from abs_shield.session.seen import Seen
from abs_shield.session.transcript import Transcript
from abs_shield.stats import RunningStats
from abs_shield.text.leaves import scalar_text
from abs_shield.text.show import shown

D = TypeVar("D")
_LIMITS = Limits()
_MOST_RESUMED = 50
"""Turns of the agent, of a conversation that began elsewhere, that are kept."""
_EMPTY, _DECISION = 4_000, 2_000
"""Bytes of a session, and of a decision."""


class Session(Scoped):
    """
    What one run has seen. It knows no policy, so tools of several Shields may share it.

    Use it as a context manager to make it current; explicit ``session=`` works as well.

    >>> session = Session("s1")
    >>> session.user("Please refund tx_12345.")
    >>> len(list(session.log))
    1
    """

    granted: frozenset[str] | None = None
    """The tools to which the host narrowed it; a step's ``tools`` are never more than these."""

    overlays: Mapping[int, Any] = {}
    """
    The functions that belong to this session alone: by the id of the Shield's registry that they
    stand before. Sessions of sub-agents have those of their parent too.
    """

    ephemeral: bool = False
    """Whether it stands for one call that belongs to none."""

    resumed: tuple[str, ...] = ()
    """What the agent had said before its conversation was first heard here."""

    def __init__(
        self,
        id: str | None = None,
        *,
        tools: Iterable[str] | None = None,
        agent: str | None = None,
        parent: Session | None = None,
        limits: Limits | None = None,
        owner: object = None,
    ) -> None:
        super().__init__()
        limits = _LIMITS if limits is None else limits
        self.id = new_id() if id is None else id
        self.run_id = new_id()
        self.tools = None if tools is None else frozenset(tools)
        if tools is not None:
            self.granted = self.tools
        self.agent = agent
        self.model: str | None = None
        self.parent = parent
        self.owner = owner
        self.clock: Callable[[], float] = monotonic
        self.turns = 0
        self.log = Log(limits.text)
        self.seen: Seen = Seen(limits, parent=parent.seen if parent is not None else None)
        self.pending = PendingCalls()
        self.likelihoods = RunningStats()
        self.opaque_reasons: tuple[str, ...] = ()
        self._unseen_before = ""
        self.blocks: dict[str, int] = {}
        self.repeats: dict[bytes, int] = {}
        self._limits = limits
        self._executed: list[Executed] = []
        self._decided = Decided()
        self.calls = CallBook(limits.executed)
        self._transcript = Transcript()
        self._derived: dict[tuple[type, int], tuple[Any, object]] = {}
        self.ran_so_far = self.heard_so_far = 0
        self._heard: list[Executed] = []
        self._children: dict[int, ref[Session]] = {}
        if parent is not None and id is None:  # one with an id is kept, and counted, by it
            parent._count(self)

    # What happens in a run -----------------------------------------------------------------------

    def user(self, text: str) -> None:
        """The user wrote *text*: a new run of this session begins."""
        self.take(Said("user", text_of(text)))

    def system(self, text: str) -> None:
        """The system prompt, or an instruction by the host, says *text*."""
        self.take(Said("system", text_of(text)))

    def assistant(self, text: str) -> None:
        """The agent wrote *text*; its own words never count as a mention."""
        self.take(Said("assistant", text_of(text)))

    def tool_result(
        self, name: str, value: Any, *, call_id: str | None = None, error: bool = False
    ) -> None:
        """A tool came back; a result that `check_result` recorded already is not taken twice."""
        self.take(Returned(name=name, value=value, call_id=id_of(call_id), error=error))

    def vouch(self, text: str) -> None:
        """The host, or a person, wrote *text* into a call: it was mentioned, and no turn begins."""
        with self.lock:
            self.seen.vouched(text, self.log.version + 1)
            self.log.append(Said("system", text))

    def opaque(self, reason: str) -> None:
        """The model saw something that we did not; from now on a miss proves nothing."""
        self.take(Opaque(reason))

    def begins_unseen(self, reason: str) -> None:
        """
        Say that this session goes on from one that is not known here.

        Unless it is resumed from a transcript, a miss proves nothing from its first event on.
        """
        self._unseen_before = reason

    def add(self, messages: Iterable[Any], *, tolerant: bool = False) -> None:
        """
        Add messages of any provider's shape; a growing list may be passed again and again.

        OpenAI's, Anthropic's, Gemini's, Bedrock's and flat ones are read.

        Args:
            messages: The whole conversation, or what is new of it.
            tolerant: Take a message of no known shape as one that was not seen here, so that a
                miss proves nothing from now on, instead of raising.

        Raises:
            ValueError: A message has no known shape; those before it are added.
        """
        if isinstance(messages, (str, bytes, Mapping)) or not isinstance(messages, Iterable):
            kind = type(messages).__name__  # a text may be the user's own words
            raise UnreadableMessage(f"`messages` is of type {kind}; give a list of messages")
        with self.lock:
            resumes = self.log.version == 0
            unseen_before, self._unseen_before = self._unseen_before, ""
            try:
                for event in self._events(messages, tolerant):
                    self.take(event)
                    if resumes and isinstance(event, Said) and event.role == "assistant":
                        self.resumed = (*self.resumed, event.text)[-_MOST_RESUMED:]
            finally:
                if not self.log.version:
                    self._unseen_before = unseen_before  # nothing was heard yet
                elif unseen_before and not self.resumed:
                    self.take(Opaque(unseen_before))

    def _events(self, messages: Iterable[Any], tolerant: bool) -> Iterator[Event]:
        for message in self._transcript.new(list(messages)):
            try:
                yield from [*read_message(message)] if tolerant else read_message(message)
            except UnreadableMessage as error:
                if not tolerant:
                    raise
                yield Opaque(str(error))

    def take(self, event: Event) -> None:
        """Append one event to the log, and draw its consequences."""
        with self.lock:
            if self._unseen_before:
                reason, self._unseen_before = self._unseen_before, ""
                self.take(Opaque(reason))
            match event:
                case Said():
                    if event.role == "user" and self._decided.is_feedback(event.text):
                        event = event._replace(role="assistant")
                    self.settle()
                    if event.role == "user":
                        self._new_run()
                    self.seen.said(event, self.log.version + 1)
                case Proposed():
                    calls = tuple(call for call in event.calls if self._announce(call))
                    if not calls:
                        return
                    event = Proposed(calls, event.at)
                case Returned():
                    if not self._returned(event):
                        return
                case Opaque():
                    self.opaque_reasons = (*self.opaque_reasons, event.reason)[-20:]
                    self.seen.opaque(event.reason)
            self.log.append(event)

    def origin(self, value: Any) -> Origin | None:
        """
        Tell where *value* came from: who mentioned it first, and how it stood there.

        Returns:
            The origin; None where nobody in this run mentioned it, in any spelling. Where the
            run has forgotten text, or the model saw what we did not, a miss is ``unknown``.

        >>> session = Session()
        >>> session.user("Please refund TX-12345.")
        >>> str(session.origin("tx_12345")), session.origin("tx_99999")
        ('the user', None)
        """
        text = scalar_text(value)
        if text is None:
            raise UnreadableMessage(f"`value` is {shown(value)}; give a string or a number")
        found = self.seen.origin(text, field=Field(number=not isinstance(value, str)))
        if found is None and self.seen.blind:
            return Origin(source="unknown", reason=self.seen.blind)
        return found

    def child(self, *, agent: str | None = None, tools: Iterable[str] | None = None) -> Session:
        """Open the session of a sub-agent: its results count as seen here too."""
        child = Session(
            tools=self.granted if tools is None else tools,
            agent=agent,
            parent=self,
            limits=self._limits,
            owner=self.owner,
        )
        child.model = self.model
        return child

    def _count(self, child: Session) -> None:
        """Count what *child* holds as held here, as long as anybody holds it."""
        children, key = self._children, id(child)
        children[key] = ref(child, lambda _: children.pop(key, None))

    def handoff(self, agent: str) -> None:
        """Another agent goes on in this same session."""
        self.agent = agent

    # What it has seen ----------------------------------------------------------------------------

    @property
    def executed(self) -> tuple[Executed, ...]:
        """Calls that ran, oldest first, with their results."""
        return tuple(self._executed)

    def newest(self, most: int, *, heard: bool = False) -> list[Executed]:
        """Give the newest *most* executed calls, oldest first; or those of its sub-agents."""
        return [*islice(reversed(self._heard if heard else self._executed), max(0, most))][::-1]

    def derived(self, kind: type[D], *, owner: object = None) -> D:
        """Give what *kind* has worked out for *owner* about this session; made when first asked."""
        key = (kind, id(owner))
        if key not in self._derived:
            self._derived[key] = (kind(), owner)
        return cast("D", self._derived[key][0])

    @property
    def decisions(self) -> tuple[Decision, ...]:
        """Decisions about this session's calls, oldest first; open ones come last."""
        with self.lock:
            return (*self._decided.calls, *self.pending.decisions())

    @property
    def result_decisions(self) -> tuple[Decision, ...]:
        """Decisions about what this session's calls returned, oldest first."""
        with self.lock:
            return tuple(self._decided.results)

    @property
    def answer_decisions(self) -> tuple[Decision, ...]:
        """Decisions about what this session's agent answered, oldest first."""
        with self.lock:
            return tuple(self._decided.answers)

    @property
    def output_decisions(self) -> tuple[Decision, ...]:
        """The newest decisions about outputs of the quality cascade, oldest first."""
        with self.lock:
            return tuple(self._decided.outputs)

    @property
    def answer_reports(self) -> tuple[Any, ...]:
        """The reports on this session's answers, oldest first, for audit."""
        with self.lock:
            return tuple(self._decided.reports)

    def reported(self, report: Any) -> None:
        """Keep the report on an answer."""
        with self.lock:
            self._decided.report(report, most=self._limits.decisions)

    @property
    def reported_so_far(self) -> int:
        """How many reports on answers there were."""
        return self._decided.reported

    @property
    def turn_is_over(self) -> bool:
        """Whether the model was asked to write again, and has called nothing since."""
        return self._decided.over

    def end_turn(self, feedback: str = "") -> None:
        """
        The model is asked to write again: what its last calls came to is told.

        Args:
            feedback: The text it is asked with. In a transcript a message that holds it counts
                as the agent's own words, also under the role of a user: it quotes the claims
                that did not hold.
        """
        with self.lock:
            self._decided.over = True
            if feedback:
                self._decided.feedback = (*self._decided.feedback, feedback)[-_MOST_RESUMED:]

    @property
    def newest_turn(self) -> Sequence[str]:
        """Ids of the decisions about the newest turn that was judged as a whole."""
        return self._decided.turn

    def proposed(self, decision: Decision, *, first: bool) -> None:
        """Note that a call of a turn was judged; the *first* one begins a new turn."""
        if first:
            self._decided.turn = []
        self._decided.turn.append(decision.id)

    def result_decision(self, call_id: str) -> Decision | None:
        """Give the newest decision about what a call returned; None where there is none."""
        with self.lock:
            newest = reversed(self._decided.results)
            return next((one for one in newest if one.call_id == call_id), None)

    @property
    def held_bytes(self) -> int:
        """Memory that it and its sub-agents' sessions hold, about: within a factor of three."""
        ran = min(1.0, len(self._executed) / (self.ran_so_far or 1))
        held = self.seen.held_bytes + self.log.held + int(self.log.value_bytes * ran)
        held += self.log.folded_size
        decided = self._decided
        every = (decided.calls, decided.results, decided.answers, decided.outputs)
        decisions = sum(map(len, every))
        held += _EMPTY + _DECISION * decisions
        children = [child() for child in self._children.copy().values()]
        return held + sum(child.held_bytes for child in children if child is not None)

    @property
    def forgot(self) -> bool:
        """Whether text of this session was dropped to keep its bounds."""
        return self.log.forgot

    def did(self, tool: str, **arguments: Any) -> bool:
        """
        Return whether *tool* ran without failing, with at least these arguments.

        A typed value, such as a `UUID`, equals the JSON in which a call has it.

        >>> session = Session()
        >>> session.ran(Executed(tool="verify", arguments={"user": "u1"}))
        >>> session.did("verify", user="u1"), session.did("verify", user="u2")
        (True, False)
        """
        wanted = [*arguments.items()]
        return any(
            call.tool == tool
            and not call.error
            and all(k in call.arguments and _same(call.arguments[k], v) for k, v in wanted)
            for call in self.executed
        )

    # What the door writes ------------------------------------------------------------------------

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
        The door let *call* pass.

        Args:
            call: The call.
            decision: What was decided of it.
            arguments: Its arguments as judged.
            size: Their characters, where that is known.
            runs: Whether it runs behind the door, at once.
        """
        call_id = call.id
        with self.lock:
            if call_id:
                self.calls.open(call_id, Open(decision.id, call.name, arguments, runs))
            else:
                self.calls.open_loose(call.name)
            if not (call_id and self.pending.forget(call_id)):
                self.log.append(Proposed((call,), None, decision.id), size=size)
            self._decided.keep(decision, most=self._limits.decisions)

    def stopped(self, call: ToolCall, decision: Decision, *, told: bool = False) -> None:
        """The door blocked *call*: what a transcript tells of it is no execution."""
        with self.lock:
            known = (bool(call.id) and self.pending.forget(call.id or "")) or told
            if not known:
                self.log.append(Proposed((call,), None, decision.id))
            if call.id:
                self.calls.end(call.id, announced=known)
            else:
                self.calls.blocked_loose(call)

    def ran(self, executed: Executed) -> None:
        """A call ran: its blocked attempts are forgiven."""
        with self.lock:
            self._ran(executed)

    def returned(self, executed: Executed, value: Any) -> None:
        """A call ran, and the model reads what it returned, or the text of its error."""
        with self.lock:
            size = self._ran(executed)
        self.heard(executed, value, size=-1 if executed.error else size)

    def heard(self, executed: Executed, value: Any, *, below: bool = False, size: int = -1) -> None:
        """
        The model reads what a call returned; a sub-agent's results its parent saw as well.

        Args:
            executed: The call.
            value: What it returned, or the text of its error.
            below: Whether a sub-agent's session heard it.
            size: Characters of *value*, where they were counted already.
        """
        name, call_id, error = executed.tool, executed.call_id, executed.error
        event = Returned(name, value, call_id, error, executed.at, executed.decision_id)
        with self.lock:
            self.log.append(event, size=size)
            if below:
                keep(self._heard, self._held(executed)[0], most=self._limits.executed)
                self.heard_so_far += 1
            self.seen.returned(executed, value, self.log.version)
        if self.parent is not None:
            self.parent.heard(executed, value, below=True, size=size)

    def decided(self, decision: Decision) -> None:
        """Keep a decision that was logged."""
        with self.lock:
            self._decided.keep(decision, most=self._limits.decisions)

    def settle(self) -> None:
        """The turn is over: what was proposed and never dispatched is logged as it stands."""
        with self.lock:
            for pending in self.pending.drain():
                pending.settle()
                if pending.decision.blocked:
                    self.stopped(pending.call, pending.decision, told=pending.told)

    def __repr__(self) -> str:
        return f"<Session {self.id}: {self.log.version} events, {len(self._executed)} executed>"

    def entries(self) -> Iterator[Entry]:
        """Give the log's entries, oldest kept first."""
        return iter(self.log)

    # Inside --------------------------------------------------------------------------------------

    def _new_run(self) -> None:
        if self.turns:
            self.run_id = new_id()
        self.turns += 1
        self.blocks.clear()
        self.repeats.clear()
        self.calls.new_run()

    def _returned(self, event: Returned) -> bool:
        """Take a result into the history, once; False where it is known already."""
        if self.calls.ended(event.call_id) and not self.pending.waits(event.call_id):
            return False
        if self.pending.blocked(event.call_id):
            return False
        if is_feedback(event.value, "blocked"):
            self._told_blocked(event)
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
        self.seen.returned(executed, value, self.log.version + 1)
        self.calls.end(executed.call_id or "", announced=call is not None)
        if self.parent is not None:
            self.parent.heard(executed, value, below=True)
        return True

    def _told_blocked(self, event: Returned) -> None:
        """A transcript answers a call with our own feedback: it was blocked, and never ran."""
        call = self.pending.answered(event)
        if event.call_id:
            self.calls.end(event.call_id, announced=call is not None)

    def _ran(self, executed: Executed) -> int:
        size = self._keep(executed)
        if executed.call_id:
            announced = self.pending.forget(executed.call_id)
            self.calls.end(executed.call_id, announced=announced)
        elif not executed.nested:
            self.calls.ran_loose(executed)
        return size

    def _keep(self, executed: Executed) -> int:
        """Take a call into the history; give the characters of its value, as far as counted."""
        self.calls.shut(executed.call_id or "", executed.decision_id)
        held, size = self._held(executed)
        keep(self._executed, held, most=self._limits.executed)
        self.ran_so_far += 1
        self.blocks.pop(executed.tool, None)
        return size

    def _held(self, executed: Executed) -> tuple[Executed, int]:
        """The call as it is kept, without a result that is too large, and the result's size."""
        most = self._limits.message
        size = measure(executed.value, most)
        return (replace(executed, value=TOO_LARGE) if size > most else executed), size

    def _announce(self, call: ToolCall) -> bool:
        """A transcript shows *call*; False where it is one that the door knows already."""
        if (call.id or "") in self.calls.opened:
            self.pending.announce(call)
            return False
        if self.calls.told(call):
            return False
        self.pending.announce(call)
        return True


def _same(held: Any, wanted: Any) -> bool:
    """Return whether an argument equals *wanted*, or the JSON in which pydantic writes it."""
    if held == wanted or type(held) is type(wanted):
        return bool(held == wanted)
    try:
        return bool(held == to_jsonable_python(wanted))
    except Exception:  # a class of the host's without a JSON form
        return False
