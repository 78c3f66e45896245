"""The tool runner: each reply is judged before it is answered, each call before it runs."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AsyncExitStack, ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any, TypeVar

from anthropic.lib.tools import (
    BetaAsyncStreamingToolRunner,
    BetaStreamingToolRunner,
    ToolError,
)

from abs_shield.adapters.anthropic.blocks import call_of, hear, name_of, offered, plain, read, uses
from abs_shield.adapters.anthropic.checks import check_streams
from abs_shield.core import Decision
from abs_shield.errors import CallBlocked, ResultBlocked, ShieldError
from abs_shield.session import Session
from abs_shield.session.session_record import record_of
from abs_shield.shield import Shield
from abs_shield.shield.guard import Guard
from abs_shield.shield.seam import Seam
from abs_shield.shield.turns import feedback_text

R = TypeVar("R")

_NEEDED = (
    "generate_tool_call_response", "_params", "_get_last_message", "_run_tool", "_toolset_for",
)  # fmt: skip


def shielded_runner(runner: R, *, firewall: Shield, session: Session | None = None) -> R:
    """
    Put the firewall around a tool runner, before it is iterated.

    Args:
        runner: What ``client.beta.messages.tool_runner(...)`` gives: sync or async, streaming or
            not. It is changed in place.
        firewall: The Shield.
        session: The session of the run; the current one, that of the client's
            ``conversation_id``, or a new one where None.

    Returns:
        The same runner.

    Raises:
        ShieldError: This is no tool runner, it has a firewall already, or the SDK has lost a part
            that the adapter reads.
    """
    streams = isinstance(runner, (BetaStreamingToolRunner, BetaAsyncStreamingToolRunner))
    needed = (*_NEEDED, "_last_message") if streams else _NEEDED
    lacking = [name for name in needed if not hasattr(runner, name)]
    if lacking:
        raise ShieldError(
            f"{type(runner).__name__} is no tool runner of a known kind: it has no `{lacking[0]}`; "
            "give what `client.beta.messages.tool_runner(...)` returns, or use `run_tool_calls`"
        )
    if streams:
        check_streams()
    if "_run_tool" in vars(runner):
        raise ShieldError("this tool runner has a firewall already; a run has one")
    watch = _Watch(runner, firewall, session)
    around = _AsyncHooks if inspect.iscoroutinefunction(watch.runner._run_tool) else _Hooks
    around(watch).put()
    return runner


class _Watch:
    """What is known of one run: its session, and the decisions about the reply at hand."""

    def __init__(self, runner: Any, firewall: Shield, session: Session | None) -> None:
        self.runner = runner
        self.firewall = firewall
        self._seam = Seam(firewall, session)
        self._session: Session | None = None
        self._reply: Any = None
        self._open: dict[str | None, Decision] = {}
        self._early: set[str | None] = set()

    @property
    def session(self) -> Session:
        """The run's one session: without an id of the conversation, each new one is empty."""
        if self._session is None:
            spans = getattr(getattr(self.runner, "_client", None), "open_telemetry", None) or {}
            conversation = spans.get("conversation_id")
            self._session = self._seam.session(conversation, model=self.runner._params.get("model"))
        return self._session

    def look(self, reply: Any) -> None:
        """Judge a reply's calls, once, before the runner answers them."""
        if reply is None or reply is self._reply:
            return
        self._reply = reply
        proposed = [*uses(reply, self._stream())]
        self._take_in(use for use, _ in proposed)
        calls = [call_of(use, raw) for use, raw in proposed]
        fresh = [call for call in calls if call.id not in self._early]
        self._early.clear()
        decisions = self.firewall.inspect_turn(fresh, session=self.session)
        self._open = {call.id: d for call, d in zip(fresh, decisions, strict=True)}

    def guard(self, block: Any) -> Guard:
        """Stand around a call that runs now; it may do so while its reply still streams."""
        use = plain(block)
        if self._open.pop(use.get("id"), None) is None:
            self._early.add(use.get("id"))
            self._take_in([use])
        stream = self._stream()
        reply = None if stream is None else stream.current_message_snapshot
        written = [raw for each, raw in uses(reply, stream) if each.get("id") == use.get("id")]
        call = call_of(use, written[0] if written else None)
        return self.firewall.guard(call, session=self.session)

    def answered(self, response: Any) -> Any:
        """Put feedback where the runner itself answered a call that is blocked."""
        results = [] if response is None else response["content"]
        for place, result in enumerate(results):
            decision = self._open.get(result.get("tool_use_id"))
            if decision is not None and decision.blocked:
                said = {"content": feedback_text(decision), "is_error": True}
                results[place] = {**result, **said}
        record_of(self.session).settle()
        return response

    def _take_in(self, called: Iterable[Mapping[str, Any]]) -> None:
        params = self.runner._params
        tools, families = offered(params)
        tools += [{"name": name_of(use)} for use in called if use.get("toolset_name") in families]
        self._seam.offer(self.session, tools)
        hear(self._seam, self.session, params.get("messages", ()), params.get("system"))

    def _stream(self) -> Any:
        """The stream that the reply came from, where it was streamed."""
        final = getattr(self.runner, "_last_message", None)
        stream = getattr(final, "__self__", None)
        return stream if hasattr(stream, "current_message_snapshot") else None


@dataclass(frozen=True, slots=True)
class _StandIn:
    """Stands in for a tool, for one call."""

    name: str
    call: Callable[[Any], Any]


class _Hooks:
    """The runner's own methods, with the Shield around them."""

    def __init__(self, watch: _Watch) -> None:
        self.watch = watch
        runner = watch.runner
        self.generate, self.run_tool = runner.generate_tool_call_response, runner._run_tool
        self.toolset_for = runner._toolset_for

    def put(self) -> None:
        """Put these in place of the runner's."""
        runner = self.watch.runner
        runner.generate_tool_call_response = self.response
        runner._run_tool = self.tool
        runner._toolset_for = self.toolset

    def response(self) -> Any:
        self.watch.look(self.watch.runner._get_last_message())
        return self.watch.answered(self.generate())

    def tool(self, tool: Any, block: Any) -> Any:
        def call(given: Any) -> Any:
            with ExitStack() as stack:
                guard = self.watch.guard(block)
                stack.enter_context(_stopping(guard))
                with _refusing():
                    stack.enter_context(guard)
                value = _kept(tool.call(given))
                guard.value = read(value)
                with _refusing():
                    stack.close()
                return value

        return self.run_tool(_StandIn(tool.name, call), block)

    def toolset(self, block: Any) -> Any:
        found = self.toolset_for(block)
        return None if found is None else _Toolset(found, self.watch)


class _AsyncHooks(_Hooks):
    """As `_Hooks`, for an async runner."""

    async def response(self) -> Any:
        self.watch.look(await self.watch.runner._get_last_message())
        return self.watch.answered(await self.generate())

    async def tool(self, tool: Any, block: Any) -> Any:
        async def call(given: Any) -> Any:
            async with AsyncExitStack() as stack:
                guard = self.watch.guard(block)
                stack.enter_context(_stopping(guard))
                with _refusing():
                    await stack.enter_async_context(guard)
                value = _kept(await tool.call(given))
                guard.value = read(value)
                with _refusing():
                    await stack.aclose()
                return value

        return await self.run_tool(_StandIn(tool.name, call), block)

    def toolset(self, block: Any) -> Any:
        found = self.toolset_for(block)
        return None if found is None else _AsyncToolset(found, self.watch)


class _Refused(ToolError):  # type: ignore[misc]
    """A call is blocked, or its result withheld; the SDK gives this error's text to the model."""


@contextmanager
def _refusing() -> Iterator[None]:
    """Refuse a blocked call, or withhold a result, in the SDK's own way: the text is the result."""
    try:
        yield
    except (CallBlocked, ResultBlocked) as blocked:
        raise _Refused(feedback_text(blocked.decision)) from None


@contextmanager
def _stopping(guard: Guard) -> Iterator[None]:
    """Refuse a call whose tool was stopped inside, at a decorated function, by its values."""
    try:
        yield
    except CallBlocked as blocked:
        if guard.stopped is None:
            raise
        raise _Refused(feedback_text(blocked.decision)) from None


@dataclass(frozen=True, slots=True)
class _Toolset:
    """Stands in for a toolset, for one call of a member."""

    toolset: Any
    watch: _Watch

    def tool_result(self, block: Any) -> Any:
        try:
            with ExitStack() as stack:
                guard = self.watch.guard(block)
                stack.enter_context(_stopping(guard))
                with _refusing():
                    stack.enter_context(guard)
                result = self.toolset.tool_result(block)
                guard.value = _outcome(result)
                with _refusing():
                    stack.close()
                return result
        except _Failed as failed:
            return failed.result
        except _Refused as refused:
            return _refusal(block, refused)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.toolset, name)


class _AsyncToolset(_Toolset):
    """As `_Toolset`, for an async runner."""

    async def tool_result(self, block: Any) -> Any:
        try:
            async with AsyncExitStack() as stack:
                guard = self.watch.guard(block)
                stack.enter_context(_stopping(guard))
                with _refusing():
                    await stack.enter_async_context(guard)
                result = await self.toolset.tool_result(block)
                guard.value = _outcome(result)
                with _refusing():
                    await stack.aclose()
                return result
        except _Failed as failed:
            return failed.result
        except _Refused as refused:
            return _refusal(block, refused)


class _Failed(Exception):
    """A toolset answered with an error, of which the guard has to hear."""

    def __init__(self, result: Mapping[str, Any]) -> None:
        super().__init__(str(read(result.get("content"))))
        self.result = result


def _outcome(result: Mapping[str, Any]) -> Any:
    if result.get("is_error"):
        raise _Failed(result)
    return read(result.get("content"))


def _refusal(block: Any, refused: _Refused) -> dict[str, Any]:
    of = {"tool_use_id": block.id, "toolset_name": block.toolset_name}
    return {"type": "tool_result", **of, "content": refused.content, "is_error": True}


def _kept(value: Any) -> Any:
    """A tool's value, which may be read twice."""
    return list(value) if isinstance(value, Iterator) else value
