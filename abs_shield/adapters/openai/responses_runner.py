"""
The tool runner for Responses, in which a Shield judges each turn, and each call before it runs.
"""

from __future__ import annotations

import inspect
from collections.abc import AsyncGenerator, Callable, Generator, Mapping
from copy import copy
from functools import partial, wraps
from importlib.metadata import version
from importlib.util import find_spec
from typing import Any, TypeVar

from abs_shield.adapters.openai.call_dispatch import (
    AsyncObservedBrowser,
    ObservedBrowser,
    ObservedFunctions,
)
from abs_shield.adapters.openai.observed_client import (
    AsyncObservedResponses,
    ObservedClient,
    ObservedResponses,
)
from abs_shield.adapters.openai.run_observer import RunObserver
from abs_shield.errors import ShieldError
from abs_shield.session import Session
from abs_shield.shield import Shield

R = TypeVar("R")
_MODULE = "openai.lib.responses_tool_runner"
_SINCE = "3.31.0"
"""The first version of the SDK that has the module."""
# undocumented parts of the SDK that this module replaces or reads
_REQUIRED_ATTRIBUTES = ("iterate", "_execute_function", "_tools", "_functions", "browser")
_CALLBACKS = ("on_event", "before_early_call")
"""Callbacks of the host that receive items of a response."""


def shielded_runner(runner: R, *, firewall: Shield, session: Session | None = None) -> R:
    """
    Let the Shield judge the calls of a tool runner for Responses; use it before the runner runs.

    Args:
        runner: A ``ResponsesToolRunner`` or an ``AsyncResponsesToolRunner``. It is changed in
            place, and can be run many times.
        firewall: The Shield.
        session: The session of its runs; None for the current one, or one per run.

    Returns:
        The same runner.

    Raises:
        ShieldError: *runner* is not such a runner, or it already has a Shield.
    """
    missing = [name for name in _REQUIRED_ATTRIBUTES if not hasattr(runner, name)]
    if missing:
        raise ShieldError(_unsupported_message(runner, missing[0]))
    # two Shields would judge and count each call twice
    if "iterate" in vars(runner):
        raise ShieldError("this tool runner already has a Shield; use one Shield for each runner")
    original = runner.iterate  # type: ignore[attr-defined]

    @wraps(original)
    def iterate(client: Any, params: Any, **options: Any) -> Any:
        observer = RunObserver(
            runner,
            firewall=firewall,
            session=session,
            placeholder=_placeholder(runner, options),
            run_input=_run_input(params, options),
        )
        return _start_run(runner, observer, client, params, options)

    runner.iterate = iterate  # type: ignore[attr-defined]
    return runner


def _unsupported_message(runner: Any, missing: str) -> str:
    hint = "pass a `ResponsesToolRunner`, or use `run_tool_calls`"
    if find_spec("openai") is None or find_spec("openai.lib") is None or find_spec(_MODULE) is None:
        installed = version("openai")
        hint = f"`ResponsesToolRunner` is in openai {_SINCE} or newer, and {installed} is installed"
        hint += '; update it (`pip install -U "abs-shield[openai]"`), or use `run_tool_calls`'
    kind = type(runner).__name__
    return f"{kind} is not a supported tool runner: it has no `{missing}`; {hint}"


def _placeholder(runner: Any, options: Mapping[str, Any]) -> str | None:
    """Return a name for the placeholder tool; None if the run's ledger would contain it."""
    if options.get("ledger") is not None or not runner._tools:
        return None
    name, taken = "blocked_call", {tool.get("name") for tool in runner._tools}
    while name in taken:  # the host's tools may have any name
        name += "_"
    return name


def _run_input(params: Any, options: Mapping[str, Any]) -> list[Any] | None:
    """Return the input of a run, if the SDK may omit results from its requests; else None."""
    if options.get("context_budget") is None:
        return None
    ledger_state = getattr(options.get("ledger"), "resume_from", None)
    history = ledger_state.get("history") if type(ledger_state) is dict else None
    input_items = params.get("input") if type(params) is dict else None
    input_items = (
        [{"role": "user", "content": input_items}] if isinstance(input_items, str) else input_items
    )
    # the SDK rejects other kinds of lists before it reads them
    return [item for part in (history, input_items) if type(part) is list for item in part]


def _start_run(
    runner: Any, observer: RunObserver, client: Any, params: Any, options: dict[str, Any]
) -> Any:
    """Start one run with a copy of the runner that shares its state."""
    # a copy for each run, because one runner may have several concurrent runs
    run_copy, is_async = copy(runner), inspect.iscoroutinefunction(runner._execute_function)
    del run_copy.iterate
    functions = ObservedFunctions(runner._execute_function, observer)
    run_copy._execute_function = functions.arun if is_async else functions.run
    if runner.browser is not None:
        browser = AsyncObservedBrowser if is_async else ObservedBrowser
        run_copy.browser = browser(runner.browser, observer)
    if observer.placeholder is not None:
        _register_placeholder(run_copy, observer.placeholder)
    for name in _CALLBACKS:
        if callable(callback := options.get(name)):
            options[name] = partial(_call_with_original, callback, observer)
    kind = AsyncObservedResponses if is_async else ObservedResponses
    observed = partial(kind, observer=observer, eager=bool(options.get("eager")))
    turns = run_copy.iterate(ObservedClient(client, observed), params, **options)
    return (_AsyncTurns if is_async else _Turns)(turns, observer)


def _register_placeholder(runner: Any, name: str) -> None:
    from openai.lib.responses_tool_runner import RegisteredFunction  # not in every version

    none = {"type": "object", "properties": {}}
    tool: Any = {"type": "function", "name": name, "parameters": none, "strict": False}
    runner._tools = [*runner._tools, tool]
    runner._functions = {**runner._functions, name: RegisteredFunction(tool, execute=str)}


def _call_with_original(callback: Callable[[Any], Any], observer: RunObserver, shown: Any) -> Any:
    return callback(observer.restore(shown))


class _Turns(Generator[Any, Any, None]):
    """The turns of a run, as the host reads them."""

    def __init__(self, turns: Any, observer: RunObserver) -> None:
        self._turns = turns
        self._observer = observer

    def send(self, value: Any) -> Any:
        """Continue with the next turn."""
        with self._observer.end_on_error():
            return self._observer.restore(self._turns.send(value))

    def throw(self, *error: Any) -> Any:
        """Continue with an error."""
        with self._observer.end_on_error():
            return self._observer.restore(self._turns.throw(*error))

    def close(self) -> None:
        """End the run."""
        try:
            self._turns.close()
        finally:
            self._observer.end()


class _AsyncTurns(AsyncGenerator[Any, Any]):
    """Async version of `_Turns`."""

    def __init__(self, turns: Any, observer: RunObserver) -> None:
        self._turns = turns
        self._observer = observer

    async def asend(self, value: Any) -> Any:
        """Continue with the next turn."""
        with self._observer.end_on_error():
            return self._observer.restore(await self._turns.asend(value))

    async def athrow(self, *error: Any) -> Any:
        """Continue with an error."""
        with self._observer.end_on_error():
            return self._observer.restore(await self._turns.athrow(*error))

    async def aclose(self) -> None:
        """End the run."""
        try:
            await self._turns.aclose()
        finally:
            self._observer.end()
