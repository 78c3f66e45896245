"""The gap of each catch: what it is grouped with, and what that was merged into."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from abs_shield.flywheel.book import NO_GAP, UNGROUPED
from abs_shield.flywheel.catch import Catch
from abs_shield.flywheel.database import restored
from abs_shield.flywheel.gap import Gap, GapState
from abs_shield.flywheel.grouping import Groups, Theme, theme_of
from abs_shield.text.show import escaped

_PAGE = 2_000


class _Found(NamedTuple):
    """The gap of each theme, as it was first grouped, and the themes that are new."""

    gaps: dict[Theme, str]
    new: list[Theme]


def group(connection: sqlite3.Connection) -> None:
    """Write the gap of each catch that is in no group yet."""
    found = _themes_of_new(connection)
    connection.executemany(
        "INSERT OR REPLACE INTO patterns VALUES (?, ?, ?, ?)",
        [(t.id, found.gaps[t], t.bucket, json.dumps(t.words)) for t in found.new],
    )
    merges = merges_of(connection)
    query = "SELECT id, body FROM catches WHERE gap = ? LIMIT ?"
    while page := connection.execute(query, (UNGROUPED, _PAGE)).fetchall():
        catches = [(key, Catch.from_json(body)) for key, body in page]
        connection.executemany(
            "UPDATE catches SET gap = ? WHERE id = ?",
            [(_gap_of(one, found, merges), key) for key, one in catches],
        )


def ungrouped(connection: sqlite3.Connection) -> Iterator[tuple[str, Catch]]:
    """Yield each catch that is in no group yet, with the gap that it will join; writes nothing."""
    found, merges = _themes_of_new(connection), merges_of(connection)
    for one in _new(connection):
        yield _gap_of(one, found, merges), one


def merges_of(connection: sqlite3.Connection) -> dict[str, str]:
    """Return of each merged gap the one that it was merged into."""
    rows = connection.execute(
        "SELECT id, body FROM gaps WHERE state = ?", (GapState.MERGED.value,)
    ).fetchall()
    found = (restored(body, Gap.from_dict, f"gap `{escaped(key)}`") for key, body in rows)
    return {gap.id: gap.into for gap in found}


def end_of(gap: str, merges: Mapping[str, str]) -> str:
    """
    Return where the catches of a gap go in the end.

    >>> end_of("a", {"a": "b", "b": "c"})
    'c'
    """
    while gap in merges:
        gap = merges[gap]
    return gap


def _themes_of_new(connection: sqlite3.Connection) -> _Found:
    """Find the gap of each new theme; the most frequent one comes first."""
    themes = Counter(theme_of(one) for one in _new(connection) if one.is_gap)
    groups, found = Groups(_known(connection)), _Found({}, [])
    for theme, _ in sorted(themes.items(), key=lambda item: (-item[1], item[0].id)):
        found.gaps[theme], is_new = groups.gap_of(theme)
        if is_new:
            found.new.append(theme)
    return found


def _new(connection: sqlite3.Connection) -> Iterator[Catch]:
    rows = connection.execute("SELECT body FROM catches WHERE gap = ?", (UNGROUPED,))
    return (Catch.from_json(body) for (body,) in rows)


def _known(connection: sqlite3.Connection) -> Iterator[tuple[Theme, str]]:
    rows = connection.execute("SELECT bucket, words, gap FROM patterns ORDER BY id").fetchall()
    for bucket, words, gap in rows:
        yield Theme(bucket, restored(words, tuple, f"a pattern of gap `{escaped(gap)}`")), gap


def _gap_of(catch: Catch, found: _Found, merges: Mapping[str, str]) -> str:
    return end_of(found.gaps[theme_of(catch)], merges) if catch.is_gap else NO_GAP
