"""Our own failures, named so that they hold no value of a call."""

from __future__ import annotations

import traceback
from typing import NamedTuple


class Fault(NamedTuple):
    """Our own failure: the layer that could not look, or ``door`` for all of them, and why."""

    layer: str
    message: str

    def __str__(self) -> str:
        return f"{self.layer} could not run: {self.message}"


def place_of(error: BaseException) -> str:
    """Name an exception by type and place; its text may hold argument values."""
    frames = traceback.extract_tb(error.__traceback__)
    place = f" at {frames[-1].filename}:{frames[-1].lineno}" if frames else ""
    return f"{type(error).__name__}{place}"
