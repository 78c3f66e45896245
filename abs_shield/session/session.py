"""One run of an agent, or several after each other: what was said, called and returned."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from pydantic_core import to_jsonable_python

from abs_shield.core import Decision
from abs_shield.core.events import MessageText, Opaque, Returned
from abs_shield.core.fork_safety import new_id
from abs_shield.core.messages import UnreadableMessage, id_of, text_of
from abs_shield.session.call_states import Executed
from abs_shield.session.event_log import LogEntry
from abs_shield.session.field import Field
from abs_shield.session.limits import Limits
from abs_shield.session.origin import Origin
from abs_shield.session.running_calls import INNERMOST, RunningCall
from abs_shield.session.session_context import SessionContext
from abs_shield.session.session_record import SessionRecord
from abs_shield.text.json_leaves import scalar_text
from abs_shield.text.safe_display import shown

_LIMITS = Limits()


class Session(SessionContext):
    """
    The messages, calls and results of one run. It has no policy, so several Shields may share it.

    Use it as a context manager to make it current; explicit ``session=`` works as well.

    Args:
        id: The id under which the session appears in the decision log; a new one if None.
        tools: The names of the tools that may be called in it; all registered ones if None.
        agent: The name of the agent.
        parent: The session of the agent that started this one; what it mentions counts here, too.
        limits: The bounds of what is stored; the default `Limits` if None.
        owner: The Shield that opened the session; None where the host made it.

    >>> session = Session("s1")
    >>> session.user("Please refund tx_12345.")
    >>> str(session.origin("tx_12345"))
    'the user'
    """

    __slots__ = ("__dict__", "__weakref__", "agent", "id", "model", "parent", "tools")
    """A host may add attributes of its own; until it does they take no room."""

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
        self.id = new_id() if id is None else id
        self.tools = None if tools is None else frozenset(tools)
        self.agent = agent
        self.model: str | None = None
        self.parent = parent
        above = None if parent is None else parent._record
        bounds = _LIMITS if limits is None else limits
        record = SessionRecord(bounds, above, owner)
        record.grant = self.tools
        self._record, self._entered = record, 0
        if above is not None and id is None:  # one with an id is kept, and counted, by it
            above.add_child(record)

    # What happens in a run -----------------------------------------------------------------------

    def user(self, text: str) -> None:
        """
        The user wrote *text*: a new run of this session begins.

        Args:
            text: The message: a string, or content parts in the shape of a model API.
        """
        self._record.take(MessageText("user", text_of(text)))

    def system(self, text: str) -> None:
        """
        The system prompt, or an instruction by the host, says *text*.

        Args:
            text: The message, in the same shapes.
        """
        self._record.take(MessageText("system", text_of(text)))

    def assistant(self, text: str) -> None:
        """
        The agent wrote *text*; its own words never count as a mention.

        Args:
            text: The message, in the same shapes.
        """
        self._record.take(MessageText("assistant", text_of(text)))

    def tool_result(
        self, name: str, value: Any, *, call_id: str | None = None, error: bool = False
    ) -> None:
        """
        Record a result of a tool; one that `check_result` recorded already is not taken twice.

        Args:
            name: The name of the tool.
            value: What it returned, or its error.
            call_id: The id of the call that it belongs to, where it has one.
            error: Whether the call failed.
        """
        self._record.take(Returned(name=name, value=value, call_id=id_of(call_id), error=error))

    def opaque(self, reason: str) -> None:
        """
        Record that the model saw something which is not known here; a miss then proves nothing.

        Args:
            reason: What it was, for the coverage of the layers.
        """
        self._record.take(Opaque(reason))

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
        # A text is iterable, too: its characters would be read as messages.
        if isinstance(messages, (str, bytes, Mapping)) or not isinstance(messages, Iterable):
            kind = type(messages).__name__  # a text may be the user's own words
            raise UnreadableMessage(f"`messages` is of type {kind}; give a list of messages")
        self._record.add(messages, tolerant=tolerant)

    def origin(self, value: Any) -> Origin | None:
        """
        Return where *value* was mentioned first, and how.

        Args:
            value: A text or a number.

        Returns:
            The origin; None where this run does not mention it in any spelling, and ``unknown``
            where the run has forgotten text, or the model saw something that the session did not.

        >>> session = Session()
        >>> session.user("Please refund TX-12345.")
        >>> str(session.origin("tx_12345")), session.origin("tx_99999")
        ('the user', None)
        """
        text = scalar_text(value)
        if text is None:
            raise UnreadableMessage(f"`value` is {shown(value)}; give a string or a number")
        mentions = self._record.mentions
        match = mentions.origin(text, field=Field(number=not isinstance(value, str)))
        if match is None and mentions.blind:
            return Origin(source="unknown", reason=mentions.blind)
        return match

    def child(self, *, agent: str | None = None, tools: Iterable[str] | None = None) -> Session:
        """
        Open the session of a sub-agent; its results count as seen here, too.

        Args:
            agent: The name of the sub-agent.
            tools: The names of the tools that it may call; those of this session where None.
        """
        child = Session(
            tools=self._record.grant if tools is None else tools,
            agent=agent,
            parent=self,
            limits=self._record.limits,
            owner=self._record.owner,
        )
        child.model = self.model
        return child

    def handoff(self, agent: str) -> None:
        """
        Another agent goes on in this same session.

        Args:
            agent: The name of the agent that takes over.
        """
        self.agent = agent

    # What it has seen ----------------------------------------------------------------------------

    @property
    def run_id(self) -> str:
        """Id of the run that is under way; a new one begins with a user's message."""
        return self._record.run_id

    @run_id.setter
    def run_id(self, run_id: str) -> None:
        self._record.run_id = run_id

    @property
    def turns(self) -> int:
        """Number of messages that the user wrote so far."""
        return self._record.turns

    @property
    def executed(self) -> tuple[Executed, ...]:
        """Calls that ran, oldest first, with their results."""
        return tuple(self._record.executions)

    @property
    def running(self) -> tuple[RunningCall, ...]:
        """
        Calls that the Shield runs at this moment, oldest first.

        Inside a tool it leaves out the tool's own call. A call that `check_call` has judged is
        not among them: the host runs it, and reports its result.
        """
        record = self._record
        with record.lock:
            return record.running.beside(INNERMOST.get())

    @property
    def decisions(self) -> tuple[Decision, ...]:
        """Decisions about this session's calls, oldest first; open ones come last."""
        record = self._record
        with record.lock:
            return (*record.decisions.calls, *record.pending.decisions())

    @property
    def result_decisions(self) -> tuple[Decision, ...]:
        """Decisions about what this session's calls returned, oldest first."""
        with self._record.lock:
            return tuple(self._record.decisions.results)

    @property
    def answer_decisions(self) -> tuple[Decision, ...]:
        """Decisions about what this session's agent answered, oldest first."""
        with self._record.lock:
            return tuple(self._record.decisions.answers)

    @property
    def output_decisions(self) -> tuple[Decision, ...]:
        """The newest decisions about outputs of the quality cascade, oldest first."""
        with self._record.lock:
            return tuple(self._record.decisions.outputs)

    @property
    def answer_reports(self) -> tuple[Any, ...]:
        """The reports on this session's answers, oldest first, for audit."""
        with self._record.lock:
            return tuple(self._record.decisions.reports)

    def entries(self) -> Iterator[LogEntry]:
        """Return the events of this session, oldest first, as far as its bounds keep them."""
        return iter(self._record.log)

    def did(self, tool: str, **arguments: Any) -> bool:
        """
        Return whether *tool* ran without failing, with at least these arguments.

        A typed value, such as a `UUID`, equals the JSON in which a call has it.

        Args:
            tool: The name of the tool.
            arguments: Arguments that the call had; it may have had others besides.

        >>> session = Session()
        >>> session.add([{"role": "assistant", "tool_calls": [{"id": "c1", "function": {
        ...                 "name": "verify", "arguments": '{"user": "u1"}'}}]},
        ...              {"role": "tool", "tool_call_id": "c1", "content": "verified"}])
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

    def __repr__(self) -> str:
        events, calls = self._record.log.version, len(self._record.executions)
        return f"<Session {self.id}: {events} events, {calls} executed>"


def _same(held: Any, wanted: Any) -> bool:
    """Return whether an argument equals *wanted*, or the JSON in which pydantic writes it."""
    if held == wanted or type(held) is type(wanted):
        return bool(held == wanted)
    try:
        return bool(held == to_jsonable_python(wanted))
    except Exception:  # a class of the host's without a JSON form
        return False
