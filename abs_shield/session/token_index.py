"""Index of the chunks of text in a run, which finds each in constant time."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import islice, pairwise
from threading import RLock
from typing import NamedTuple

from abs_shield.core.fork_safety import renewed
from abs_shield.session.chunks_by_shape import ChunksByShape
from abs_shield.session.packed_tables import (
    LEAST,
    ChunkTable,
    PackedTable,
    SpellingTable,
    memory_of,
    pack,
    unpack,
)
from abs_shield.session.recent_text import At, RecentText
from abs_shield.session.spelling_tables import SpellingTables
from abs_shield.text.magnitudes import has_magnitude_words
from abs_shield.text.normal_form import chunks

SYSTEM, USER, PROSE, SCALAR = range(4)
"""Trust levels of a text by its source and form, the most trusted first."""

_NUMBERED = re.compile(r"\d")
_LEAST_ROW = 3  # chunks; a row of two is a pair
_LETTER = 3
"""Estimated bytes of a stored letter with its separators."""
_MOST_SIMILAR = 4_000
"""Newest chunks of each level that are searched for similar ones; all would take seconds."""
_MOST_DEFERRED = 8 * 1024
"""Characters whose other spellings are deferred; few enough that a query is never slow."""


class _DeferredText(NamedTuple):
    """A text whose chunks alone are indexed so far; *fresh* are its new chunks."""

    text: str
    level: int
    at: int
    own: frozenset[str]
    fresh: list[str]


_MOST_PHRASES, _LONGEST_PHRASE = 32, 64
"""Phrases of people that were looked up and are remembered, and the characters of one."""
_PACKED = (PackedTable, SpellingTable, ChunkTable)
_Table = dict[str, int] | PackedTable | SpellingTable | ChunkTable
_MOST_PEOPLE_FRACTION = 16
"""Tables of users' and system texts are not halved while they have less than this share of keys."""


class TokenIndex:
    """
    A bounded index of the chunks of normalised text in a run.

    A chunk is a sequence of word characters with the punctuation between them. It is stored once
    for each trust level; so is the hash of each pair of adjacent chunks, by which phrases are
    found. The newest raw text is stored for spellings that no table contains.

    Most values occur in a run verbatim, so only the chunks themselves are indexed immediately;
    other spellings are indexed on the first query, or when enough text is deferred.

    Attributes:
        user_chunks: The chunks of the user's texts.
        has_sizes: Whether some text may have a word for the size of a number: ``2 thousand``.
        has_dropped: Whether entries were dropped to keep the bounds.
    """

    __slots__ = (
        "_deferred", "_deferred_size", "_exact", "_keys", "_lock", "_pairs", "_phrases",
        "_recent_text", "_settled", "_similar", "_size", "_spellings", "has_dropped", "has_sizes",
        "user_chunks",
    )  # fmt: skip

    def __init__(self, *, keys: int, scan: int, lock: RLock | None = None) -> None:
        self._keys = keys
        self.user_chunks: dict[str, int] = {}
        self._exact: tuple[dict[str, int] | ChunkTable, ...] = (
            {},
            self.user_chunks,
            ChunkTable(),
            ChunkTable(),
        )
        self._pairs = (PackedTable(), PackedTable(), PackedTable(), PackedTable())
        self._spellings = SpellingTables()
        self._recent_text = RecentText(scan)
        self._lock = renewed(RLock()) if lock is None else lock
        self._deferred: list[_DeferredText] = []
        self._deferred_size = 0
        self._phrases: frozenset[str] = frozenset()
        self._similar: dict[int, ChunksByShape] = {}
        self._size = self._settled = 0
        self.has_dropped = False
        self.has_sizes = False

    # Adding text ---------------------------------------------------------------------------------

    def add(self, text: str, at: At, *, own: frozenset[str] = frozenset()) -> None:
        """Index normalised *text*; tokens in *own* are echoes, which prove nothing."""
        tokens = chunks(text)
        exact = self._exact[at.level]
        with self._lock:
            self.has_sizes = self.has_sizes or has_magnitude_words(text, tokens)
            fresh = (
                exact.find_new(tokens) if type(exact) is ChunkTable else _find_absent(tokens, exact)
            )
            if own:
                fresh = [chunk for chunk in fresh if chunk not in own]
            if fresh:
                exact.update(dict.fromkeys(fresh, at.version))
                self._size += len(fresh)
            if not (own and own.intersection(tokens)):
                self._recent_text.add(text, at)
                self.has_dropped = self.has_dropped or self._recent_text.has_dropped
            else:
                self._recent_text.whole = False
            self._defer(_DeferredText(text, at.level, pack(at), own, fresh), tokens)

    def _defer(self, unread: _DeferredText, tokens: list[str]) -> None:
        size = self._deferred_size + len(unread.text)
        # Less text if few keys are left, so that indexing it stays within the bound.
        if size <= min(_MOST_DEFERRED, self._keys // 2 - self._size):
            self._deferred.append(unread)
            self._deferred_size = size
            return
        self._index_deferred()
        self._index_spellings(unread, tokens)

    def _index_deferred(self) -> None:
        """Index the other spellings of all deferred texts; thread-safe."""
        with self._lock:
            for unread in self._deferred:
                self._index_spellings(unread, chunks(unread.text))
            self._deferred.clear()
            self._deferred_size = 0

    def _index_spellings(self, unread: _DeferredText, tokens: list[str]) -> None:
        text, level, at, own, fresh = unread
        # Packing takes time, so the tables must have grown.
        if self._size - self._settled > LEAST:
            self._settle()
        self._spellings.add_compounds(fresh, text, at, own)
        self._pairs[level].add(map(hash, pairwise(tokens)), at)
        if not (own and own.intersection(tokens)):
            self._spellings.add_groups(text, at)
            if level == SCALAR:
                self._spellings.add_cells(text, at)
            self._spellings.add_negatives(text, at)
        self._bound()

    def _tables(self) -> tuple[_Table, ...]:
        return (*self._exact, *self._pairs, *self._spellings.tables)

    def _settle(self, *, every: bool = False) -> None:
        """Pack tables that have grown, or *every* table; repeated keys then count once."""
        for table in self._tables():
            if isinstance(table, _PACKED) and (every or table.needs_packing):
                table.pack_all()
        self._settled = self._size = sum(map(len, self._tables()))

    def _bound(self) -> None:
        self._size = sum(map(len, self._tables()))
        if self._size <= self._keys:
            return
        self._settle(every=True)
        if self._size <= self._keys:
            return
        self.has_dropped = True
        self._phrases = frozenset()
        self._similar.clear()
        most = self._keys // _MOST_PEOPLE_FRACTION
        people = [id(levels[level]) for levels in (self._exact, self._pairs)
                  for level in (USER, SYSTEM) if len(levels[level]) <= most]  # fmt: skip
        for table in self._tables():
            if id(table) in people:
                continue  # an endless stream of results must not evict a person's text
            if isinstance(table, _PACKED):
                table.drop_older_half()
            else:
                for key in list(islice(table, len(table) // 2)):
                    del table[key]
        self._settled = self._size = sum(map(len, self._tables()))

    @property
    def held_bytes(self) -> int:
        """Approximate memory in bytes."""
        similar = sum(chunks.held_bytes for chunks in self._similar.values())
        return memory_of(*self._tables()) + _LETTER * self._recent_text.size + similar

    # Queries -------------------------------------------------------------------------------------

    def find_chunk(self, chunk: str) -> At | None:
        """Return where a whole chunk first occurred."""
        for level, table in enumerate(self._exact):
            version = table.get(chunk)
            if version is not None:
                return At(level, version)
        return None

    def has_chunk(self, chunk: str) -> bool:
        """Return whether a whole chunk occurred."""
        for table in self._exact:  # noqa: SIM110 - `any` takes three times as long
            if chunk in table:
                return True
        return False

    def find_absent(self, tokens: Iterable[str]) -> list[str]:
        """Return those of *tokens* that are not a chunk of any text, each once."""
        left = [*tokens]
        for table in self._exact:
            left = _find_absent(left, table)
        return left

    def trust_level(self, text: str) -> int | None:
        """
        Return the trust level of a text that occurs verbatim; None if it does not.

        For adjacent chunks in a person's text it may be that of a user, although a system text has
        them as well: deferred texts are then not indexed, because a person's text is enough.
        """
        if " " not in text:
            for level, table in enumerate(self._exact):
                if text in table:
                    return level
        elif text in self._phrases:
            return USER
        tokens = chunks(text)
        if len(tokens) < 2:
            if not tokens or tokens[0] == text:  # it was looked up above
                return None
            at = self.find_chunk(tokens[0])
            return None if at is None else at.level
        pairs = [*map(hash, pairwise(tokens))]
        worst = self._worst_level(pairs)
        if worst > USER and self._deferred:
            self._index_deferred()
            worst = self._worst_level(pairs)
        if worst > SCALAR or not self._are_in_row(tokens):
            return None
        if worst <= USER and len(text) <= _LONGEST_PHRASE and len(self._phrases) < _MOST_PHRASES:
            # Calls of a run repeat names, and more text makes no phrase less trusted.
            self._phrases = self._phrases | {text}
        return worst

    def _are_in_row(self, tokens: Sequence[str]) -> bool:
        """Return whether chunks whose pairs occur are in a row: "10 20" and "20 30" may not be."""
        if len(tokens) < _LEAST_ROW or not all(map(_NUMBERED.search, tokens)):
            return True
        return self._recent_text.contains_row(tokens)

    def _worst_level(self, pairs: Iterable[int]) -> int:
        """
        Return the level of the least trusted pair of adjacent chunks; beyond all if one is absent.
        """
        worst = SYSTEM
        for pair in pairs:
            level = SYSTEM
            for table in self._pairs:
                if pair in table:
                    break
                level += 1
            if level > SCALAR:
                return level
            worst = max(worst, level)
        return worst

    def find_part(self, part: str) -> At | None:
        """Return where *part* is a whole word of a longer chunk, or a folder in a path."""
        if self._deferred:
            self._index_deferred()
        return self._spellings.find_part(part)

    def find_spelling(self, letters: str, spelt: bytes, *, grouped: bool = False) -> At | None:
        """
        Return where a value with these letters and digits occurs with equivalent separators.

        Args:
            letters: The letters and digits.
            spelt: The separators of the value.
            grouped: Whether digits in groups count as one number, whatever surrounds them.
        """
        # Deferred until here, as most values are found verbatim.
        if self._deferred:
            self._index_deferred()
        return self._spellings.find(letters, spelt, grouped=grouped)

    def find_cell(self, text: str) -> At | None:
        """
        Return where a code is the whole value of a result, without or with other separators.
        """
        if self._deferred:
            self._index_deferred()
        return self._spellings.find_cell(text)

    def find_unpadded(self, digits: str) -> At | None:
        """Return where *digits* occur after leading zeros."""
        if self._deferred:
            self._index_deferred()
        return self._spellings.find_unpadded(digits)

    def find_negative(self, number: str) -> At | None:
        """Return where a number occurs with its minus sign; chunks have no signs."""
        if self._deferred:
            self._index_deferred()
        return self._spellings.find_negative(number)

    def find_adjacent(self, tokens: Sequence[str]) -> At | None:
        """Return where chunks occur next to each other: the least trusted position of a pair."""
        if len(tokens) < 2:
            return self.find_chunk(tokens[0]) if tokens else None
        if self._deferred:
            self._index_deferred()
        worst: At | None = None
        for pair in map(hash, pairwise(tokens)):
            at = self._pair(pair)
            if at is None:
                return None
            worst = at if worst is None or at.level > worst.level else worst
        return worst if self._are_in_row(tokens) else None

    def _pair(self, pair: int) -> At | None:
        for table in self._pairs:
            at = table.get(pair)
            if at is not None:
                return unpack(at)
        return None

    def find_in_recent_text(
        self, letters: str, spelt: bytes | None, *, whole: bool = False
    ) -> At | None:
        """
        Return the most trusted position of *letters* in recent text; see `RecentText.find`.
        """
        return self._recent_text.find(letters, spelt, whole=whole)

    def may_contain(self, forms: set[str], letters: set[str], *, least: int) -> bool:
        """
        Return whether any of several spellings may be found by another method of the index.

        Args:
            forms: The spellings.
            letters: Their letters and digits.
            least: Fewest letters and digits that are searched for in recent text.
        """
        if self._deferred:
            self._index_deferred()
        for table in self._exact:
            chunks_of = table.keys() if isinstance(table, dict) else table
            if not chunks_of.isdisjoint(forms):
                return True
        if self._spellings.may_contain(forms, letters):
            return True
        return self._recent_text.may_contain({one for one in letters if len(one) >= least})

    def occurs_in_prose(self, chunk: str) -> bool:
        """Return whether a chunk occurred in the running text of a result."""
        return chunk in self._exact[PROSE]

    def find_similar(self, text: str, level: int, *, most_off: int) -> list[str]:
        """
        Return chunks of one level that may have the shape of *text*, newest first.

        Args:
            text: A normalised value.
            level: The level of trust.
            most_off: Most characters that a chunk may be longer or shorter.
        """
        similar = self._similar.get(level)
        if similar is None:
            similar = self._similar[level] = ChunksByShape(self._exact[level], most=_MOST_SIMILAR)
        return similar.find(text, most_off)


def _find_absent(tokens: list[str], table: dict[str, int] | ChunkTable) -> list[str]:
    """Return those of *tokens* that are not in the table, each once."""
    if isinstance(table, ChunkTable):
        return table.find_new(tokens)
    return [chunk for chunk in dict.fromkeys(tokens) if chunk not in table]
