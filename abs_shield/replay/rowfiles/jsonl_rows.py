"""Rows as lines of JSON, in ASCII."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import IO, Any


class Jsonl:
    """One JSON object per line."""

    def packed(self, rows: Iterable[dict[str, Any]]) -> bytes:
        """Return the rows as lines."""
        # in ASCII, so that the encoding of a terminal or a file is no matter
        return "".join(f"{json.dumps(row)}\n" for row in rows).encode("ascii")

    def writer(self, file: IO[bytes]) -> _JsonlWriter:
        """Return a writer that concatenates lines."""
        return _JsonlWriter(file)


class _JsonlWriter:
    def __init__(self, file: IO[bytes]) -> None:
        self._file = file

    def write(self, packed: bytes) -> None:
        self._file.write(packed)
        self._file.flush()  # each chunk at once, so that a reader of a pipe sees progress

    def finish(self) -> None:
        self._file.flush()

    def abandon(self) -> None:
        pass  # the lines so far are a valid file
