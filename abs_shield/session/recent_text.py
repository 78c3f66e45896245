"""The newest text of a run as it is written, for spellings that no table of the index holds."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import islice
from operator import attrgetter
from typing import NamedTuple

from abs_shield.text.normal import unspaced
from abs_shield.text.tight import Tight

_BLOCK = 8 * 1024
"""Letters that are searched at once."""
_MOST_TEXTS = 1_000


class At(NamedTuple):
    """Where something stood first: at which trust, in which version of the log."""

    level: int
    version: int


class _Block:
    """Some texts after each other, without their separators."""

    __slots__ = ("_ats", "_starts", "size", "spelt_apart", "tight")

    def __init__(self) -> None:
        self._ats: list[At] = []
        self._starts: list[int] = []
        self.size = 0
        self.spelt_apart = True
        self.tight = Tight("", b"", b"")

    def add(self, text: str, at: At) -> None:
        self._starts.append(len(self.tight.letters))
        self._ats.append(at)
        self.size += len(text)
        self.spelt_apart = self.spelt_apart and not unspaced(text)
        self.tight = self.tight.followed(Tight.of(text))

    def find(self, letters: str, spelt: bytes | None, *, whole: bool) -> Iterator[At]:
        """Where *letters* stand, once for each text that holds them."""
        place = self.tight.place(letters, spelt, whole=whole)
        while place >= 0:
            after = bisect_right(self._starts, place)
            yield self._ats[after - 1]
            if after == len(self._starts):
                return
            place = self.tight.place(letters, spelt, whole=whole, start=self._starts[after])


class RecentText:
    """
    The newest *limit* characters of text; it is read when first asked for.

    Attributes:
        forgot: Whether text was dropped that no table can stand for: of a script without blanks.
        whole: Whether nothing was dropped, and nothing was left out.
    """

    __slots__ = ("_blocks", "_limit", "_new", "_size", "forgot", "whole")

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._new: list[tuple[str, At]] = []
        self._blocks: list[_Block] = []
        self._size = 0
        self.forgot = False
        self.whole = True

    @property
    def size(self) -> int:
        """Characters that are kept."""
        return self._size

    def add(self, text: str, at: At) -> None:
        """Keep *text*; what is older makes room."""
        self._new.append((text, at))
        self._size += len(text)
        while self._size > self._limit and len(self._blocks) + len(self._new) > 1:
            self._drop()

    def find(self, letters: str, spelt: bytes | None, *, whole: bool = False) -> At | None:
        """Where *letters* stand with separators like *spelt*, or any: the most trusted place."""
        self._settle()
        found = (at for block in self._blocks for at in block.find(letters, spelt, whole=whole))
        return min(islice(found, _MOST_TEXTS), key=attrgetter("level"), default=None)

    def may_hold(self, several: set[str]) -> bool:
        """Return whether some letters stand after each other, whatever stands between them."""
        self._settle()
        return any(one in block.tight.letters for block in self._blocks for one in several)

    def holds_row(self, found: Sequence[str]) -> bool:
        """Return whether chunks stand after each other; true where that is not known."""
        if not self.whole:
            return True
        self._settle()
        row = Tight.of(" ".join(found))
        return any(block.tight.holds_row(row) for block in self._blocks)

    def _settle(self) -> None:
        """Read what was added since."""
        new, self._new = self._new, []
        for text, at in new:
            if not self._blocks or self._blocks[-1].size >= _BLOCK:
                self._blocks.append(_Block())
            self._blocks[-1].add(text, at)

    def _drop(self) -> None:
        """Let go of the oldest block; of the oldest text, where none was read yet."""
        self.whole = False
        if not self._blocks:
            text, _ = self._new.pop(0)
            self._size -= len(text)
            self.forgot = self.forgot or unspaced(text)
            return
        dropped = self._blocks.pop(0)
        self._size -= dropped.size
        self.forgot = self.forgot or not dropped.spelt_apart
