"""Reviews of gaps by a person: accept, reject, or merge into another gap."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from os import PathLike
from time import time
from typing import Any, NamedTuple

from abs_shield.errors import StoreError
from abs_shield.flywheel.curate import gaps_in, refresh, save_gap
from abs_shield.flywheel.flywheel_database import database, parse_row
from abs_shield.flywheel.gap import Gap, GapState
from abs_shield.flywheel.gap_grouping import assign_gaps, final_gap, merges_of
from abs_shield.flywheel.harvest_tables import UNGROUPED
from abs_shield.text.nearest import nearest
from abs_shield.text.safe_display import escaped

_LONGEST = 1_000  # a reason is a few sentences; it is repeated in each status
_LISTED = 3  # enough to see the form of an id


class Choice(StrEnum):
    """The choices of a review."""

    ACCEPT = "accept"
    REJECT = "reject"
    MERGE = "merge"


_STATES = {
    Choice.ACCEPT: GapState.ACCEPTED, Choice.REJECT: GapState.REJECTED,
    Choice.MERGE: GapState.MERGED,
}  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Review:
    """
    One review of a gap; it is never deleted.

    Attributes:
        gap: The gap's id.
        choice: The choice.
        by: The reviewer.
        why: The reason, in one line.
        into: The gap to merge it into; empty for other choices.
        at: Seconds since the epoch, UTC; set when it is applied.
        right_answer: The right answer instead of the catches' claims, if the reviewer knows it;
            `mutate` uses it for training.
    """

    gap: str
    choice: Choice
    by: str
    why: str
    into: str = ""
    at: float = 0.0
    right_answer: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Return the review as JSON-able data."""
        return asdict(self)

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> Review:
        """Return the review from the data of `to_dict`."""
        return cls(**{**record, "choice": Choice(record["choice"])})


class Mistake(NamedTuple):
    """
    A review that cannot be applied.

    Attributes:
        place: Its index among the reviews, from 0; for a file, the number of the line.
        message: The problem and its solution, in one line.
    """

    place: int
    message: str


def review(book: str | PathLike[str], reviews: Sequence[Review]) -> int:
    """
    Apply reviews of gaps: all of them, or none.

    Reviews that are already in effect are skipped. A different review of a merged gap undoes the
    merge.

    Args:
        book: The flywheel's file.
        reviews: At most one per gap.

    Returns:
        The number of new reviews.

    Raises:
        StoreError: One of them cannot be applied; then none is.
    """
    with database(book) as connection:
        gaps = {gap.id: gap for gap in gaps_in(connection)}
        # all are checked before any is applied
        if wrong := mistakes_of(reviews, gaps):
            raise StoreError("; ".join(mistake.message for mistake in wrong))
        new = [one for one in reviews if not _is_applied(one, gaps[one.gap])]
        for one in new:
            _apply(connection, gaps[one.gap], replace(one, at=one.at or time()))
        if any(one.choice is Choice.MERGE or gaps[one.gap].into for one in new):
            assign_gaps(connection)
            refresh(connection)
        return len(new)


def reviews_of(book: str | PathLike[str], gap: str | None = None) -> list[Review]:
    """Return all reviews of a gap, or of all gaps, oldest first."""
    with database(book) as connection:
        rows = connection.execute("SELECT gap, body FROM reviews ORDER BY number").fetchall()
    return [
        parse_row(body, Review.from_dict, f"a review of gap `{escaped(key)}`")
        for key, body in rows
        if gap in (None, key)
    ]


def not_applied(book: str | PathLike[str], reviews: Iterable[Review]) -> list[Review]:
    """
    Return the reviews that were not applied before with the same content.

    A file that is imported again must not undo later changes, such as a rollback.
    """
    applied = {_without_time(one) for one in reviews_of(book)}
    return [one for one in reviews if _without_time(_bound(one)) not in applied]


def _without_time(one: Review) -> Review:
    return replace(one, at=0.0)


def _bound(one: Review) -> Review:
    """Return a review as it is stored: with its texts in one line each."""
    return replace(
        one,
        by=escaped(one.by.strip(), limit=_LONGEST),
        why=escaped(one.why.strip(), limit=_LONGEST),
        right_answer=escaped(one.right_answer.strip(), limit=_LONGEST),
    )


def mistakes_of(reviews: Iterable[Review], gaps: Mapping[str, Gap]) -> list[Mistake]:
    """Return the mistakes of reviews of these gaps, by index."""
    every = list(reviews)
    merged = {one.gap: one.into for one in every}
    first: set[str] = set()
    mistakes = []
    for place, one in enumerate(every):
        message = _mistake(one, gaps, merged)
        if not message and one.gap in first:
            message = f"`{escaped(one.gap)}` is decided twice; decide once"
        first.add(one.gap)
        if message:
            mistakes.append(Mistake(place, message))
    return mistakes


def _mistake(one: Review, gaps: Mapping[str, Gap], merged: Mapping[str, str]) -> str:
    """Return the mistake of one review; empty if it can be applied."""
    gap = gaps.get(one.gap)
    if gap is None:
        return f"no gap has the id `{escaped(one.gap)}`; {_hint(one.gap, gaps)}"
    if not one.by.strip():
        return f"`{gap.id}` has no reviewer; name the reviewer"
    if not one.why.strip():
        return f"`{gap.id}` has no reason; say why in one line"
    if one.right_answer.strip() and one.choice is not Choice.ACCEPT:
        return f"`{gap.id}` has a right answer and is not accepted; accept it, or leave that out"
    return _wrong_target(one, gaps, merged) if one.choice is Choice.MERGE else ""


def _wrong_target(one: Review, gaps: Mapping[str, Gap], merged: Mapping[str, str]) -> str:
    into = escaped(one.into)
    if not one.into:
        return f"`{one.gap}` is to be merged, but no target gap is named; write its id"
    if one.into not in gaps:
        return f"`{one.gap}` cannot be merged into `{into}`: no gap has that id; " + _hint(
            one.into, gaps
        )
    if one.into == one.gap:
        return f"`{one.gap}` cannot be merged into itself; name another gap"
    target = merged.get(one.into, gaps[one.into].into)
    if target:
        if target == one.gap:
            return f"`{one.gap}` and `{into}` cannot be merged into each other; merge one of them"
        return f"`{into}` is merged itself; merge `{one.gap}` into `{escaped(target)}`"
    return ""


def _hint(wrong: str, gaps: Mapping[str, Gap]) -> str:
    near = nearest(wrong, gaps)
    if near:
        return f"did you mean `{near[0]}`?"
    some = ", ".join(f"`{name}`" for name in list(gaps)[:_LISTED])
    return f"there are {some}" if some else "there are no gaps; run `abs-shield flywheel harvest`"


def _is_applied(one: Review, gap: Gap) -> bool:
    """Return whether a review is already in effect; a fixed gap counts as accepted."""
    new = _bound(one).right_answer
    return _is_state(one.choice, gap) and gap.into == one.into and new in ("", gap.right_answer)


def _is_state(choice: Choice, gap: Gap) -> bool:
    state = GapState.ACCEPTED if gap.state is GapState.FIXED else gap.state
    return state is _STATES[choice]


def _apply(connection: sqlite3.Connection, gap: Gap, one: Review) -> None:
    connection.execute(
        "INSERT INTO reviews (gap, at, body) VALUES (?, ?, ?)",
        (gap.id, one.at, json.dumps(_bound(one).to_dict())),
    )
    state = gap.state if _is_state(one.choice, gap) else _STATES[one.choice]
    right = _bound(one).right_answer or gap.right_answer
    save_gap(connection, replace(gap, state=state, into=one.into, right_answer=right))
    if one.into or gap.into:  # their catches must be assigned again
        holders = (gap.id, final_gap(gap.into, merges_of(connection)))
        connection.execute("UPDATE catches SET gap = ? WHERE gap IN (?, ?)", (UNGROUPED, *holders))
