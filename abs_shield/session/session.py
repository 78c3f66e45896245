"""A session: the messages, calls and results of one run of an agent, or of successive runs."""

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
    The messages, calls and results of one run, or of successive runs.

    A session has no policy, so several Shields may share it. Use it as a context manager to make it
    the current session, or pass it as ``session=``.

    Args:
        id: The session's id in the decision log; a new one if None.
        tools: Names of the tools that may be called in it; all registered tools if None.
        agent: The name of the agent.
        parent: The session of the agent that started this one; its mentions count here, too.
        limits: Bounds of the stored data; the default `Limits` if None.
        owner: The Shield that opened the session; None if the host created it.

    >>> session = Session("s1")
    >>> session.user("Please refund tx_12345.")
    >>> str(session.origin("tx_12345"))
    'the user'
    """

    __slots__ = ("__dict__", "__weakref__", "agent", "id", "model", "parent", "tools")
    """A host may add attributes; `__dict__` takes no memory until it does."""

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
        if above is not None and id is None:  # a session with an id counts its own memory
            above.add_child(record)

    # Recording -----------------------------------------------------------------------------------

    def user(self, text: str) -> None:
        """
        Record a message of the user, which begins a new run in this session.

        Args:
            text: The message: a string, or content parts in the shape of a model API.
        """
        self._record.record_event(MessageText("user", text_of(text)))

    def system(self, text: str) -> None:
        """
        Record a system prompt, or an instruction by the host.

        Args:
            text: The message, in the same shapes as in `user`.
        """
        self._record.record_event(MessageText("system", text_of(text)))

    def assistant(self, text: str) -> None:
        """
        Record a message of the agent, whose own texts never count as a mention.

        Args:
            text: The message, in the same shapes as in `user`.
        """
        self._record.record_event(MessageText("assistant", text_of(text)))

    def tool_result(
        self, name: str, value: Any, *, call_id: str | None = None, error: bool = False
    ) -> None:
        """
        Record a result of a tool, unless `check_result` has already recorded it.

        Args:
            name: The name of the tool.
            value: The value that it returned, or its error.
            call_id: The id of the call, if it has one.
            error: Whether the call failed.
        """
        self._record.record_event(
            Returned(name=name, value=value, call_id=id_of(call_id), error=error)
        )

    def opaque(self, reason: str) -> None:
        """
        Record that the model read something unrecorded, so that a missing mention proves nothing.

        Args:
            reason: A description of it, which layers report as the reason why they could not run.
        """
        self._record.record_event(Opaque(reason))

    def add(self, messages: Iterable[Any], *, tolerant: bool = False) -> None:
        """
        Add messages in the shape of any provider; a growing list may be passed again and again.

        The shapes of OpenAI, Anthropic, Gemini and Bedrock are supported, and flat messages.

        Args:
            messages: The whole conversation, or its new messages.
            tolerant: Treat a message of unknown shape like `opaque` instead of raising.

        Raises:
            ValueError: A message has an unknown shape; those before it are added.
        """
        # A string is iterable, and its characters would be read as messages.
        if isinstance(messages, (str, bytes, Mapping)) or not isinstance(messages, Iterable):
            kind = type(messages).__name__  # not the value, which may be the user's text
            raise UnreadableMessage(f"`messages` is of type {kind}; give a list of messages")
        self._record.add(messages, tolerant=tolerant)

    def origin(self, value: Any) -> Origin | None:
        """
        Return the first mention of *value* in this session or its parents.

        Args:
            value: A string or a number.

        Returns:
            The origin; None if no text mentions the value in any spelling. If the session is
            incomplete, because text was dropped or the model read something unrecorded, an origin
            with the source ``unknown`` instead of None.

        Raises:
            ValueError: *value* is neither a string nor a number.

        >>> session = Session()
        >>> session.user("Please refund TX-12345.")
        >>> str(session.origin("tx_12345")), session.origin("tx_99999")
        ('the user', None)
        """
        from abs_shield.session.value_field import Field  # slow to import

        text = scalar_text(value)
        if text is None:
            raise UnreadableMessage(f"`value` is {shown(value)}; give a string or a number")
        mentions = self._record.mentions
        match = mentions.origin(text, field=Field(number=not isinstance(value, str)))
        if match is None and mentions.unknown_reason:
            return Origin(source="unknown", reason=mentions.unknown_reason)
        return match

    def child(self, *, agent: str | None = None, tools: Iterable[str] | None = None) -> Session:
        """
        Open the session of a sub-agent, whose results count as mentioned in this one, too.

        Args:
            agent: The name of the sub-agent.
            tools: Names of the tools that it may call; those of this session if None.
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
        Record that another agent continues this session.

        Args:
            agent: The name of the agent that takes over.
        """
        self.agent = agent

    # Reading -------------------------------------------------------------------------------------

    @property
    def run_id(self) -> str:
        """Id of the current run; a new one begins with a message of the user."""
        return self._record.run_id

    @run_id.setter
    def run_id(self, run_id: str) -> None:
        self._record.run_id = run_id

    @property
    def turns(self) -> int:
        """Number of messages of the user so far."""
        return self._record.turns

    @property
    def executed(self) -> tuple[Executed, ...]:
        """The newest calls that ran, with their results, oldest first."""
        return tuple(self._record.executions)

    @property
    def running(self) -> tuple[RunningCall, ...]:
        """
        The calls that the Shield is running, oldest first.

        Inside a tool, the tool's own call is left out. Calls that `check_call` judged are not
        included, as the host runs them and reports their results.
        """
        record = self._record
        with record.lock:
            return record.running.list_excluding(INNERMOST.get())

    @property
    def decisions(self) -> tuple[Decision, ...]:
        """The newest decisions about this session's calls, oldest first; undispatched ones last."""
        record = self._record
        with record.lock:
            return (*record.decisions.calls, *record.pending.decisions())

    @property
    def result_decisions(self) -> tuple[Decision, ...]:
        """The newest decisions about results of this session's calls, oldest first."""
        with self._record.lock:
            return tuple(self._record.decisions.results)

    @property
    def answer_decisions(self) -> tuple[Decision, ...]:
        """The newest decisions about answers of this session's agent, oldest first."""
        with self._record.lock:
            return tuple(self._record.decisions.answers)

    @property
    def output_decisions(self) -> tuple[Decision, ...]:
        """The newest decisions about outputs of the quality cascade, oldest first."""
        with self._record.lock:
            return tuple(self._record.decisions.outputs)

    @property
    def answer_reports(self) -> tuple[Any, ...]:
        """The newest reports on this session's answers, oldest first, for audit."""
        with self._record.lock:
            return tuple(self._record.decisions.reports)

    def entries(self) -> Iterator[LogEntry]:
        """Iterate over the stored events of this session, oldest first."""
        return iter(self._record.log)

    def did(self, tool: str, **arguments: Any) -> bool:
        """
        Return whether *tool* ran without failing, with at least these arguments.

        Args:
            tool: The name of the tool.
            arguments: Arguments of the call, which may have had others as well. A typed value, such
                as a `UUID`, matches its JSON form.

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
            and all(
                k in call.arguments and _equals_argument(call.arguments[k], v) for k, v in wanted
            )
            for call in self.executed
        )

    def __repr__(self) -> str:
        events, calls = self._record.log.version, len(self._record.executions)
        return f"<Session {self.id}: {events} events, {calls} executed>"


def _equals_argument(held: Any, wanted: Any) -> bool:
    """Return whether an argument equals *wanted* or the JSON form of *wanted*."""
    if held == wanted or type(held) is type(wanted):
        return bool(held == wanted)
    try:
        return bool(held == to_jsonable_python(wanted))
    except Exception:  # a class of the host without a JSON form
        return False
