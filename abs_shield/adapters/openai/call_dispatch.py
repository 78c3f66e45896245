"""Dispatch of one call of the tool runner under its guard."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, NamedTuple

from abs_shield.adapters.openai.response_items import output_value
from abs_shield.adapters.openai.run_observer import RunObserver
from abs_shield.errors import CallBlocked, ResultBlocked
from abs_shield.shield.guard import Guard
from abs_shield.shield.tool_call_loop import feedback_text


class ToolOutput(NamedTuple):
    """The output of a call, and whether it failed; None if the tool does not report that."""

    output: dict[str, Any]
    failed: bool | None = None


def run_call(observer: RunObserver, item: Any, run: Callable[[], ToolOutput]) -> ToolOutput:
    """Run one call; return feedback if the call is blocked or its result is withheld."""
    # before the guard, because the runner calls the placeholder instead of the blocked call
    feedback = observer.feedback(item)
    if feedback is not None:
        return _feedback_output(item, feedback)
    guard = observer.guard(item)
    try:
        guard.__enter__()
    except CallBlocked as blocked:
        return _feedback_output(item, feedback_text(blocked.decision))
    try:
        with guard.close_on_error(), observer.mark_running(item):
            outcome = run()
    except CallBlocked as blocked:
        # a block that is not due to this call's values is an ordinary error of the tool
        if guard.nested_block is None:
            raise
        return _feedback_output(item, feedback_text(blocked.decision))
    return _finish_call(guard, item, outcome)


async def arun_call(
    observer: RunObserver, item: Any, run: Callable[[], Awaitable[ToolOutput]]
) -> ToolOutput:
    """Async version of `run_call`; the approver and the tool may be async."""
    feedback = observer.feedback(item)
    if feedback is not None:
        return _feedback_output(item, feedback)
    guard = observer.guard(item)
    try:
        await guard.__aenter__()
    except CallBlocked as blocked:
        return _feedback_output(item, feedback_text(blocked.decision))
    try:
        with guard.close_on_error(), observer.mark_running(item):
            outcome = await run()
    except CallBlocked as blocked:
        if guard.nested_block is None:
            raise
        return _feedback_output(item, feedback_text(blocked.decision))
    return _finish_call(guard, item, outcome)


def _finish_call(guard: Guard, item: Any, outcome: ToolOutput) -> ToolOutput:
    guard.value, guard.failed = output_value(outcome.output), outcome.failed
    try:
        guard.__exit__(None, None, None)
    except (CallBlocked, ResultBlocked) as blocked:
        return _feedback_output(item, feedback_text(blocked.decision))
    return outcome


def _feedback_output(item: Any, text: str) -> ToolOutput:
    fields = {"type": "function_call_output", "call_id": item.call_id}
    return ToolOutput({**fields, "output": text}, failed=False)


class ObservedFunctions:
    """Runs the runner's functions, each call under its guard."""

    def __init__(self, execute: Callable[..., Any], observer: RunObserver) -> None:
        self._execute = execute
        self._observer = observer

    def run(self, run: Any, item: Any) -> dict[str, Any]:
        """Run a function of the host."""
        return run_call(self._observer, item, lambda: ToolOutput(self._execute(run, item))).output

    async def arun(self, run: Any, item: Any) -> dict[str, Any]:
        """Async version of `run`."""

        async def execute() -> ToolOutput:
            return ToolOutput(await self._execute(run, item))

        return (await arun_call(self._observer, item, execute)).output


class ObservedBrowser:
    """A browser toolset whose calls run under their guards."""

    def __init__(self, browser: Any, observer: RunObserver) -> None:
        self._browser = browser
        self._observer = observer

    def _execute(self, item: Any, **options: Any) -> tuple[dict[str, Any], bool]:
        def execute() -> ToolOutput:
            return _browser_output(self._browser._execute(item, **options))

        outcome = run_call(self._observer, item, execute)
        return outcome.output, not outcome.failed

    def __getattr__(self, name: str) -> Any:
        return getattr(self._browser, name)


class AsyncObservedBrowser(ObservedBrowser):
    """Async version of `ObservedBrowser`."""

    async def _execute(self, item: Any, **options: Any) -> tuple[dict[str, Any], bool]:  # type: ignore[override]
        async def execute() -> ToolOutput:
            return _browser_output(await self._browser._execute(item, **options))

        outcome = await arun_call(self._observer, item, execute)
        return outcome.output, not outcome.failed


def _browser_output(result: tuple[dict[str, Any], bool]) -> ToolOutput:
    output, worked = result
    return ToolOutput(output, failed=not worked)
