"""
A tool runner whose calls are judged by a Shield.

Each reply is judged before the runner answers it, and each call before it runs.
"""

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

from abs_shield.adapters.anthropic.message_blocks import (
    as_dict,
    call_of,
    name_of,
    offered_tools,
    record_messages,
    tool_uses,
    visible_value,
)
from abs_shield.adapters.anthropic.sdk_checks import check_streams
from abs_shield.core import Decision
from abs_shield.errors import CallBlocked, ResultBlocked, ShieldError
from abs_shield.session import Session
from abs_shield.session.session_record import record_of
from abs_shield.shield import Shield
from abs_shield.shield.adapter_session import AdapterSession
from abs_shield.shield.guard import Guard
from abs_shield.shield.tool_call_loop import feedback_text

R = TypeVar("R")

# undocumented parts of the SDK that this module replaces or reads
_REQUIRED_ATTRIBUTES = (
    "generate_tool_call_response", "_params", "_get_last_message", "_run_tool", "_toolset_for",
)  # fmt: skip


def shielded_runner(runner: R, *, firewall: Shield, session: Session | None = None) -> R:
    """
    Let the Shield judge the calls of a tool runner; use it before the runner is iterated.

    Args:
        runner: The result of ``client.beta.messages.tool_runner(...)``: sync or async, streaming
            or not. It is changed in place.
        firewall: The Shield.
        session: The session of the run; None for the current one, that of the client's
            ``conversation_id``, or a new one.

    Returns:
        The same runner.

    Raises:
        ShieldError: *runner* is not a tool runner, it already has a Shield, or the SDK does not
            have an attribute that the adapter needs.
    """
    streams = isinstance(runner, (BetaStreamingToolRunner, BetaAsyncStreamingToolRunner))
    required = (*_REQUIRED_ATTRIBUTES, "_last_message") if streams else _REQUIRED_ATTRIBUTES
    missing = [name for name in required if not hasattr(runner, name)]
    if missing:
        raise ShieldError(
            f"{type(runner).__name__} is not a supported tool runner: it has no `{missing[0]}`; "
            "pass the result of `client.beta.messages.tool_runner(...)`, or use `run_tool_calls`"
        )
    if streams:
        check_streams()
    # two Shields would judge and count each call twice
    if "_run_tool" in vars(runner):
        raise ShieldError("this tool runner already has a Shield; use one Shield for each runner")
    observer = _RunObserver(runner, firewall, session)
    hooks = _AsyncHooks if inspect.iscoroutinefunction(observer.runner._run_tool) else _Hooks
    hooks(observer).install()
    return runner


class _RunObserver:
    """State of one run: its session, and the decisions about the current reply."""

    def __init__(self, runner: Any, firewall: Shield, session: Session | None) -> None:
        self.runner = runner
        self.firewall = firewall
        self._adapter = AdapterSession(firewall, session)
        self._session: Session | None = None
        self._reply: Any = None
        self._pending: dict[str | None, Decision] = {}
        self._guarded_early: set[str | None] = set()

    @property
    def session(self) -> Session:
        """
        The session of the run; stored, or without a conversation id each lookup would open one.
        """
        if self._session is None:
            spans = getattr(getattr(self.runner, "_client", None), "open_telemetry", None) or {}
            conversation = spans.get("conversation_id")
            self._session = self._adapter.session(
                conversation, model=self.runner._params.get("model")
            )
        return self._session

    def inspect_reply(self, reply: Any) -> None:
        """Judge the calls of a reply once, before the runner answers them."""
        if reply is None or reply is self._reply:  # the runner may pass the same reply again
            return
        self._reply = reply
        proposed = [*tool_uses(reply, self._stream())]
        self._record(use for use, _ in proposed)
        calls = [call_of(use, raw) for use, raw in proposed]
        # a streamed call may have run before its reply was complete
        new_calls = [call for call in calls if call.id not in self._guarded_early]
        self._guarded_early.clear()
        decisions = self.firewall.inspect_turn(new_calls, session=self.session)
        self._pending = {call.id: d for call, d in zip(new_calls, decisions, strict=True)}

    def guard(self, block: Any) -> Guard:
        """Return the guard of a call that runs now, maybe while its reply is still streamed."""
        use = as_dict(block)
        if self._pending.pop(use.get("id"), None) is None:
            self._guarded_early.add(use.get("id"))
            self._record([use])
        stream = self._stream()
        reply = None if stream is None else stream.current_message_snapshot
        streamed = [
            raw for each, raw in tool_uses(reply, stream) if each.get("id") == use.get("id")
        ]
        call = call_of(use, streamed[0] if streamed else None)
        return self.firewall.guard(call, session=self.session)

    def add_feedback(self, response: Any) -> Any:
        """Replace the runner's own answers to blocked calls with feedback."""
        results = [] if response is None else response["content"]  # None: a reply without calls
        for index, result in enumerate(results):
            decision = self._pending.get(result.get("tool_use_id"))
            if decision is not None and decision.blocked:
                feedback = {"content": feedback_text(decision), "is_error": True}
                results[index] = {**result, **feedback}
        record_of(self.session).settle()
        return response

    def _record(self, calls: Iterable[Mapping[str, Any]]) -> None:
        params = self.runner._params
        tools, toolsets = offered_tools(params)
        # a toolset does not list its members, so each member that is called counts as offered
        tools += [{"name": name_of(use)} for use in calls if use.get("toolset_name") in toolsets]
        self._adapter.offer(self.session, tools)
        record_messages(
            self._adapter, self.session, params.get("messages", ()), params.get("system")
        )

    def _stream(self) -> Any:
        """The stream of the reply; None if it was not streamed."""
        # the runner stores only the stream's bound method
        final = getattr(self.runner, "_last_message", None)
        stream = getattr(final, "__self__", None)
        return stream if hasattr(stream, "current_message_snapshot") else None


@dataclass(frozen=True, slots=True)
class _ToolProxy:
    """A replacement for a tool, for one call."""

    name: str
    call: Callable[[Any], Any]


class _Hooks:
    """Replacements of the runner's methods, which judge calls."""

    def __init__(self, observer: _RunObserver) -> None:
        self.observer = observer
        runner = observer.runner
        self.generate, self.run_tool = runner.generate_tool_call_response, runner._run_tool
        self.toolset_for = runner._toolset_for

    def install(self) -> None:
        """Replace the methods of the runner."""
        runner = self.observer.runner
        runner.generate_tool_call_response = self.response
        runner._run_tool = self.tool
        runner._toolset_for = self.toolset

    def response(self) -> Any:
        self.observer.inspect_reply(self.observer.runner._get_last_message())
        return self.observer.add_feedback(self.generate())

    def tool(self, tool: Any, block: Any) -> Any:
        def call(arguments: Any) -> Any:
            return _run(self.observer.guard(block), lambda: tool.call(arguments), visible_value)

        return self.run_tool(_ToolProxy(tool.name, call), block)

    def toolset(self, block: Any) -> Any:
        toolset = self.toolset_for(block)
        return None if toolset is None else _ToolsetProxy(toolset, self.observer)


class _AsyncHooks(_Hooks):
    """Async version of `_Hooks`."""

    async def response(self) -> Any:
        self.observer.inspect_reply(await self.observer.runner._get_last_message())
        return self.observer.add_feedback(await self.generate())

    async def tool(self, tool: Any, block: Any) -> Any:
        async def call(arguments: Any) -> Any:
            guard = self.observer.guard(block)
            return await _arun(guard, lambda: tool.call(arguments), visible_value)

        return await self.run_tool(_ToolProxy(tool.name, call), block)

    def toolset(self, block: Any) -> Any:
        toolset = self.toolset_for(block)
        return None if toolset is None else _AsyncToolsetProxy(toolset, self.observer)


class _BlockedToolError(ToolError):  # type: ignore[misc]
    """An error for a blocked call or result; the SDK passes its text to the model."""


@contextmanager
def _blocked_as_tool_error() -> Iterator[None]:
    """Raise blocks as errors of the SDK, whose text becomes the tool's result."""
    try:
        yield
    except (CallBlocked, ResultBlocked) as blocked:
        raise _BlockedToolError(feedback_text(blocked.decision)) from None


@contextmanager
def _nested_block_as_tool_error(guard: Guard) -> Iterator[None]:
    """Raise the block of a nested decorated function as an error of the SDK."""
    try:
        yield
    except CallBlocked as blocked:
        # a block that is not due to this call's values is an ordinary error of the tool
        if guard.nested_block is None:
            raise
        raise _BlockedToolError(feedback_text(blocked.decision)) from None


def _run(guard: Guard, execute: Callable[[], Any], value_of: Callable[[Any], Any]) -> Any:
    """Run one call under its guard, and return its result; *value_of* reads its value."""
    with ExitStack() as stack:
        # outermost, because the guard must see the block of a nested call first
        stack.enter_context(_nested_block_as_tool_error(guard))
        with _blocked_as_tool_error():
            stack.enter_context(guard)
        result = _as_list(execute())
        guard.value = value_of(result)
        with _blocked_as_tool_error():
            stack.close()
        return result


async def _arun(guard: Guard, execute: Callable[[], Any], value_of: Callable[[Any], Any]) -> Any:
    """Async version of `_run`."""
    async with AsyncExitStack() as stack:
        stack.enter_context(_nested_block_as_tool_error(guard))
        with _blocked_as_tool_error():
            await stack.enter_async_context(guard)
        result = _as_list(await execute())
        guard.value = value_of(result)
        with _blocked_as_tool_error():
            await stack.aclose()
        return result


@dataclass(frozen=True, slots=True)
class _ToolsetProxy:
    """A replacement for a toolset, for one call of a member."""

    toolset: Any
    observer: _RunObserver

    def tool_result(self, block: Any) -> Any:
        try:
            guard = self.observer.guard(block)
            return _run(guard, lambda: self.toolset.tool_result(block), _successful_value)
        except _ToolsetError as failed:
            return failed.result
        except _BlockedToolError as refused:
            return _error_result(block, refused)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.toolset, name)


class _AsyncToolsetProxy(_ToolsetProxy):
    """Async version of `_ToolsetProxy`."""

    async def tool_result(self, block: Any) -> Any:
        try:
            guard = self.observer.guard(block)
            return await _arun(guard, lambda: self.toolset.tool_result(block), _successful_value)
        except _ToolsetError as failed:
            return failed.result
        except _BlockedToolError as refused:
            return _error_result(block, refused)


class _ToolsetError(Exception):
    """A toolset returned an error result, which the guard records."""

    def __init__(self, result: Mapping[str, Any]) -> None:
        super().__init__(str(visible_value(result.get("content"))))
        self.result = result


def _successful_value(result: Mapping[str, Any]) -> Any:
    if result.get("is_error"):
        raise _ToolsetError(result)
    return visible_value(result.get("content"))


def _error_result(block: Any, refused: _BlockedToolError) -> dict[str, Any]:
    of = {"tool_use_id": block.id, "toolset_name": block.toolset_name}
    return {"type": "tool_result", **of, "content": refused.content, "is_error": True}


def _as_list(value: Any) -> Any:
    """Return a tool's value; an iterator as a list, because it is read twice."""
    return list(value) if isinstance(value, Iterator) else value
