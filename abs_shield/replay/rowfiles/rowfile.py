"""The interface of a row format."""

from __future__ import annotations

from collections.abc import Iterable
from typing import IO, Any, Protocol


class RowWriter(Protocol):
    """Joins encoded rows in one file."""

    def write(self, packed: bytes) -> None:
        """Add the rows of one chunk."""
        ...

    def finish(self) -> None:
        """Write the remaining rows and the end of the file."""
        ...

    def abandon(self) -> None:
        """Close a file that will not be completed."""
        ...


class RowFile(Protocol):
    """A format of rows."""

    def packed(self, rows: Iterable[dict[str, Any]]) -> bytes:
        """Return rows, as `abs_shield.replay.row` creates them, encoded for the writer."""
        ...

    def writer(self, file: IO[bytes]) -> RowWriter:
        """
        Start a file.

        Raises:
            ReplayError: The format needs a package that is not installed.
        """
        ...
