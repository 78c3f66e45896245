"""What a format of rows can do."""

from __future__ import annotations

from collections.abc import Iterable
from typing import IO, Any, Protocol


class RowWriter(Protocol):
    """Joins packed rows in one file."""

    def write(self, packed: bytes) -> None:
        """Add the rows of one chunk."""
        ...

    def finish(self) -> None:
        """Write what is still held, and what ends the file."""
        ...

    def abandon(self) -> None:
        """Let go of a file that will not be completed."""
        ...


class RowFile(Protocol):
    """A format of rows."""

    def packed(self, rows: Iterable[dict[str, Any]]) -> bytes:
        """Give rows, as `abs_shield.replay.row` makes them, in bytes that the writer takes."""
        ...

    def writer(self, file: IO[bytes]) -> RowWriter:
        """
        Begin a file.

        Raises:
            ReplayError: The format needs a package that is not installed.
        """
        ...
