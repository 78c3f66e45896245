"""Rows as lines of JSON, in ASCII."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import IO, Any


class Jsonl:
    """One JSON object per line."""

    def packed(self, rows: Iterable[dict[str, Any]]) -> bytes:
        """Return the rows as lines."""
        return "".join(f"{json.dumps(row)}\n" for row in rows).encode("ascii")

    def writer(self, file: IO[bytes]) -> _JsonlWriter:
        """Return a writer that concatenates lines."""
        return _JsonlWriter(file)


class _JsonlWriter:
    def __init__(self, file: IO[bytes]) -> None:
        self._file = file

    def write(self, packed: bytes) -> None:
        self._file.write(packed)
        self._file.flush()

    def finish(self) -> None:
        self._file.flush()

    def abandon(self) -> None:
        pass
