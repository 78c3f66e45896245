"""Assignment of catches to gaps, by theme and by merges."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from abs_shield.flywheel.book import NO_GAP, UNGROUPED
from abs_shield.flywheel.catch import Catch
from abs_shield.flywheel.database import parse_row
from abs_shield.flywheel.gap import Gap, GapState
from abs_shield.flywheel.grouping import Groups, Theme, theme_of
from abs_shield.text.safe_display import escaped

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
    for one in _ungrouped(connection):
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
    themes = Counter(theme_of(one) for one in _ungrouped(connection) if one.is_gap)
    groups, theme_gaps = Groups(_stored_themes(connection)), _ThemeGaps({}, [])
    # the most frequent theme names the group; the id decides ties, so that a rerun gives the same
    # gaps
    for theme, _ in sorted(themes.items(), key=lambda item: (-item[1], item[0].id)):
        theme_gaps.gaps[theme], is_new = groups.gap_of(theme)
        if is_new:
            theme_gaps.new.append(theme)
    return theme_gaps


def _ungrouped(connection: sqlite3.Connection) -> Iterator[Catch]:
    rows = connection.execute("SELECT body FROM catches WHERE gap = ?", (UNGROUPED,))
    return (Catch.from_json(body) for (body,) in rows)


def _stored_themes(connection: sqlite3.Connection) -> Iterator[tuple[Theme, str]]:
    rows = connection.execute("SELECT bucket, words, gap FROM patterns ORDER BY id").fetchall()
    for bucket, words, gap in rows:
        yield Theme(bucket, parse_row(words, tuple, f"a pattern of gap `{escaped(gap)}`")), gap


def _gap_of(catch: Catch, theme_gaps: _ThemeGaps, merges: Mapping[str, str]) -> str:
    return final_gap(theme_gaps.gaps[theme_of(catch)], merges) if catch.is_gap else NO_GAP
