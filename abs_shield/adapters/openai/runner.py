"""The tool runner for Responses: a turn is judged before it runs, and each call when it does."""

from __future__ import annotations

import inspect
from collections.abc import AsyncGenerator, Callable, Generator, Mapping
from copy import copy
from functools import partial, wraps
from importlib.metadata import version
from importlib.util import find_spec
from typing import Any, TypeVar

from abs_shield.adapters.openai.client import (
    AsyncObservedResponses,
    ObservedClient,
    ObservedResponses,
)
from abs_shield.adapters.openai.dispatch import (
    AsyncObservedBrowser,
    ObservedBrowser,
    ObservedFunctions,
)
from abs_shield.adapters.openai.observer import RunObserver
from abs_shield.errors import ShieldError
from abs_shield.session import Session
from abs_shield.shield import Shield

R = TypeVar("R")
_MODULE = "openai.lib.responses_tool_runner"
_SINCE = "3.31.0"
"""The first version of the SDK that has the module."""
_NEEDED = ("iterate", "_execute_function", "_tools", "_functions", "browser")
_SHOWN = ("on_event", "before_early_call")
"""The host's callbacks that are shown items of a response."""


def shielded_runner(runner: R, *, firewall: Shield, session: Session | None = None) -> R:
    """
    Put the firewall around a tool runner for Responses, before it is run.

    Args:
        runner: A ``ResponsesToolRunner`` or an ``AsyncResponsesToolRunner``. It is changed in
            place, and may be run again and again.
        firewall: The Shield.
        session: The session of its runs; where None, the current one, or one a run.

    Returns:
        The same runner.

    Raises:
        ShieldError: This is no such runner, or it has a firewall already.
    """
    lacking = [name for name in _NEEDED if not hasattr(runner, name)]
    if lacking:
        raise ShieldError(_not_a_runner(runner, lacking[0]))
    if "iterate" in vars(runner):
        raise ShieldError("this tool runner has a firewall already; a runner has one")
    original = runner.iterate  # type: ignore[attr-defined]

    @wraps(original)
    def iterate(client: Any, params: Any, **options: Any) -> Any:
        observer = RunObserver(
            runner,
            firewall=firewall,
            session=session,
            placeholder=_placeholder(runner, options),
            opening=_opening(params, options),
        )
        return _turns(runner, observer, client, params, options)

    runner.iterate = iterate  # type: ignore[attr-defined]
    return runner


def _not_a_runner(runner: Any, lacking: str) -> str:
    hint = "give a `ResponsesToolRunner`, or use `run_tool_calls`"
    if find_spec("openai") is None or find_spec("openai.lib") is None or find_spec(_MODULE) is None:
        installed = version("openai")
        hint = f"`ResponsesToolRunner` is in openai {_SINCE} or newer, and {installed} is installed"
        hint += '; update it (`pip install -U "abs-shield[openai]"`), or use `run_tool_calls`'
    kind = type(runner).__name__
    return f"{kind} is no tool runner of a known kind: it has no `{lacking}`; {hint}"


def _placeholder(runner: Any, options: Mapping[str, Any]) -> str | None:
    """Return a name for a tool of ours; None where the run's ledger would show it."""
    if options.get("ledger") is not None or not runner._tools:
        return None
    name, taken = "blocked_call", {tool.get("name") for tool in runner._tools}
    while name in taken:
        name += "_"
    return name


def _opening(params: Any, options: Mapping[str, Any]) -> list[Any] | None:
    """Return the input of a run from whose requests the SDK may leave out results; else None."""
    if options.get("context_budget") is None:
        return None
    saved = getattr(options.get("ledger"), "resume_from", None)
    history = saved.get("history") if type(saved) is dict else None
    given = params.get("input") if type(params) is dict else None
    given = [{"role": "user", "content": given}] if isinstance(given, str) else given
    # the SDK refuses other kinds of lists before it reads them
    return [item for part in (history, given) if type(part) is list for item in part]


def _turns(
    runner: Any, observer: RunObserver, client: Any, params: Any, options: dict[str, Any]
) -> Any:
    """Begin one run, by a copy of the runner that shares what it is busy with."""
    this, is_async = copy(runner), inspect.iscoroutinefunction(runner._execute_function)
    del this.iterate
    functions = ObservedFunctions(runner._execute_function, observer)
    this._execute_function = functions.arun if is_async else functions.run
    if runner.browser is not None:
        browser = AsyncObservedBrowser if is_async else ObservedBrowser
        this.browser = browser(runner.browser, observer)
    if observer.placeholder is not None:
        _register(this, observer.placeholder)
    for name in _SHOWN:
        if callable(callback := options.get(name)):
            options[name] = partial(_shown_to, callback, observer)
    kind = AsyncObservedResponses if is_async else ObservedResponses
    observed = partial(kind, observer=observer, eager=bool(options.get("eager")))
    turns = this.iterate(ObservedClient(client, observed), params, **options)
    return (_AsyncTurns if is_async else _Turns)(turns, observer)


def _register(runner: Any, name: str) -> None:
    from openai.lib.responses_tool_runner import RegisteredFunction  # not in every version

    none = {"type": "object", "properties": {}}
    tool: Any = {"type": "function", "name": name, "parameters": none, "strict": False}
    runner._tools = [*runner._tools, tool]
    runner._functions = {**runner._functions, name: RegisteredFunction(tool, execute=str)}


def _shown_to(callback: Callable[[Any], Any], observer: RunObserver, shown: Any) -> Any:
    return callback(observer.restored(shown))


class _Turns(Generator[Any, Any, None]):
    """The turns of a run, as the host reads them."""

    def __init__(self, turns: Any, observer: RunObserver) -> None:
        self._turns = turns
        self._observer = observer

    def send(self, value: Any) -> Any:
        """Go on to the next turn."""
        with self._observer.step():
            return self._observer.restored(self._turns.send(value))

    def throw(self, *error: Any) -> Any:
        """Go on with an error."""
        with self._observer.step():
            return self._observer.restored(self._turns.throw(*error))

    def close(self) -> None:
        """End the run."""
        try:
            self._turns.close()
        finally:
            self._observer.end()


class _AsyncTurns(AsyncGenerator[Any, Any]):
    """As `_Turns`, of an async runner."""

    def __init__(self, turns: Any, observer: RunObserver) -> None:
        self._turns = turns
        self._observer = observer

    async def asend(self, value: Any) -> Any:
        """Go on to the next turn."""
        with self._observer.step():
            return self._observer.restored(await self._turns.asend(value))

    async def athrow(self, *error: Any) -> Any:
        """Go on with an error."""
        with self._observer.step():
            return self._observer.restored(await self._turns.athrow(*error))

    async def aclose(self) -> None:
        """End the run."""
        try:
            await self._turns.aclose()
        finally:
            self._observer.end()
