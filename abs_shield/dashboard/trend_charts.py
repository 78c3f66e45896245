"""Charts of each check's rate of findings and of quality scores over time."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from functools import lru_cache
from statistics import fmean
from typing import Any

from abs_shield.core import LAYER_NAMES
from abs_shield.dashboard.heatmap_cells import rate_of
from abs_shield.dashboard.view_filters import UNNAMED, Filters
from abs_shield.report.layer_report import LayerReport
from abs_shield.report.report_rows import STAGES, cases_of
from abs_shield.stats.control_charts import p_chart
from abs_shield.stores.decision_patterns import HOUR_S, DecisionPattern
from abs_shield.stores.hourly_counts import PatternCount
from abs_shield.stores.sealed_record import ScoreRecord
from abs_shield.text.safe_display import encodable

MOST_POINTS = 200
"""Maximum number of points on a chart: more would be closer than two pixels on a narrow screen."""
_MOST_SCORE_CHARTS = 12  # more charts than fit on a page hide the important ones
_STEPS = (1, 3, 6, 12, 24, 7 * 24, 28 * 24)
"""Allowed hours per point of a chart."""


def hours_per_point(filters: Filters, first: float, last: float) -> int:
    """Return the hours per point of a chart, so that it has at most `MOST_POINTS` points."""
    since = first if filters.since is None else max(first, filters.since)
    until = last if filters.until is None else min(last, filters.until)
    hours = max(1.0, (until - since) / HOUR_S)
    return next((step for step in _STEPS if hours / step <= MOST_POINTS), _STEPS[-1])


def rate_charts(counts: Iterable[PatternCount], filters: Filters) -> list[dict[str, Any]]:
    """
    Return a chart for each check: its rate over time, with control limits.

    Args:
        counts: The counts of consecutive periods.
        filters: The filters of the view.

    Returns:
        ``{check, usual, at, rate, lower, upper, hits, of, outside}``; *at* in seconds since the
        epoch; each list has one item per period.
    """
    totals: dict[str, dict[float, list[int]]] = defaultdict(dict)
    starts: set[float] = set()
    for count in counts:
        if not filters.admit(count.pattern.decision()):
            continue
        starts.add(count.start)
        for check, hits, of in _shares(count.pattern):
            total = totals[check].setdefault(count.start, [0, 0])
            total[0] += hits * count.decisions
            total[1] += of * count.decisions
    order = [*LAYER_NAMES, *(name for name in totals if name not in LAYER_NAMES)]
    return [_chart(check, totals[check], sorted(starts)) for check in order if check in totals]


def _chart(check: str, by_start: dict[float, list[int]], starts: list[float]) -> dict[str, Any]:
    times = [(hits, of) for hits, of in (by_start.get(start, (0, 0)) for start in starts)]
    usual, points = p_chart(times)
    return {
        "check": check,
        "usual": usual,
        "at": starts,
        "rate": [point.rate for point in points],
        "lower": [point.lower for point in points],
        "upper": [point.upper for point in points],
        "hits": [hits for hits, _ in times],
        "of": [of for _, of in times],
        "outside": [point.outside for point in points],
    }


# as many patterns as the store caches; each occurs at many points of a chart
@lru_cache(maxsize=8_192)
def _shares(pattern: DecisionPattern) -> tuple[tuple[str, int, int], ...]:
    """Return for each check its hits and its runs in a decision of the pattern, each 0 or 1."""
    shares = []
    for row, check, case in cases_of(pattern.decision(), None):
        if row.startswith(STAGES):
            continue  # the row of outputs includes its stages
        place = LayerReport()
        place.update(case)
        rate = rate_of(place)
        shares.append((check, rate.hits, rate.of))
    return tuple(shares)


def score_charts(
    scores: Iterable[ScoreRecord], filters: Filters, *, hours: int
) -> list[dict[str, Any]]:
    """
    Return a chart of quality scores for each agent, task type and model: the 12 largest.

    Args:
        scores: The scores of a log, oldest first.
        filters: The filters of the view.
        hours: Hours per point of the chart.

    Returns:
        ``{series, at, mean, low, high, scores}``: the mean, the lowest and the highest score of
        each period, 0 to 100, and the number of scores.
    """
    length = hours * HOUR_S
    scores_by_series: dict[tuple[str, str, str], dict[float, list[float]]] = defaultdict(dict)
    for one in scores:
        names = encodable(one.agent or UNNAMED), encodable(one.model or UNNAMED)
        if filters.agent in ("", names[0]) and filters.model in ("", names[1]):
            series = scores_by_series[one.agent, one.task_type, one.model]
            series.setdefault(one.at // length * length, []).append(one.score)
    largest = sorted(scores_by_series.items(), key=lambda pair: -sum(map(len, pair[1].values())))
    return [
        {
            "series": ", ".join(part for part in series if part) or "all outputs",
            "at": [*times],
            "mean": [fmean(some) for some in times.values()],
            "low": [min(some) for some in times.values()],
            "high": [max(some) for some in times.values()],
            "scores": [len(some) for some in times.values()],
        }
        for series, times in largest[:_MOST_SCORE_CHARTS]
    ]
