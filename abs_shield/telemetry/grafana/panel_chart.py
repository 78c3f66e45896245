"""Panels of the dashboard as plain data, and expressions that panels share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from abs_shield.telemetry.grafana import promql
from abs_shield.telemetry.grafana.promql import bucket, growth, quantile, rate, select, sum_by

RANGE = "$__range"
"""The time range of the dashboard."""
INTERVAL = "$__rate_interval"
"""The window of one point of a curve; Grafana uses at least four scrape intervals."""

IN_SERVICE = f'{promql.JOB}=~"$job"'
IN_TOOL = (IN_SERVICE, f'{promql.TOOL}=~"$tool"')
IN_MODE = (*IN_TOOL, f'{promql.MODE}=~"$mode"')
NOT_RUN = -1
"""Value of a heatmap cell whose check was requested and never ran."""

ColourSteps = dict[float | None, str]
"""Lower bound to colour; None is the colour of smaller and of missing values."""


@dataclass(frozen=True, slots=True)
class PanelQuery:
    """
    One query of a panel.

    Attributes:
        expression: PromQL with the variables of the dashboard.
        legend: The name of each curve, a template of Grafana.
    """

    expression: str
    legend: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Chart:
    """
    One panel.

    Attributes:
        title: Its title.
        meaning: The description, one or two sentences.
        queries: Its queries.
        kind: A number, curves, or the heatmap.
        unit: The Grafana unit, e.g. ``"percentunit"``.
        width: Number of columns, of 24.
        stacked: Whether curves are stacked.
        steps: Colours by value; None for the colours of curves.
        colours: Name of a curve to its colour.
        most: The upper end of the axis; None to fit the curves.
    """

    title: str
    meaning: str
    queries: tuple[PanelQuery, ...]
    kind: Literal["number", "curves", "heatmap"] = "curves"
    unit: str = "short"
    width: int = 12  # half of Grafana's 24 columns
    stacked: bool = False
    steps: ColourSteps | None = None
    colours: dict[str, str] | None = None
    most: float | None = None


def total(selector: str) -> str:
    """Return the growth of counters in the time range of the dashboard."""
    return sum_by((), growth(selector, RANGE))


def curve(selector: str, *labels: str) -> str:
    """Return the growth per second of counters by labels."""
    return sum_by(labels, rate(selector, INTERVAL))


def growth_query(selector: str, *labels: str) -> PanelQuery:
    """Return the growth of rare counters between two points, including their first increment."""
    return PanelQuery(sum_by(labels, growth(selector, INTERVAL)), legend_of(*labels))


def percentile(level: float, histogram: str, *labels: str, within: tuple[str, ...]) -> str:
    """
    Return a quantile of a histogram by labels.

    Args:
        level: The quantile, in [0, 1].
        histogram: The name of the histogram.
        labels: The labels of the curves.
        within: Matchers that select the series.
    """
    buckets = select(bucket(histogram), *within)
    return quantile(level, buckets, *labels, window=INTERVAL)


def legend_of(*labels: str) -> str:
    """
    Return the template of a legend.

    >>> legend_of("job", "instance")
    '{{job}} {{instance}}'
    """
    return " ".join(f"{{{{{label}}}}}" for label in labels)
