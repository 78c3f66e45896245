"""Read the lines of a file, plain or gzip, with a bounded length."""

from __future__ import annotations

import errno
import gzip
import io
import sys
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import IO, Any

LONGEST = 64 << 20
"""Longest line that is read, in bytes; longer ones are skipped, as parsing takes much more."""
_GZIP = b"\x1f\x8b"
_BOM = b"\xef\xbb\xbf"
_PIECE = 1 << 10  # at most this much before a damage is lost
_DAMAGED = (EOFError, zlib.error, gzip.BadGzipFile)


@dataclass(frozen=True, slots=True)
class BadLine:
    """A line that could not be read; *line* counts from 1, *reason* is one line."""

    path: str
    line: int
    reason: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.reason}"


def lines(
    path: str, *, on_bytes: Callable[[int], object] | None = None
) -> Iterator[tuple[int, bytes] | BadLine]:
    """
    Yield each line of *path* that is not blank, with its number.

    Args:
        path: A file, plain or gzip (detected by its first bytes); ``"-"`` is standard input.
        on_bytes: Called with the number of bytes of each read, before decompression.

    Raises:
        OSError: The file cannot be opened or read.
    """
    number = 0
    with _file(path) as file:
        stream = _unpacked(file, on_bytes)
        try:
            while line := stream.readline(LONGEST + 1):
                number += 1
                # read to its end, but not stored
                if len(line) > LONGEST and not line.endswith(b"\n"):
                    _skip(stream)
                    yield BadLine(path, number, f"the line is longer than {LONGEST} bytes")
                elif line.strip():
                    # some editors of Windows write this mark
                    yield number, line.removeprefix(_BOM) if number == 1 else line
        except _DAMAGED:  # the lines before the damage are yielded
            yield BadLine(path, number + 1, "the gzip data is damaged; the rest is not read")


@contextmanager
def _file(path: str) -> Iterator[IO[bytes]]:
    if path == "-":
        if sys.stdin is None:
            raise OSError(errno.EBADF, "the standard input is closed; name a file", "-")
        yield sys.stdin.buffer
    else:
        with open(path, "rb") as file:
            yield file


def _unpacked(file: IO[bytes], on_bytes: Callable[[int], object] | None) -> IO[bytes]:
    stream = io.BufferedReader(_Counted(file, on_bytes), 1 << 18)  # 256 kB a read
    if stream.peek(2)[:2] != _GZIP:
        return stream
    return io.BufferedReader(_Inflated(gzip.GzipFile(fileobj=stream)), 1 << 18)


def _skip(stream: IO[bytes]) -> None:
    while (rest := stream.readline(1 << 20)) and not rest.endswith(b"\n"):
        pass


class _Inflated(io.RawIOBase):
    """Decompresses in small pieces, so that damaged data loses at most one piece before it."""

    def __init__(self, file: gzip.GzipFile) -> None:
        self._file = file
        self._damage: Exception | None = None

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        size = 0
        while size < len(buffer) and self._damage is None:
            try:
                piece = self._file.read(min(_PIECE, len(buffer) - size))
            except _DAMAGED as error:
                self._damage = error
                break
            if not piece:
                break
            buffer[size : size + len(piece)] = piece
            size += len(piece)
        # first the data before the damage, then the damage
        if self._damage is not None and not size:
            raise self._damage
        return size


class _Counted(io.RawIOBase):
    """Reports how many bytes are read; closing it leaves the file open."""

    def __init__(self, file: IO[bytes], on_bytes: Callable[[int], object] | None) -> None:
        # `read1` returns what is there, so that a pipe shows progress
        self._read: Callable[[int], bytes] = getattr(file, "read1", file.read)
        self._on_bytes = on_bytes

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        data = self._read(len(buffer))
        buffer[: len(data)] = data
        if self._on_bytes is not None:
            self._on_bytes(len(data))
        return len(data)
