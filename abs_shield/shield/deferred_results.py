"""Completion of an admitted call: at return, when awaited, or at the end of a generator."""

from __future__ import annotations

import functools
import inspect
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator
from typing import TYPE_CHECKING, Any, Self

from abs_shield.session.session_context import stop_running
from abs_shield.shield.execution_outcome import IN_PARTS, UNKNOWN
from abs_shield.shield.guard import Guard

if TYPE_CHECKING:
    from asyncio import Future

_DATA = frozenset({str, int, float, bool, type(None), dict, list, tuple})
"""Types of most results, which are not awaitable: `inspect.isawaitable` is slow."""
_MOST_ITEMS = 1_000
"""Maximum number of items of a generator that are collected, because it may be endless."""


def finish_dispatch(value: Any, guard: Guard) -> Any:
    """Return the result of a dispatched tool; a generator continues under its guard."""
    if inspect.isgenerator(value):
        guard.leave()
        return guard_items(value, guard)
    if inspect.isasyncgen(value):
        guard.leave()
        return aguard_items(value, guard)
    guard.value = value
    guard.__exit__(None, None, None)
    return value


def finish_function_call(value: Any, guard: Guard) -> Any:
    """Return the result of a function; the call of an awaitable is closed when it is done."""
    # An awaitable async context manager is usually entered: `async with connect()`.
    if type(value) not in _DATA and inspect.isawaitable(value) and not hasattr(value, "__aenter__"):
        return _finish_awaitable(value, guard)
    guard.value = value
    guard.__exit__(None, None, None)
    return value


def _finish_awaitable(value: Any, guard: Guard) -> Any:
    """Return an awaitable that closes the call when it is done; some kinds cannot be read."""
    from asyncio import Future  # imported lazily: slow, and sync programs do not need it

    if inspect.iscoroutine(value):
        guard.leave()
        return _await_result(value, guard)
    if isinstance(value, Future):
        guard.leave()
        value.add_done_callback(functools.partial(_record_future, guard))
        return value
    # e.g. a query, which may be refined before it runs
    guard.mark_unread("it returned an awaitable object")
    guard.__exit__(None, None, None)
    return value


def _record_future(guard: Guard, done: Future[Any]) -> None:
    from asyncio import CancelledError

    # `exception()` would raise for a cancelled future.
    error = CancelledError() if done.cancelled() else done.exception()
    guard.delivered = True
    guard.value = None if error else done.result()
    guard.__exit__(type(error) if error else None, error, None)


async def _await_result(value: Awaitable[Any], guard: Guard) -> Any:
    token = guard.mark_running()
    try:
        guard.value = await value
    # Includes a cancellation: otherwise the call would stay open in the session.
    except BaseException as error:
        guard.__exit__(type(error), error, error.__traceback__)
        raise
    finally:
        stop_running(token)
    guard.__exit__(None, None, None)
    return guard.value


def guard_items(items: Generator[Any, Any, Any], guard: Guard) -> Generator[Any, Any, Any]:
    """Yield the items of a generator, which runs under its guard."""
    # One step at a time, so that the context is marked only while the tool's own code runs.
    step: Callable[[], Any] = functools.partial(items.send, None)
    with _CollectedItems(guard) as collected:
        try:
            while True:
                token = guard.mark_running()
                try:
                    item = step()
                finally:
                    stop_running(token)
                collected.add(item)
                try:
                    step = functools.partial(items.send, (yield item))
                # Ends the loop; all other exceptions are thrown into the generator.
                except GeneratorExit:
                    raise
                except BaseException as thrown:
                    step = functools.partial(items.throw, thrown)
        except StopIteration as end:
            collected.is_whole = True
            return end.value
        finally:
            items.close()


async def aguard_items(items: AsyncGenerator[Any, Any], guard: Guard) -> AsyncGenerator[Any, Any]:
    """Yield the items of an async generator, which runs under its guard."""
    step: Callable[[], Any] = functools.partial(items.asend, None)
    with _CollectedItems(guard) as collected:
        try:
            while True:
                token = guard.mark_running()
                try:
                    item = await step()
                finally:
                    stop_running(token)
                collected.add(item)
                try:
                    step = functools.partial(items.asend, (yield item))
                except GeneratorExit:
                    raise
                except BaseException as thrown:
                    step = functools.partial(items.athrow, thrown)
        except StopAsyncIteration:
            collected.is_whole = True
        finally:
            await items.aclose()


class _CollectedItems:
    """
    A context manager that collects the items of a generator, and closes its call at the end.

    Attributes:
        is_whole: Whether the generator was exhausted.
    """

    def __init__(self, guard: Guard) -> None:
        self.is_whole = False
        self._guard = guard
        self._items: list[Any] = []

    def add(self, item: Any) -> None:
        if len(self._items) < _MOST_ITEMS:
            self._items.append(item)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: object, error: BaseException | None, traceback: object) -> None:
        # A caller that stops after some items is not an error of the tool.
        if isinstance(error, GeneratorExit):
            error = None
        guard = self._guard
        guard.delivered, guard.value = True, self._items
        guard.judges = _single_result(self._items) if self.is_whole else UNKNOWN
        guard.__exit__(type(error) if error else None, error, None)


def _single_result(collected: list[Any]) -> Any:
    """Return the single result of a generator: its only item, or its texts joined."""
    # A single item is the result itself; several texts are usually one streamed text.
    if len(collected) == 1:
        return collected[0]
    if collected and all(type(item) is str for item in collected):
        return "".join(collected)
    return IN_PARTS if collected else UNKNOWN


def abandon(awaitable: Any) -> None:
    """Close a coroutine, or cancel a future, that will not be awaited."""
    for name in ("close", "cancel"):
        if hasattr(awaitable, name):
            getattr(awaitable, name)()
            return
