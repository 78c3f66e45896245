"""Curation: catches grouped into gaps, with their frequency and severity."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from os import PathLike

from abs_shield.core.vocabularies import PHANTOM_TOOL
from abs_shield.flywheel.catch import Catch
from abs_shield.flywheel.flywheel_database import database, parse_row
from abs_shield.flywheel.gap import Gap, GapState
from abs_shield.flywheel.gap_grouping import assign_gaps
from abs_shield.flywheel.gap_severity import WEIGHTS, deviation_of, is_systematic, scope_of, tier_of
from abs_shield.flywheel.harvest_tables import NO_GAP, UNGROUPED
from abs_shield.stats.share_intervals import wilson
from abs_shield.text.safe_display import escaped

EXAMPLES = 5  # a reviewer reads them all
"""Maximum number of example catches of a gap, the newest with different claims."""
_LONGEST_TITLE = 120  # one line of a wide terminal
_LAST_DAY = "9999-12-31"  # dates are compared as text
_MOST_TITLES = 200  # the most frequent title shows early; a model may word each claim differently
_MOST_FIGURES = 500  # the range of deviations hardly changes after that
"""Number of the newest catches of a gap whose values are compared with the right ones."""


def curate(book: str | PathLike[str]) -> list[Gap]:
    """
    Group the catches of the flywheel's file into gaps; return all gaps, the most severe first.

    A catch joins the gap of its check, code and subject matter, also if it is worded differently.
    Reviews of a gap are preserved: a catch that joins later changes only the gap's numbers.

    Args:
        book: The flywheel's file.

    Raises:
        StoreError: The file cannot be used.
    """
    with database(book) as connection:
        assign_gaps(connection)
        refresh(connection)
        return gaps_in(connection)


def gaps_in(connection: sqlite3.Connection) -> list[Gap]:
    """Return the gaps of an open file, the most severe first."""
    rows = connection.execute("SELECT id, body FROM gaps")
    gaps = [parse_row(body, Gap.from_dict, f"gap `{escaped(key)}`") for key, body in rows]
    return sorted(gaps, key=lambda gap: (gap.tier, -gap.burden, gap.id))


def gap_catches(connection: sqlite3.Connection, gap: str) -> Iterator[Catch]:
    """Yield the catches of a gap, the newest first."""
    rows = connection.execute("SELECT body FROM catches WHERE gap = ? ORDER BY at DESC, id", (gap,))
    return (Catch.from_json(body) for (body,) in rows)


def examples_of(book: str | PathLike[str], gaps: Iterable[Gap]) -> dict[str, list[Catch]]:
    """Return the example catches of gaps, by the gap's id."""
    with database(book) as connection:
        query = "SELECT body FROM catches WHERE id = ?"
        return {
            gap.id: [
                Catch.from_json(row[0])
                for key in gap.examples
                if (row := connection.execute(query, (key,)).fetchone()) is not None
            ]
            for gap in gaps
        }


# Numbers -----------------------------------------------------------------------------------------


def refresh(connection: sqlite3.Connection) -> None:
    """Recompute every gap's numbers; its review is preserved."""
    before = {gap.id: gap for gap in gaps_in(connection) if gap.state is not GapState.MERGED}
    counted = connection.execute(
        "SELECT gap, count(DISTINCT decision_id) FROM catches WHERE gap NOT IN (?, ?) GROUP BY gap",
        (UNGROUPED, NO_GAP),
    ).fetchall()
    for gap, affected in counted:
        updated = _compute_gap(connection, gap, affected)
        if (old := before.pop(gap, None)) is not None:
            updated = _with_review(updated, old)
        save_gap(connection, updated)
    for empty_gap in before.values():  # all of its catches are now labelled as false alarms
        # a reviewed gap stays with its history
        if empty_gap.state is GapState.OPEN:
            connection.execute("DELETE FROM gaps WHERE id = ?", (empty_gap.id,))
        else:
            none = replace(empty_gap, count=0, affected=0, sessions=0, rate=0.0, low=0.0)
            save_gap(connection, replace(none, systematic=False))


def _with_review(new: Gap, old: Gap) -> Gap:
    """Return the new numbers of a gap with its old title and review, even after a merge."""
    return replace(
        new, title=old.title, check=old.check, code=old.code, subject=old.subject, state=old.state,
        into=old.into, right_answer=old.right_answer,
    )  # fmt: skip


def save_gap(connection: sqlite3.Connection, gap: Gap) -> None:
    """Write one gap."""
    connection.execute(
        "INSERT OR REPLACE INTO gaps VALUES (?, ?, ?)", (gap.id, gap.state.value, gap.to_json())
    )


@dataclass(slots=True)
class _CatchTotals:
    """Totals over the catches of a gap."""

    count: int = 0
    impact: float = 0.0
    first: str = ""
    last: str = ""
    agents: Counter[str] = field(default_factory=Counter)
    task_types: Counter[str] = field(default_factory=Counter)
    models: Counter[str] = field(default_factory=Counter)
    kinds: set[tuple[str, str]] = field(default_factory=set)
    """Subjects with their tool; the tool is empty if the catch may occur for any tool."""
    sessions: set[str] = field(default_factory=set)
    titles: Counter[str] = field(default_factory=Counter)
    examples: dict[str, str] = field(default_factory=dict)
    off: tuple[float, float] | None = None

    def add(self, catch: Catch) -> None:
        self.count += 1
        self.impact += WEIGHTS[catch.priority]
        self.first = catch.timestamp  # newest first, so the last one added is the oldest
        self.last = self.last or catch.timestamp
        self.sessions.add(catch.session_id or catch.decision_id)
        self.kinds.add(kind_of(catch))
        for counter, name in (
            (self.agents, catch.agent_id),
            (self.task_types, catch.task_type),
            (self.models, catch.model),
        ):
            if name:
                counter[name] += 1
        title = f"{catch.detected_error}: {catch.about}" if catch.about else catch.detected_error
        if title in self.titles or len(self.titles) < _MOST_TITLES:
            self.titles[title] += 1
        if len(self.examples) < EXAMPLES:
            self.examples.setdefault(catch.claim, catch.id)
        if self.count > _MOST_FIGURES or not catch.verified_value:
            return
        deviation = deviation_of(catch.claim, catch.verified_value)
        if deviation is not None:
            low, high = self.off or (deviation, deviation)
            self.off = min(low, deviation), max(high, deviation)


def _compute_gap(connection: sqlite3.Connection, gap: str, affected: int) -> Gap:
    total, catch = _CatchTotals(), None
    for catch in gap_catches(connection, gap):
        total.add(catch)
    assert catch is not None  # a counted gap has at least one catch
    # a log that was pruned may have fewer decisions than catches, and a rate is at most 1
    decisions = max(count_decisions(connection, total.kinds, since=total.first[:10]), affected)
    low, high = wilson(affected, decisions)
    impact = total.impact / total.count
    systematic = is_systematic(affected=affected, sessions=len(total.sessions))
    return Gap(
        id=gap,
        title=escaped(total.titles.most_common(1)[0][0], limit=_LONGEST_TITLE),
        check=catch.check,
        code=catch.code,
        tier=tier_of(impact=impact, low=low, systematic=systematic),
        count=total.count,
        decisions=decisions,
        rate=affected / decisions,
        low=low,
        high=high,
        agents=dict(total.agents.most_common()),
        task_types=dict(total.task_types.most_common()),
        models=dict(total.models.most_common()),
        examples=tuple(total.examples.values()),
        first=total.first,
        last=total.last,
        affected=affected,
        sessions=len(total.sessions),
        impact=impact,
        systematic=systematic,
        scope=scope_of(total.agents),
        subject=catch.subject,
        off=total.off or (),
    )


def kind_of(catch: Catch) -> tuple[str, str]:
    """Return the subject and the tool of a catch; an empty tool if it may occur for any."""
    return catch.subject, "" if catch.check == PHANTOM_TOOL else catch.tool


def count_decisions(
    connection: sqlite3.Connection,
    kinds: set[tuple[str, str]],
    *,
    since: str = "",
    until: str = _LAST_DAY,
) -> int:
    """Return the number of decisions of some kinds in [since, until), which are days."""
    sql = "SELECT total(decisions) FROM tallies WHERE subject = ? AND day >= ? AND day < ?"
    count = 0
    for subject, tool in kinds:
        # the kind without a tool counts every decision of the subject already
        if tool and (subject, "") in kinds:
            continue
        more, values = (" AND tool = ?", (tool,)) if tool else ("", ())
        (decisions,) = connection.execute(sql + more, (subject, since, until, *values)).fetchone()
        count += int(decisions)
    return count
