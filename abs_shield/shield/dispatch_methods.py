"""Methods of a Shield that run calls: guard one, run it by name, or run a message's calls."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any

from abs_shield.core import Decision, ToolCall
from abs_shield.core.events import make_call
from abs_shield.errors import ShieldError
from abs_shield.session import Session
from abs_shield.session.session_context import inner_session
from abs_shield.shield.call_inputs import single_call
from abs_shield.shield.deferred_results import abandon, finish_dispatch
from abs_shield.shield.guard import Guard
from abs_shield.shield.lifecycle import Lifecycle
from abs_shield.shield.open_call import ALONE, CallContext
from abs_shield.shield.signature import Binding
from abs_shield.shield.tool_registry import Registry, runner
from abs_shield.telemetry import Otel
from abs_shield.text.safe_display import escaped

if TYPE_CHECKING:
    from abs_shield.shield.tool_call_loop import Dispatch

Call = ToolCall | Mapping[str, Any]


class DispatchMethods:
    """The methods of a `Shield` that run calls."""

    registry: Registry
    lifecycle: Lifecycle
    _otel: Otel

    if TYPE_CHECKING:

        def inspect_turn(self, calls: Any, *, session: Session | None = None) -> list[Decision]: ...

        def _session(self, session: Session | None) -> Session: ...

    def guard(
        self, call: Call, *, session: Session | None = None, siblings: tuple[ToolCall, ...] = ()
    ) -> Guard:
        """
        Return the guard of one dispatch: ``with firewall.guard(call) as guard: guard.value = ...``.

        Args:
            call: The call.
            session: The session; None for the current one.
            siblings: Calls that run at the same time, if their turn was not inspected.

        Raises:
            CallBlocked: On entering the block, if the call is blocked.
            ResultBlocked: On leaving the block, if the result is withheld.
        """
        context = CallContext(siblings) if siblings else ALONE
        return self._guard(single_call(call), self._session(session), context)

    def guard_function(
        self, binding: Binding, arguments: dict[str, Any], context: CallContext | None = None
    ) -> Guard:
        """
        Return the guard of a Python call of a decorated function, in the innermost session.

        Args:
            binding: The signature of the function.
            arguments: Its arguments by parameter name.
            context: The circumstances of such a call, if they were prepared; they contain
                *binding*.
        """
        call = make_call(binding.tool.name, arguments)
        context = CallContext(binding=binding) if context is None else context
        return self._guard(call, self._session(inner_session()), context)

    def dispatch(
        self,
        name: str,
        arguments: Any,
        *,
        call_id: str | None = None,
        session: Session | None = None,
    ) -> Any:
        """
        Run a registered function by its tool name, with the model's arguments.

        Args:
            name: The name of the tool.
            arguments: Its arguments: a mapping, or JSON text.
            call_id: The id of the call, by which its result and its feedback are matched.
            session: The session; None for the current one.

        Returns:
            The result of the function; a generator closes the call at its end.

        Raises:
            CallBlocked: The call is blocked.
            ResultBlocked: The result is withheld.
            ShieldError: No function is registered, or it is async (use `adispatch`).
        """
        call = single_call(ToolCall(name, _snapshot(arguments), call_id))
        guard = self._guard(call, self._session(session))
        guard.__enter__()
        with guard.close_on_error():
            value = self._run(guard, call.name)
            if inspect.isawaitable(value):
                # Closed, to avoid Python's warning that it was never awaited.
                abandon(value)
                raise ShieldError(f"tool `{escaped(call.name)}` is async; use `adispatch`")
        return finish_dispatch(value, guard)

    async def adispatch(
        self,
        name: str,
        arguments: Any,
        *,
        call_id: str | None = None,
        session: Session | None = None,
    ) -> Any:
        """Run a registered function like `dispatch`; functions and approvers may be async."""
        call = single_call(ToolCall(name, _snapshot(arguments), call_id))
        guard = self._guard(call, self._session(session))
        await guard.__aenter__()
        with guard.close_on_error():
            value = self._run(guard, call.name)
            if inspect.isawaitable(value):
                value = await value
        return finish_dispatch(value, guard)

    def run_tool_calls(
        self,
        assistant_message: Any,
        *,
        session: Session | None = None,
        dispatch: Dispatch | None = None,
    ) -> list[dict[str, Any]]:
        """
        Run every call of one assistant message; blocked calls are answered with feedback.

        Args:
            assistant_message: The message, or a list of calls.
            session: The session; None for the current one.
            dispatch: The host's function that runs a `ToolCall` as the model wrote it; None for
                the registered functions.

        Returns:
            The messages to append to the conversation, in the shape of *assistant_message*.
        """
        from abs_shield.shield.tool_call_loop import answer_calls  # adapters do not need it

        return answer_calls(self, assistant_message, self._session(session), dispatch)

    async def arun_tool_calls(
        self,
        assistant_message: Any,
        *,
        session: Session | None = None,
        dispatch: Dispatch | None = None,
    ) -> list[dict[str, Any]]:
        """Run calls like `run_tool_calls`, concurrently; *dispatch* may be async."""
        from abs_shield.shield.tool_call_loop import aanswer_calls  # adapters do not need it

        return await aanswer_calls(self, assistant_message, self._session(session), dispatch)

    def _guard(
        self,
        call: ToolCall,
        session: Session,
        context: CallContext = ALONE,
    ) -> Guard:
        span: AbstractContextManager[None] | None = None
        if self._otel.is_traced():
            span = self._otel.execute_tool(call.name, call.id, self.registry.of(session))
        return Guard(self.lifecycle, call, session, span, context)

    def _run(self, guard: Guard, name: str) -> Any:
        run = runner(self.registry.of(guard.opened.session).get(name))
        if run is None:
            raise ShieldError(f"no function is registered for tool `{escaped(name)}`")
        return run(guard.arguments)


def _snapshot(arguments: Any) -> Any:
    """Return a copy of the arguments, which the caller may change later."""
    return arguments.copy() if type(arguments) is dict else arguments
