"""Grouping of catches into gaps by check, code and subject matter, and by merges."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from heapq import nlargest
from math import ceil
from typing import NamedTuple

from abs_shield.core.vocabularies import PHANTOM_TOOL, Subject
from abs_shield.flywheel.catch import Catch
from abs_shield.flywheel.flywheel_database import parse_row
from abs_shield.flywheel.gap import Gap, GapState
from abs_shield.flywheel.harvest_tables import NO_GAP, UNGROUPED
from abs_shield.flywheel.text_pattern import Pattern, is_kind, likeness, pattern_of
from abs_shield.text.safe_display import escaped

SAME_FROM = 0.6  # lower merges different matters, higher splits rewordings
"""Minimum similarity of two texts about the same subject matter."""
SAME_NAME_FROM = 0.7
"""Minimum similarity of two invented tool names; higher, because names are short."""
_COMPARED = 50
"""Maximum number of groups compared with a new pattern: those that share the most prefixes."""
# abbreviations and misspellings agree in their first letters; fewer would match most words
_BEGINNING = 3
_LEAST_SHARED = 0.4  # below `SAME_FROM`, as synonyms share no prefix
"""Minimum share of a pattern's word prefixes that a group must have to be compared."""


@dataclass(frozen=True, slots=True)
class Theme:
    """
    The features that the catches of a group share.

    Attributes:
        bucket: Subject, check, code and, for a real tool, the subject matter.
        words: The pattern of their subject matter.
    """

    bucket: str
    words: Pattern

    @property
    def id(self) -> str:
        """Stable id."""
        text = "\n".join((self.bucket, *self.words))
        return f"gap-{hashlib.sha256(text.encode(errors='replace')).hexdigest()[:10]}"


def theme_of(catch: Catch) -> Theme:
    """Return the theme of a catch."""
    if not _has_tool(catch):
        return Theme(_bucket(catch, ""), pattern_of(catch.about))
    # fields of a tool are compared by their exact names
    return Theme(_bucket(catch, catch.about), ())


def _has_tool(catch: Catch) -> bool:
    is_tool = catch.subject in (Subject.CALL, Subject.RESULT) and bool(catch.tool)
    return is_tool and catch.check != PHANTOM_TOOL


def _bucket(catch: Catch, exact: str) -> str:
    return "|".join((catch.subject, catch.check, catch.code, exact))


@dataclass(slots=True)
class _Bucket:
    """The groups of one bucket, indexed by word prefixes."""

    floor: float
    groups: dict[Pattern, str] = field(default_factory=dict)
    index: dict[str, set[Pattern]] = field(default_factory=lambda: defaultdict(set))

    def add(self, words: Pattern, gap: str) -> None:
        self.groups[words] = gap
        for word in words:
            self.index[word[:_BEGINNING]].add(words)

    def nearest(self, words: Pattern) -> str | None:
        """Return the gap of the most similar pattern; None if none is similar enough."""
        near = nlargest(_COMPARED, self._promising(words).items(), key=lambda item: item[1])
        best = max(((likeness(words, one), one) for one, _ in near), default=(0.0, ()))
        return self.groups[best[1]] if best[0] >= self.floor else None

    def _promising(self, words: Pattern) -> Counter[Pattern]:
        """Return patterns that share enough word prefixes, with the number that each shares."""
        # nearly all claims have a value, so its kind selects nothing
        telling = [word for word in words if not is_kind(word)] or words
        sets = sorted((self.index.get(word[:_BEGINNING], set()) for word in telling), key=len)
        least = ceil(_LEAST_SHARED * len(telling))
        # a pattern that shares that many is in one of the smaller sets, so the largest are skipped
        walked = len(sets) - least + 1
        shared: Counter[Pattern] = Counter()
        for some in sets[:walked]:
            shared.update(some)
        for some in sets[walked:]:
            for one in shared.keys() & some:
                shared[one] += 1
        return Counter({one: count for one, count in shared.items() if count >= least})


class Groups:
    """
    The existing groups; a catch joins one, or starts a new one.

    A pattern stays in its group, so that the ids of gaps are stable.

    Args:
        existing: Themes and the gap of each, from earlier runs.
    """

    def __init__(self, existing: Iterable[tuple[Theme, str]] = ()) -> None:
        self._gaps: dict[Theme, str] = {}
        self._buckets: dict[str, _Bucket] = {}
        for theme, gap in existing:
            self._add(theme, gap)

    def gap_of(self, theme: Theme) -> tuple[str, bool]:
        """Return the gap of a theme, and whether the theme is new."""
        if (gap := self._gaps.get(theme)) is not None:
            return gap, False
        bucket = self._bucket(theme.bucket)
        # without words nothing can be similar
        gap = (bucket.nearest(theme.words) if theme.words else None) or theme.id
        self._add(theme, gap)
        return gap, True

    def _add(self, theme: Theme, gap: str) -> None:
        self._gaps[theme] = gap
        self._bucket(theme.bucket).add(theme.words, gap)

    def _bucket(self, name: str) -> _Bucket:
        if name not in self._buckets:
            is_name = f"|{PHANTOM_TOOL}|" in name
            self._buckets[name] = _Bucket(SAME_NAME_FROM if is_name else SAME_FROM)
        return self._buckets[name]


_PAGE = 2_000  # catches in memory at a time: a few MB


class _ThemeGaps(NamedTuple):
    """The gap of each theme before merges, and the new themes."""

    gaps: dict[Theme, str]
    new: list[Theme]


def assign_gaps(connection: sqlite3.Connection) -> None:
    """Assign a gap to each ungrouped catch, and store it."""
    theme_gaps = _themes_of_new(connection)
    connection.executemany(
        "INSERT OR REPLACE INTO patterns VALUES (?, ?, ?, ?)",
        [(t.id, theme_gaps.gaps[t], t.bucket, json.dumps(t.words)) for t in theme_gaps.new],
    )
    merges = merges_of(connection)
    # without an offset: each page leaves the set that is queried
    query = "SELECT id, body FROM catches WHERE gap = ? LIMIT ?"
    while page := connection.execute(query, (UNGROUPED, _PAGE)).fetchall():
        catches = [(key, Catch.from_json(body)) for key, body in page]
        connection.executemany(
            "UPDATE catches SET gap = ? WHERE id = ?",
            [(_gap_of(one, theme_gaps, merges), key) for key, one in catches],
        )


def ungrouped_catches(connection: sqlite3.Connection) -> Iterator[tuple[str, Catch]]:
    """Yield each ungrouped catch with its future gap, without storing anything."""
    theme_gaps, merges = _themes_of_new(connection), merges_of(connection)
    for one in _read_ungrouped(connection):
        yield _gap_of(one, theme_gaps, merges), one


def merges_of(connection: sqlite3.Connection) -> dict[str, str]:
    """Return the target of each merged gap."""
    rows = connection.execute(
        "SELECT id, body FROM gaps WHERE state = ?", (GapState.MERGED.value,)
    ).fetchall()
    merged = (parse_row(body, Gap.from_dict, f"gap `{escaped(key)}`") for key, body in rows)
    return {gap.id: gap.into for gap in merged}


def final_gap(gap: str, merges: Mapping[str, str]) -> str:
    """
    Return the gap that the catches of a gap finally belong to, after all merges.

    >>> final_gap("a", {"a": "b", "b": "c"})
    'c'
    """
    while gap in merges:
        gap = merges[gap]
    return gap


def _themes_of_new(connection: sqlite3.Connection) -> _ThemeGaps:
    """Determine the gap of each ungrouped theme, the most frequent first."""
    themes = Counter(theme_of(one) for one in _read_ungrouped(connection) if one.is_gap)
    groups, theme_gaps = Groups(_stored_themes(connection)), _ThemeGaps({}, [])
    # the most frequent theme names the group; the id decides ties, so that a rerun gives the same
    # gaps
    for theme, _ in sorted(themes.items(), key=lambda item: (-item[1], item[0].id)):
        theme_gaps.gaps[theme], is_new = groups.gap_of(theme)
        if is_new:
            theme_gaps.new.append(theme)
    return theme_gaps


def _read_ungrouped(connection: sqlite3.Connection) -> Iterator[Catch]:
    rows = connection.execute("SELECT body FROM catches WHERE gap = ?", (UNGROUPED,))
    return (Catch.from_json(body) for (body,) in rows)


def _stored_themes(connection: sqlite3.Connection) -> Iterator[tuple[Theme, str]]:
    rows = connection.execute("SELECT bucket, words, gap FROM patterns ORDER BY id").fetchall()
    for bucket, words, gap in rows:
        yield Theme(bucket, parse_row(words, tuple, f"a pattern of gap `{escaped(gap)}`")), gap


def _gap_of(catch: Catch, theme_gaps: _ThemeGaps, merges: Mapping[str, str]) -> str:
    return final_gap(theme_gaps.gaps[theme_of(catch)], merges) if catch.is_gap else NO_GAP
