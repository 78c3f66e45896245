"""Where in the user's own code something was declared."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field

_SKIPPED_PACKAGES = frozenset({"abs_shield", "pydantic"})
_MOST_FRAMES = 100


@dataclass(frozen=True, slots=True)
class SourceLocation:
    """
    A file and a line; line 0 where only the file is known.

    Any two places are equal: where a thing was declared is no part of what it says.
    """

    file: str = field(default="", compare=False)
    line: int = field(default=0, compare=False)

    def __str__(self) -> str:
        return f"{self.file}:{self.line}" if self.line else self.file


def caller_location() -> SourceLocation:
    """Give the nearest caller outside this package."""
    frame = sys._getframe(1)
    for _ in range(_MOST_FRAMES):
        if str(frame.f_globals.get("__name__", "")).partition(".")[0] not in _SKIPPED_PACKAGES:
            return SourceLocation(frame.f_code.co_filename, frame.f_lineno)
        if frame.f_back is None:
            break
        frame = frame.f_back
    return SourceLocation()
