"""Calls of a sync or async judge, from sync or async code, with a time-out."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Generator
from concurrent.futures import Future, wait
from contextvars import copy_context
from threading import Thread
from typing import Any, Generic, NamedTuple, TypeVar

from abs_shield.model.judge import Judge, Message

# threads that wait for a server that hangs; more would wait, too, and cost memory
_MOST_ABANDONED = 64
_ABANDONED: set[Future[Any]] = set()
"""Timed-out calls: their threads cannot be stopped, so their number is bounded."""


def call(judge: Judge, messages: list[Message], schema: dict[str, Any], *, timeout_s: float) -> Any:
    """Return the judge's reply, the exception that it raised, or a TimeoutError."""

    def ask() -> Any:
        value = judge(messages, schema)
        return _run(value, timeout_s) if inspect.isawaitable(value) else value

    try:
        future = _start(ask)
        wait([future], timeout_s)
        return future.result() if future.done() else _abandon(future, timeout_s)
    except Exception as error:
        return error


async def acall(
    judge: Judge, messages: list[Message], schema: dict[str, Any], *, timeout_s: float
) -> Any:
    """Do the same as `call` without blocking the event loop; an async judge runs on this loop."""
    import asyncio  # sync programs start faster without it

    # a sync client would block the loop, or need a thread
    twin: Any = getattr(judge, "acall", judge)
    future: Future[Any] | None = None
    try:
        async with asyncio.timeout(timeout_s) as limit:
            if _is_async(twin):
                return await twin(messages, schema)
            future = _start(lambda: twin(messages, schema))
            value = await asyncio.wrap_future(future)
            return await value if inspect.isawaitable(value) else value
    except Exception as error:
        # the judge may raise a TimeoutError of its own, whose text is reported as it is
        if not (isinstance(error, TimeoutError) and limit.expired()):
            return error
        return _abandon(future, timeout_s)


def _is_async(judge: Any) -> bool:
    return inspect.iscoroutinefunction(judge) or inspect.iscoroutinefunction(
        getattr(judge, "__call__", None)  # noqa: B004 - which kind of function it is
    )


def _run(value: Any, timeout_s: float) -> Any:
    """Await the coroutine of an async judge on a new event loop."""
    import asyncio  # as above

    async def awaited() -> Any:
        try:
            async with asyncio.timeout(timeout_s) as limit:
                return await value
        # a TimeoutError of the judge is not the expiry of this time-out
        except TimeoutError as error:
            return _timeout_error(timeout_s) if limit.expired() else error

    return asyncio.run(awaited())


def _abandon(future: Future[Any] | None, timeout_s: float) -> TimeoutError:
    if future is not None:
        _ABANDONED.add(future)
        future.add_done_callback(_ABANDONED.discard)
    return _timeout_error(timeout_s)


def _timeout_error(timeout_s: float) -> TimeoutError:
    return TimeoutError(f"no reply within {timeout_s:g} s")


def _start(task: Callable[[], Any]) -> Future[Any]:
    """Start a thread of its own: a pool would wait at exit for a call that hangs."""
    if len(_ABANDONED) >= _MOST_ABANDONED:
        raise TimeoutError(f"{_MOST_ABANDONED} earlier calls have not returned")
    future: Future[Any] = Future()
    future.set_running_or_notify_cancel()
    # the judge sees the caller's trace and context variables, although it runs in a thread
    context = copy_context()

    def run() -> None:
        try:
            value = context.run(task)
        except Exception as error:
            value = error
        # KeyboardInterrupt or SystemExit: raised in the caller, not treated as a reply
        except BaseException as error:
            future.set_exception(error)
            return
        future.set_result(value)

    try:
        Thread(target=run, name="abs_shield judge", daemon=True).start()
    except RuntimeError:  # Python 3.12 and later start none while a process ends
        run()
    return future


T = TypeVar("T")
Y = TypeVar("Y")
S = TypeVar("S")


class Done(NamedTuple, Generic[T]):
    """The end of a generator, with its returned value."""

    value: T


def advance(steps: Generator[Y, S | None, T], sent: S | None = None) -> Y | Done[T]:
    """Send a value to a generator (None to start it); return its next value or `Done`."""
    try:
        return steps.send(sent)
    except StopIteration as end:
        return Done(end.value)
