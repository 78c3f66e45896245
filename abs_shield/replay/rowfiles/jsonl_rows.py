"""Rows as lines of JSON, in ASCII."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import IO, Any


class Jsonl:
    """One object a line."""

    def packed(self, rows: Iterable[dict[str, Any]]) -> bytes:
        """Return the lines."""
        return "".join(f"{json.dumps(row)}\n" for row in rows).encode("ascii")

    def writer(self, file: IO[bytes]) -> _JsonlWriter:
        """Lines are only joined."""
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
