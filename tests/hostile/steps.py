"""Steps: lines of Python that an action runs, and no clock."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any


def steps(action: Callable[[], Any]) -> int:
    """
    Count the lines of Python that an action runs in this thread.

    Raises:
        AssertionError: What ran before or within the action has switched tracing off, so that the
            count would be too small.
    """
    count = 0

    def trace(frame: FrameType, event: str, arg: object) -> Any:
        nonlocal count
        count += 1
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        action()
        still = sys.gettrace()
        traced = count
        _one_line()
        counted = count > traced
    finally:
        sys.settrace(before)
    assert still is trace, f"tracing was replaced by {still!r}"
    assert counted, "tracing is switched off in this thread"
    return traced


def _one_line() -> None:
    """Be a line that must be counted."""
