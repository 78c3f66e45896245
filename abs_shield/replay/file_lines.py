"""Read the lines of a file, plain or gzip, with a bounded length, and parse them as JSON."""

from __future__ import annotations

import errno
import gzip
import io
import json
import sys
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import IO, Any

from abs_shield.text.safe_display import shown

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


_OPENINGS = (b"[", b"{", b"[{")


def read_record(line: bytes, *, noun: str = "a run") -> dict[str, Any]:
    """
    Return the object in *line*.

    Args:
        line: One line of a file of JSON lines.
        noun: The name of the object with its article, for the error.

    Raises:
        ValueError: The line is not UTF-8, not JSON or not an object; the message is one line,
            with a hint if a JSON file was passed instead of JSON lines.
    """
    try:
        # a byte order mark may begin any line of joined files
        record = json.loads(line.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        message = f"the line is not UTF-8 at byte {error.start}"
        raise ValueError(f"{message}; give JSON lines, plain or gzip") from None
    except json.JSONDecodeError as error:
        message = f"the line is not JSON: {error.msg} at character {error.pos}"
        raise ValueError(message + _hint(line)) from None
    except RecursionError:
        raise ValueError("the line is nested too deeply") from None
    except ValueError:  # Python limits the digits of an integer, as reading is quadratic
        raise ValueError("the line holds a number of too many digits") from None
    if isinstance(record, dict):
        return record
    message = f"{noun} is an object, not {shown(record)}"
    hint = _jq_hint(".[]") if isinstance(record, list) else "write one object a line"
    raise ValueError(f"{message}; {hint}")


def _hint(line: bytes) -> str:
    """Return a hint for a line that only opens a value, as in a formatted file."""
    # a formatted file has only an opening bracket on its first line
    if line.strip() not in _OPENINGS:
        return "; write one JSON object a line"
    path = ".[]" if line.strip().startswith(b"[") else "."
    return f"; {_jq_hint(path)}"


def _jq_hint(path: str) -> str:
    return f"write one object a line, as `jq -c '{path}' FILE` does"
