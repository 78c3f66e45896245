"""Estimate how the counts of a log are spread over sessions, from its newest decisions."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from itertools import groupby

from abs_shield.core import Decision
from abs_shield.core.label import Label, Truth
from abs_shield.report.layer_counts import SHARES, LayerCounts, Observations, Spread
from abs_shield.report.report_rows import STAGES, cases_of
from abs_shield.stats.share_intervals import Clusters, Effect
from abs_shield.stores.decision_patterns import DecisionPattern, pattern_of

ALL_ROWS = ""
"""The key for all rows of a layer."""
_ESTIMATED = {  # labels are read whole; all else is estimated from the newest decisions
    "coverage": "calls", "stops": "looked", "unproven_stops": "looked", "alert_rate": "looked",
}  # fmt: skip
"""Shares of all decisions, and the count of their observations; other shares need labels."""
_BLOCKS = SHARES.index("labelled_blocks")
_BITS = 32
"""Bits for each number in a packed integer: no session has as many decisions."""
_MASK = (1 << _BITS) - 1  # the lowest of the packed numbers

Cell = tuple[str, str]
"""A row and a layer."""
SessionCount = tuple[str, int, int]
"""A session's id, the number of a pattern, and how many of its decisions have it."""
Packed = int
"""The observations and hits of each share in one integer, added in one operation."""
Cells = dict[Cell, Packed]
"""The packed observations of a decision or a session, by cell."""


class Spreads:
    """
    The spread of the counts of each cell over sessions.

    Args:
        sessions: The newest decisions of a log, by session and pattern, in groups.
        patterns: The patterns by number; decisions with other patterns are left out.
        labelled: All decisions that have a label.
    """

    def __init__(
        self,
        sessions: Iterable[SessionCount],
        patterns: Mapping[int, DecisionPattern],
        labelled: Iterable[tuple[Decision, Label]] = (),
    ) -> None:
        cells_by_pattern = {number: _cells(one, None) for number, one in patterns.items()}
        self._newest = _count(_sessions(sessions, cells_by_pattern))
        by_session: defaultdict[str, Cells] = defaultdict(dict)
        for decision, label in labelled:
            session = by_session[decision.session_id or decision.id]
            _add(session, _cells(pattern_of(decision), label.truth), 1)
        self._labelled = _count(by_session.values())

    def of(self, row: str, layer: str, counts: LayerCounts) -> Spread:
        """
        Return how the counts of a cell are spread over sessions.

        Args:
            row: The row; `ALL_ROWS` for all.
            layer: The layer.
            counts: Its counts; if they cover more decisions than the sample, the number of
                sessions is scaled up.
        """
        newest: Mapping[Packed, int] = self._newest.get((row, layer), {})
        labelled: Mapping[Packed, int] = self._labelled.get((row, layer), {})
        assumed = {}
        for share, name in _ESTIMATED.items():
            clusters, of, hits = _clusters(newest, SHARES.index(share))
            effect = clusters.effect(hits, of)
            sessions = _scale(effect.clusters, getattr(counts, name), of)
            assumed[share] = Effect(sessions, effect.design)
        clusters_of = [_clusters(labelled, share)[0] for share in range(len(SHARES))]
        blocks, of, _ = _clusters(newest, _BLOCKS)
        # blocks are scaled like calls, as most have no label
        blocking = _scale(blocks.count, counts.found_blocks, of)
        # but never below those that are labelled
        clusters_of[_BLOCKS] = Clusters(count=max(blocking, clusters_of[_BLOCKS].count))
        return Spread(clusters_of, assumed)


def _sessions(
    counts: Iterable[SessionCount], cells_by_pattern: Mapping[int, Cells]
) -> Iterator[Cells]:
    """Yield the cells of each session; a decision without a session counts as one."""
    for session, group in groupby(counts, key=lambda count: count[0]):
        parts = [
            (cells_by_pattern[number], times)
            for _, number, times in group
            if number in cells_by_pattern
        ]
        if not session:  # decisions without a session are sessions of their own
            for cells, times in parts:
                yield from [cells] * times
            continue
        total: Cells = {}
        for cells, times in parts:
            _add(total, cells, times)
        yield total


def _add(total: Cells, cells: Cells, times: int) -> None:
    for cell, packed in cells.items():
        total[cell] = total.get(cell, 0) + times * packed


def _count(sessions: Iterable[Cells]) -> dict[Cell, Counter[Packed]]:
    """Count the sessions of each cell by their packed counts, which are mostly equal."""
    by_cell: defaultdict[Cell, Counter[Packed]] = defaultdict(Counter)
    for session in sessions:
        for cell, packed in session.items():
            by_cell[cell][packed] += 1
    return by_cell


@lru_cache(maxsize=8_192)  # the views of a dashboard count the same patterns again and again
def _cells(pattern: DecisionPattern, truth: Truth | None) -> Cells:
    by_cell: Cells = {}
    for row, layer, case in cases_of(pattern.decision(), truth):
        packed = _pack(case.observations)
        # a stage counts in its own row only
        cells = ((row, layer),) if row.startswith(STAGES) else ((row, layer), (ALL_ROWS, layer))
        for cell in cells:
            by_cell[cell] = by_cell.get(cell, 0) + packed
    return by_cell


def _pack(observations: Observations) -> Packed:
    numbers = [number for counts, hit in observations for number in (counts, counts and hit)]
    return sum(int(number) << place * _BITS for place, number in enumerate(numbers))


def _clusters(sessions: Mapping[Packed, int], share: int) -> tuple[Clusters, int, int]:
    """Return the clusters of a share, with the sums of their observations and of their hits."""
    clusters, total, total_hits = Clusters(), 0, 0
    for packed, times in sessions.items():
        of = packed >> 2 * share * _BITS & _MASK  # two numbers for each share
        hits = packed >> (2 * share + 1) * _BITS & _MASK
        if of:
            clusters.add(of=of, hits=hits, times=times)
            total, total_hits = total + times * of, total_hits + times * hits
    return clusters, total, total_hits


def _scale(clusters: int, wanted: int, of: int) -> int:
    """Return the number of sessions scaled from *of* to *wanted* observations."""
    return round(clusters * wanted / of) if of else 0
