"""Steps: lines of Python that an action runs, and no clock."""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from cProfile import Profile
from types import FrameType
from typing import Any


class TracingLost(AssertionError):
    """Something has switched tracing off, so that a count of lines would be too small."""


@contextmanager
def collecting_nothing() -> Iterator[None]:
    """Keep the garbage collector, and what hypothesis calls after it, out of what is counted."""
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
        TracingLost: What ran before or within the action has switched tracing off. Python does so
            itself where the action recurses as deep as it may: the tracer cannot be called then.
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
    """Count the functions that an action calls, which works at any depth, and misses loops."""
    profile = Profile(builtins=True)
    with collecting_nothing():
        profile.runcall(action)
    return sum(entry.callcount for entry in profile.getstats())


def _one_line() -> None:
    """Be a line that must be counted."""
