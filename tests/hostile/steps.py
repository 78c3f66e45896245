"""Counts of the lines of Python that an action runs, as a measure that needs no clock."""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from cProfile import Profile
from types import FrameType
from typing import Any


class TracingLost(AssertionError):
    """Tracing was switched off, so the number of counted lines would be too small."""


@contextmanager
def collecting_nothing() -> Iterator[None]:
    """Disable the garbage collector and its callbacks, so that they are not counted."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def steps(action: Callable[[], Any]) -> int:
    """
    Count the lines of Python that an action runs in this thread.

    Raises:
        TracingLost: Tracing was switched off before or within the action. Python does so itself
            if the action recurses to the limit, because it cannot call the tracer then.
    """
    count = 0

    def trace(frame: FrameType, event: str, arg: object) -> Any:
        nonlocal count
        count += 1
        return trace

    before = sys.gettrace()
    with collecting_nothing():
        sys.settrace(trace)
        try:
            action()
            still = sys.gettrace()
            traced = count
            _one_line()
            counted = count > traced
        finally:
            sys.settrace(before)
    if still is not trace:
        raise TracingLost(f"tracing was replaced by {still!r}")
    if not counted:
        raise TracingLost("tracing is switched off in this thread")
    return traced


def calls(action: Callable[[], Any]) -> int:
    """Count the function calls of an action; this works at any depth, but misses loops."""
    profile = Profile(builtins=True)
    with collecting_nothing():
        profile.runcall(action)
    return sum(entry.callcount for entry in profile.getstats())


def _one_line() -> None:
    """Run one line, to test whether lines are counted."""
