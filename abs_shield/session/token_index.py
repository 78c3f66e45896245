"""The chunks of text that a run has seen, each found in constant time."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import filterfalse, islice, pairwise
from threading import RLock
from typing import NamedTuple

from abs_shield.core.forked import renewed
from abs_shield.session.compounds import spellings_of
from abs_shield.session.packed_tables import (
    LEAST,
    ChunkTable,
    PackedTable,
    SpellingTable,
    memory_of,
    packed,
    unpacked,
)
from abs_shield.session.recent_text import At, RecentText
from abs_shield.text.groups import groups
from abs_shield.text.magnitudes import WORDS
from abs_shield.text.normal import chunks, normal, unspaced
from abs_shield.text.tight import Tight, may_be_several, names_the_same

SYSTEM, USER, PROSE, SCALAR = range(4)
"""How far a text is trusted, the most trusted first: where it comes from, and how it stood."""

_LEAST_GROUPED = 4
_PADDED = re.compile(r"0(?<!\w0)\d")
_NEGATIVE = re.compile(r"-(?<![\w.,)\]%-]-)\d[\d.,]*")
_NUMBERED = re.compile(r"\d")
_LEAST_ROW = 3
_CELL = re.compile(
    r"(?:\A|(?<=\| ))(?=[^|]*\d)(?=[^|]*[a-z])(?:[a-z]{1,4}|[a-z]{0,4}\d[a-z0-9]{0,11})"
    r"(?:[ /-](?:[a-z]{1,4}|[a-z]{0,4}\d[a-z0-9]{0,11})){1,4}(?=\Z| \|)"
)
"""A code that is the whole value of a result, in groups: ``k-10 442``, ``hb/20871``."""
_LETTER = 3
"""Bytes of a letter that is kept with what stands before it."""
_MOST_UNREAD = 8 * 1024
"""Characters whose other spellings are put off, so that a question never waits long for them."""


class _Unread(NamedTuple):
    """A text of which only the chunks are kept so far; *fresh* are those that were new."""

    text: str
    level: int
    at: int
    own: frozenset[str]
    fresh: list[str]


_PACKED = (PackedTable, SpellingTable, ChunkTable)
_Table = dict[str, int] | PackedTable | SpellingTable | ChunkTable
_SHARE_OF_PEOPLE = 16
"""A table of the words of users or the system that is at most this part of all keys is kept."""


class TokenIndex:
    """
    The chunks of normalised text that a run has seen, bounded.

    ``said`` holds the chunks of what a user wrote; ``sized`` is whether some text may hold a word
    for the size of a number: ``2 thousand``.

    A chunk is a run of word characters with the punctuation inside. Each is kept once a trust
    level, and so are two that stood side by side, as a hash, so that a phrase is found without
    its text. The newest text is kept as it is, for spellings that no table holds.

    Most values stand in a run as they are, so only the chunks themselves are kept at once; every
    other spelling when it is first asked for, a bounded stretch of text behind.
    """

    __slots__ = (
        "_cells", "_exact", "_grouped", "_kept", "_keys", "_lock", "_negative", "_one", "_pairs",
        "_parts", "_settled", "_size", "_squeezed", "_unpadded", "_unread", "_unread_size",
        "forgot", "said", "sized",
    )  # fmt: skip

    def __init__(self, *, keys: int, scan: int, lock: RLock | None = None) -> None:
        self._keys = keys
        self.said: dict[str, int] = {}
        self._exact: tuple[dict[str, int] | ChunkTable, ...] = (
            {},
            self.said,
            ChunkTable(),
            ChunkTable(),
        )
        self._pairs = (PackedTable(), PackedTable(), PackedTable(), PackedTable())
        self._parts = PackedTable()
        self._squeezed = SpellingTable()
        self._grouped = SpellingTable()
        self._one = PackedTable()  # numbers in groups with blanks alone
        self._cells = PackedTable()
        self._unpadded = PackedTable()
        self._negative = PackedTable()
        self._kept = RecentText(scan)
        self._lock = renewed(RLock()) if lock is None else lock
        self._unread: list[_Unread] = []
        self._unread_size = 0
        self._size = self._settled = 0
        self.forgot = False
        self.sized = False

    # What comes in -------------------------------------------------------------------------------

    def add(self, text: str, at: At, *, own: frozenset[str] = frozenset()) -> None:
        """Take normalised *text*; what is in *own* is an echo, and proves nothing."""
        found = chunks(text)
        exact = self._exact[at.level]
        with self._lock:
            self.sized = self.sized or _has_sizes(text, found)
            fresh = _fresh(found, exact)
            if own:
                fresh = [chunk for chunk in fresh if chunk not in own]
            exact.update(dict.fromkeys(fresh, at.version))
            self._size += len(fresh)
            if not (own and own.intersection(found)):
                self._kept.add(text, at)
                self.forgot = self.forgot or self._kept.forgot
            else:
                self._kept.whole = False
            self._put_off(_Unread(text, at.level, packed(at), own, fresh), found)

    def _put_off(self, unread: _Unread, found: list[str]) -> None:
        size = self._unread_size + len(unread.text)
        if size <= min(_MOST_UNREAD, self._keys // 2 - self._size):
            self._unread.append(unread)
            self._unread_size = size
            return
        self._read()
        self._take(unread, found)

    def _read(self) -> None:
        """Keep every other spelling of what was added since; anybody who asks may come here."""
        with self._lock:
            for unread in self._unread:
                self._take(unread, chunks(unread.text))
            self._unread.clear()
            self._unread_size = 0

    def _take(self, unread: _Unread, found: list[str]) -> None:
        text, level, at, own, fresh = unread
        if self._size - self._settled > LEAST:
            self._settle()
        self._spelt(fresh, text, at, own)
        self._pairs[level].add(map(hash, pairwise(found)), at)
        if not (own and own.intersection(found)):
            self._group(text, at)
            if level == SCALAR:
                self._cell(text, at)
            if "-" in text:
                for number in _NEGATIVE.findall(text):
                    self._negative.put(hash(_bare(number)), at)
        self._bound()

    def _spelt(self, fresh: list[str], text: str, at: int, own: frozenset[str]) -> None:
        """Keep the parts and the letters of chunks that are more than letters and digits."""
        parts: list[str] = []
        for chunk in filterfalse(str.isalnum, fresh) if text.isascii() else fresh:
            if not chunk.isalnum() or not chunk.isascii():
                whole = spellings_of(chunk)
                if own:
                    whole = whole.without(own)
                parts += whole.parts
                for letters, codes in whole.squeezed:
                    self._squeezed.put(letters, at, codes)
                for digits in whole.unpadded:
                    self._unpadded.put(hash(digits), at)
        self._parts.add(map(hash, parts), at)
        if _PADDED.search(text) is not None:
            for chunk in filter(str.isdigit, fresh):
                if chunk[0] == "0":
                    self._unpadded.put(hash(chunk.lstrip("0")), at)

    def _group(self, text: str, at: int) -> None:
        """Keep digits in groups: those that are one number, and those that may be several."""
        for run in groups(text):
            tight = Tight.of(run.text)
            if len(tight.letters) >= _LEAST_GROUPED:
                table = self._squeezed if run.one else self._grouped
                table.put(tight.letters, at, tight.codes[1:-1])
                if run.one and run.text.replace(" ", "").isdigit():
                    self._one.put(hash(tight.letters), at)

    def _cell(self, text: str, at: int) -> None:
        """Keep codes that are the whole value of a result without the blanks and slashes in it."""
        for found in _CELL.finditer(text):
            tight = Tight.of(found[0])
            if not may_be_several(tight.letters, tight.codes[1:-1]):
                self._cells.put(hash(_closed(found[0])), at)

    def _tables(self) -> tuple[_Table, ...]:
        return (
            *self._exact, *self._pairs, self._parts, self._squeezed, self._grouped,
            self._one, self._cells, self._unpadded, self._negative,
        )  # fmt: skip

    def _settle(self, *, every: bool = False) -> None:
        """Pack tables that have grown, or *every* one: a key that came again counts once then."""
        for table in self._tables():
            if isinstance(table, _PACKED) and (every or table.is_due):
                table.settle()
        self._settled = self._size = sum(map(len, self._tables()))

    def _bound(self) -> None:
        self._size = sum(map(len, self._tables()))
        if self._size <= self._keys:
            return
        self._settle(every=True)
        if self._size <= self._keys:
            return
        self.forgot = True
        most = self._keys // _SHARE_OF_PEOPLE
        people = [id(levels[level]) for levels in (self._exact, self._pairs)
                  for level in (USER, SYSTEM) if len(levels[level]) <= most]  # fmt: skip
        for table in self._tables():
            if id(table) in people:
                continue  # results without end do not push out what a person asked for
            if isinstance(table, _PACKED):
                table.forget_half()
            else:
                for key in list(islice(table, len(table) // 2)):
                    del table[key]
        self._settled = self._size = sum(map(len, self._tables()))

    @property
    def held_bytes(self) -> int:
        """Memory that it holds, about."""
        return memory_of(*self._tables()) + _LETTER * self._kept.size

    # What is asked -------------------------------------------------------------------------------

    def chunk(self, chunk: str) -> At | None:
        """Where a chunk stands as a whole."""
        for level, table in enumerate(self._exact):
            version = table.get(chunk)
            if version is not None:
                return At(level, version)
        return None

    def level(self, text: str) -> int | None:
        """How far a text is trusted that stands here as it is: a chunk, or several in a row."""
        if " " not in text:
            for level, table in enumerate(self._exact):
                if text in table:
                    return level
        found = chunks(text)
        if len(found) < 2:
            at = self.chunk(found[0]) if found else None
            return None if at is None else at.level
        if self._unread:
            self._read()
        worst = SYSTEM
        for pair in map(hash, pairwise(found)):
            level = self._level(pair)
            if level > worst:
                if level > SCALAR:
                    return None
                worst = level
        return worst if self._in_a_row(found) else None

    def _in_a_row(self, found: Sequence[str]) -> bool:
        """Return whether numbers that stand in pairs are one row: 10 20 and 20 30 are none."""
        if len(found) < _LEAST_ROW or not all(map(_NUMBERED.search, found)):
            return True
        return self._kept.holds_row(found)

    def _level(self, pair: int) -> int:
        """How far two chunks are trusted that stand side by side; beyond all where they do not."""
        level = SYSTEM
        for table in self._pairs:
            if pair in table:
                break
            level += 1
        return level

    def part(self, part: str) -> At | None:
        """Where *part* is a whole word of something longer, or a folder on the way to it."""
        if self._unread:
            self._read()
        return unpacked(self._parts.get(hash(part)))

    def squeezed(self, letters: str, spelt: bytes, *, grouped: bool = False) -> At | None:
        """
        Where the same thing is written with these letters and digits and other separators.

        Args:
            letters: The letters and digits.
            spelt: The separators of the value.
            grouped: Whether digits in groups are one number, whatever stands around them.
        """
        if self._unread:
            self._read()
        if not any(spelt) and (one := self._one.get(hash(letters))) is not None:
            return unpacked(one)
        for table in (self._squeezed, self._grouped) if grouped else (self._squeezed,):
            found = table.get(letters)
            if found is not None and names_the_same(letters, spelt, found[1]):
                return unpacked(found[0])
        return None

    def cell(self, text: str) -> At | None:
        """Where a code without blanks is the whole value of a result but for blanks and slashes."""
        if self._unread:
            self._read()
        return unpacked(self._cells.get(hash(text)))

    def unpadded(self, digits: str) -> At | None:
        """Where a number stands that is *digits* behind leading zeros."""
        if self._unread:
            self._read()
        return unpacked(self._unpadded.get(hash(digits)))

    def negative(self, number: str) -> At | None:
        """Where a number stands with its minus; chunks hold no signs."""
        if self._unread:
            self._read()
        return unpacked(self._negative.get(hash(_bare(number))))

    def joined(self, found: Sequence[str]) -> At | None:
        """Where chunks stand side by side; the least trusted place of them."""
        if len(found) < 2:
            return self.chunk(found[0]) if found else None
        if self._unread:
            self._read()
        worst: At | None = None
        for pair in map(hash, pairwise(found)):
            at = self._pair(pair)
            if at is None:
                return None
            worst = at if worst is None or at.level > worst.level else worst
        return worst if self._in_a_row(found) else None

    def _pair(self, pair: int) -> At | None:
        for table in self._pairs:
            at = table.get(pair)
            if at is not None:
                return unpacked(at)
        return None

    def kept(self, letters: str, spelt: bytes | None, *, whole: bool = False) -> At | None:
        """Where the newest text holds *letters* with separators like *spelt*; the oldest."""
        return self._kept.find(letters, spelt, whole=whole)

    def may_hold(self, forms: set[str], letters: set[str], *, least: int) -> bool:
        """
        Return whether `chunk`, `part`, `squeezed` or `kept` may know one of several spellings.

        Args:
            forms: The spellings.
            letters: Their letters and digits.
            least: Letters and digits from which on `kept` counts.
        """
        if self._unread:
            self._read()
        for table in self._exact:
            chunks_of = table.keys() if isinstance(table, dict) else table
            if not chunks_of.isdisjoint(forms):
                return True
        if not self._parts.isdisjoint([*map(hash, forms)]):
            return True
        hashes = [*map(hash, letters)]
        if not all(table.isdisjoint(hashes) for table in (self._squeezed, self._one)):
            return True
        return self._kept.may_hold({one for one in letters if len(one) >= least})

    def stood_in_prose(self, chunk: str) -> bool:
        """Whether a chunk ever stood in the running text of a result."""
        return chunk in self._exact[PROSE]

    def newest(self, level: int, most: int) -> list[str]:
        """Give the newest chunks of one level."""
        return [*islice(reversed(self._exact[level]), most)]


def _fresh(found: list[str], known: dict[str, int] | ChunkTable) -> list[str]:
    """Return those of *found* that are not known, each once."""
    if isinstance(known, ChunkTable):
        return known.fresh(found)
    return [chunk for chunk in dict.fromkeys(found) if chunk not in known]


def _has_sizes(text: str, found: list[str]) -> bool:
    """Return whether words for the size of a number may stand in a text, between blanks or not."""
    return not _sizes().isdisjoint(found) or (not text.isascii() and unspaced(text))


@lru_cache(maxsize=1)
def _sizes() -> frozenset[str]:
    return frozenset(
        chunk
        for words in WORDS.values()
        for word in words.split()
        for chunk in chunks(normal(word))
    )


def _closed(code: str) -> str:
    """A code without its blanks and slashes."""
    return code.replace(" ", "").replace("/", "")


def _bare(number: str) -> str:
    """A number without commas, and without the zeros behind its full stop."""
    plain = number.replace(",", "").rstrip(".")
    return plain.rstrip("0").rstrip(".") if "." in plain else plain
