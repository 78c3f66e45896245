"""The file and line at which the user's code declares something."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field

_SKIPPED_PACKAGES = frozenset({"abs_shield", "pydantic"})
_MOST_FRAMES = 100  # a recursion of thousands of frames would be walked for every declaration


@dataclass(frozen=True, slots=True)
class SourceLocation:
    """
    A file and a line; line 0 if only the file is known.

    Any two locations are equal, so that declarations compare by content alone.
    """

    file: str = field(default="", compare=False)
    line: int = field(default=0, compare=False)

    def __str__(self) -> str:
        return f"{self.file}:{self.line}" if self.line else self.file


def caller_location() -> SourceLocation:
    """Return the location of the nearest caller outside this package."""
    # `sys._getframe`, as `inspect.stack` reads the source of every frame from the disk.
    frame = sys._getframe(1)
    for _ in range(_MOST_FRAMES):
        # pydantic stands between a declaration and the line that makes it.
        if str(frame.f_globals.get("__name__", "")).partition(".")[0] not in _SKIPPED_PACKAGES:
            return SourceLocation(frame.f_code.co_filename, frame.f_lineno)
        if frame.f_back is None:
            break
        frame = frame.f_back
    return SourceLocation()
