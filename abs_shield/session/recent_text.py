"""The newest raw text of a run, searched for spellings that no table of the index contains."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import islice
from operator import attrgetter
from typing import NamedTuple

from abs_shield.text.normal_form import is_unspaced_script
from abs_shield.text.separatorless import SeparatorlessText

_BLOCK = 8 * 1024
"""Letters that are searched in one pass; a block is dropped as a whole."""
# texts; a common word occurs in all, and the most trusted one is usually among the first
_MOST_TEXTS = 1_000


class At(NamedTuple):
    """The position where something first occurred: its trust level and log version."""

    level: int
    version: int


class _Block:
    """Several texts in a row, without their separators."""

    __slots__ = ("_ats", "_starts", "size", "spelt_apart", "tight")

    def __init__(self) -> None:
        self._ats: list[At] = []
        self._starts: list[int] = []
        self.size = 0
        self.spelt_apart = True
        self.tight = SeparatorlessText("", b"", b"")

    def add(self, text: str, at: At) -> None:
        self._starts.append(len(self.tight.letters))
        self._ats.append(at)
        self.size += len(text)
        self.spelt_apart = self.spelt_apart and not is_unspaced_script(text)
        self.tight = self.tight.followed(SeparatorlessText.of(text))

    def find(self, letters: str, spelt: bytes | None, *, whole: bool, start: int) -> Iterator[At]:
        """Yield the position of *letters* from *start*, once per text that has them."""
        place = self.tight.place(letters, spelt, whole=whole, start=start)
        while place >= 0:
            after = bisect_right(self._starts, place)
            yield self._ats[after - 1]
            if after == len(self._starts):
                return
            place = self.tight.place(letters, spelt, whole=whole, start=self._starts[after])


class RecentText:
    """
    The newest *limit* characters of text, prepared for search on the first query.

    Attributes:
        has_dropped: Whether text of a script without blanks was dropped, which no table replaces.
        whole: Whether all text is stored: none was dropped or left out.
    """

    __slots__ = ("_blocks", "_limit", "_new", "_size", "has_dropped", "whole")

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._new: list[tuple[str, At]] = []
        self._blocks: list[_Block] = []
        self._size = 0
        self.has_dropped = False
        self.whole = True

    @property
    def size(self) -> int:
        """Number of stored characters."""
        return self._size

    def add(self, text: str, at: At) -> None:
        """Add *text*; the oldest text is dropped beyond the limit."""
        self._new.append((text, at))
        self._size += len(text)
        # the newest text stays, whatever its size
        while self._size > self._limit and len(self._blocks) + len(self._new) > 1:
            self._drop()

    def find(self, letters: str, spelt: bytes | None, *, whole: bool = False) -> At | None:
        """
        Return the most trusted position of *letters*; None if they do not occur.

        Args:
            letters: Letters and digits.
            spelt: Their separators, which must be equivalent; None for any separators.
            whole: Whether the match must not be a part of a longer word.
        """
        self._prepare()
        near = [(block, block.tight.letters.find(letters)) for block in self._blocks]
        near = [(block, place) for block, place in near if place >= 0]
        if not near:
            return None
        positions = (
            at
            for block, place in near
            for at in block.find(letters, spelt, whole=whole, start=place)
        )
        return min(islice(positions, _MOST_TEXTS), key=attrgetter("level"), default=None)

    def may_contain(self, several: set[str]) -> bool:
        """Return whether any of several letter sequences occurs, with any separators."""
        self._prepare()
        return any(one in block.tight.letters for block in self._blocks for one in several)

    def contains_row(self, tokens: Sequence[str]) -> bool:
        """Return whether chunks occur next to each other; also true if older text was dropped."""
        if not self.whole:
            return True
        self._prepare()
        row = SeparatorlessText.of(" ".join(tokens))
        return any(block.tight.holds_row(row) for block in self._blocks)

    def _prepare(self) -> None:
        """Prepare added texts for search."""
        if not self._new:
            return
        # Removed first, so that a query in another thread does not add a text again.
        new, self._new = self._new, []
        for text, at in new:
            if not self._blocks or self._blocks[-1].size >= _BLOCK:
                self._blocks.append(_Block())
            self._blocks[-1].add(text, at)

    def _drop(self) -> None:
        """Drop the oldest block, or the oldest text if no block is prepared."""
        self.whole = False
        if not self._blocks:
            text, _ = self._new.pop(0)
            self._size -= len(text)
            self.has_dropped = self.has_dropped or is_unspaced_script(text)
            return
        dropped = self._blocks.pop(0)
        self._size -= dropped.size
        self.has_dropped = self.has_dropped or not dropped.spelt_apart
