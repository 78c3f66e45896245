"""Texts of the report that the terminal and the page share."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from abs_shield.report import (
    ANSWERS,
    OUTPUTS,
    STAGES,
    LayerCounts,
    LayerReport,
    RolloutStep,
    Share,
    Standing,
    is_text,
    noun_of,
    percent,
)
from abs_shield.text.safe_display import escaped, quantity

TITLES = {
    Standing.SAFE: "Safe to enforce now",
    Standing.NOT_YET: "Not yet, because",
    Standing.ENFORCED: "Enforced already",
}
NOTHING_SAFE = "nothing"
_LISTED = 3
"""Tools of a layer without blocks that are listed one by one; the others share a line."""


def interval(share: Share, *, limit: float | None = None) -> str:
    """
    Return a share with its interval; empty without observations.

    Args:
        share: The share.
        limit: The rule's limit for the upper end, in [0, 1].

    >>> interval(Share(10, 1000)), interval(Share(0, 0))
    ('1 % (0.54-1.8 %)', '')
    >>> interval(Share(2999, 3000)), interval(Share(0, 380), limit=0.01)
    ('over 99.9 % (99.8-over 99.9 %)', '0 % (0-1.001 %)')
    """
    if not share.of:
        return ""
    lower, upper = share.ends
    ends = f"{percent(lower)[:-2]}-{percent(upper, beside=limit)}"
    return f"{percent(share.hits / share.of)} ({ends})"


def place_name(step: RolloutStep) -> str:
    """Return the name of a step: a layer, or a layer on a tool."""
    where = f" on {escaped(step.tool, limit=80)}" if step.tool else ""
    return f"{escaped(step.layer)}{where}"


def row_name(row: str) -> str:
    """
    Return the readable name of a report's row.

    >>> row_name("refund"), row_name("_answers"), row_name("_outputs: pii")
    ('refund', 'answers', 'outputs: pii')
    """
    return row[1:] if is_text(row) else row


def location_text(layer: str, row: str) -> str:
    """
    Return the readable name of a layer on a row.

    >>> location_text("phantom_tool", "refund"), location_text("quality", "_outputs: pii")
    ('phantom_tool on refund', 'quality, stage pii')
    >>> location_text("answer", "_answers")
    'answer'
    """
    if row in (ANSWERS, OUTPUTS):
        return layer
    if row.startswith(STAGES):
        return f"{layer}, stage {row.removeprefix(STAGES)}"
    return f"{layer} on {row}"


def figures(step: RolloutStep, *, max_stops: float) -> str:
    """
    Return the figures of a rollout step as one line.

    A layer that never judged a call has no share.

    Args:
        step: The layer, or the layer on one tool.
        max_stops: The rule's limit for the share of calls that the layer would block, in
            [0, 1].
    """
    counts, noun = step.place.counts, noun_of(step.layer)
    if not counts.looked:
        return f"it never judged {'an' if noun[0] in 'ao' else 'a'} {noun}"
    of = calls_phrase(counts, noun)
    return f"would block {counts.would_block:,} of {of}, {interval(counts.stops, limit=max_stops)}"


def calls_phrase(counts: LayerCounts, noun: str) -> str:
    """Return the number of calls a layer judged, and of sessions if these are fewer."""
    sessions = counts.stops.sessions
    of = f" of {quantity(sessions, 'session')}" if sessions < counts.looked else ""
    return f"{quantity(counts.looked, noun)}{of}"


def fold(steps: Sequence[RolloutStep]) -> Iterator[RolloutStep | str]:
    """Yield the steps, with most tools on which a layer blocks nothing folded into one line."""
    for layer, same in groupby(steps, key=lambda step: step.layer):
        silent = 0
        rest: list[RolloutStep] = []
        for step in same:
            silent += _is_silent(step)
            if _is_silent(step) and silent > _LISTED:
                rest.append(step)
            else:
                yield step
        if rest:
            yield _one_line(layer, rest)


def _is_silent(step: RolloutStep) -> bool:
    counts = step.place.counts
    return bool(step.tool) and not (counts.would_block or step.reasons or step.caveats)


def _one_line(layer: str, rest: Sequence[RolloutStep]) -> str:
    looked = quantity(sum(step.place.counts.looked for step in rest), noun_of(layer))
    others = quantity(len(rest), "more tool")
    return f"{escaped(layer)} on {others}: would block 0 of {looked}"


def has_findings(place: LayerReport) -> bool:
    """Return whether there are findings, errors, misses or blocks."""
    counts = place.counts
    return any((counts.findings, counts.errors, counts.missed_by_all, counts.would_block))
