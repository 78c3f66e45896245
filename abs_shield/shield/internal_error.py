"""Internal errors, described without any value of a call."""

from __future__ import annotations

import traceback
from typing import NamedTuple


class Fault(NamedTuple):
    """An internal error: its layer, or ``call check`` for all layers, and the message."""

    layer: str
    message: str

    def __str__(self) -> str:
        return f"{self.layer} could not run: {self.message}"


def error_location(error: BaseException) -> str:
    """Return the type and location of an exception, without its text, which may quote values."""
    # The innermost frame, which raised it.
    frames = traceback.extract_tb(error.__traceback__)
    place = f" at {frames[-1].filename}:{frames[-1].lineno}" if frames else ""
    return f"{type(error).__name__}{place}"
