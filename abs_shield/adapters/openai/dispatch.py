"""One call that the tool runner runs, with the Shield around it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, NamedTuple

from abs_shield.adapters.openai.items import output_value
from abs_shield.adapters.openai.observer import RunObserver
from abs_shield.errors import CallBlocked, ResultBlocked
from abs_shield.shield.guard import Guard
from abs_shield.shield.turns import feedback_text


class Outcome(NamedTuple):
    """What the runner got for a call; *failed* where the tool says so, None where it does not."""

    output: dict[str, Any]
    failed: bool | None = None


def run_call(observer: RunObserver, item: Any, run: Callable[[], Outcome]) -> Outcome:
    """Run one call, or answer it with feedback where it is blocked; withhold its result so too."""
    feedback = observer.feedback(item)
    if feedback is not None:
        return _answered(item, feedback)
    guard = observer.guard(item)
    try:
        guard.__enter__()
    except CallBlocked as blocked:
        return _answered(item, feedback_text(blocked.decision))
    try:
        with guard.failing(), observer.running(item):
            outcome = run()
    except CallBlocked as blocked:
        if guard.stopped is None:
            raise
        return _answered(item, feedback_text(blocked.decision))
    return _released(guard, item, outcome)


async def arun_call(
    observer: RunObserver, item: Any, run: Callable[[], Awaitable[Outcome]]
) -> Outcome:
    """As `run_call`; the approver, and the tool, may be async."""
    feedback = observer.feedback(item)
    if feedback is not None:
        return _answered(item, feedback)
    guard = observer.guard(item)
    try:
        await guard.__aenter__()
    except CallBlocked as blocked:
        return _answered(item, feedback_text(blocked.decision))
    try:
        with guard.failing(), observer.running(item):
            outcome = await run()
    except CallBlocked as blocked:
        if guard.stopped is None:
            raise
        return _answered(item, feedback_text(blocked.decision))
    return _released(guard, item, outcome)


def _released(guard: Guard, item: Any, outcome: Outcome) -> Outcome:
    guard.value, guard.failed = output_value(outcome.output), outcome.failed
    try:
        guard.__exit__(None, None, None)
    except (CallBlocked, ResultBlocked) as blocked:
        return _answered(item, feedback_text(blocked.decision))
    return outcome


def _answered(item: Any, text: str) -> Outcome:
    of = {"type": "function_call_output", "call_id": item.call_id}
    return Outcome({**of, "output": text}, failed=False)


class ObservedFunctions:
    """The runner's own way to run a function, with the Shield around each call."""

    def __init__(self, execute: Callable[..., Any], observer: RunObserver) -> None:
        self._execute = execute
        self._observer = observer

    def run(self, run: Any, item: Any) -> dict[str, Any]:
        """Run a function of the host's."""
        return run_call(self._observer, item, lambda: Outcome(self._execute(run, item))).output

    async def arun(self, run: Any, item: Any) -> dict[str, Any]:
        """As `run`, of an async runner."""

        async def executed() -> Outcome:
            return Outcome(await self._execute(run, item))

        return (await arun_call(self._observer, item, executed)).output


class ObservedBrowser:
    """A browser toolset, with the Shield around each call of one of its tools."""

    def __init__(self, browser: Any, observer: RunObserver) -> None:
        self._browser = browser
        self._observer = observer

    def _execute(self, item: Any, **options: Any) -> tuple[dict[str, Any], bool]:
        def executed() -> Outcome:
            return _of_browser(self._browser._execute(item, **options))

        outcome = run_call(self._observer, item, executed)
        return outcome.output, not outcome.failed

    def __getattr__(self, name: str) -> Any:
        return getattr(self._browser, name)


class AsyncObservedBrowser(ObservedBrowser):
    """As `ObservedBrowser`, of an async runner."""

    async def _execute(self, item: Any, **options: Any) -> tuple[dict[str, Any], bool]:  # type: ignore[override]
        async def executed() -> Outcome:
            return _of_browser(await self._browser._execute(item, **options))

        outcome = await arun_call(self._observer, item, executed)
        return outcome.output, not outcome.failed


def _of_browser(result: tuple[dict[str, Any], bool]) -> Outcome:
    output, worked = result
    return Outcome(output, failed=not worked)
