"""One panel of the dashboard, without a library of Grafana, and the parts that panels share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from abs_shield.telemetry.grafana import promql
from abs_shield.telemetry.grafana.promql import bucket, growth, quantile, rate, select, sum_by

RANGE = "$__range"
"""The time that the dashboard shows."""
INTERVAL = "$__rate_interval"
"""The time behind one point of a curve; Grafana takes at least four scrapes."""

IN_SERVICE = f'{promql.JOB}=~"$job"'
IN_TOOL = (IN_SERVICE, f'{promql.TOOL}=~"$tool"')
IN_MODE = (*IN_TOOL, f'{promql.MODE}=~"$mode"')
NOT_RUN = -1
"""Value of a cell of the heatmap where a check was asked and never ran."""

ColourSteps = dict[float | None, str]
"""Colour of values from a bound on; the first, of None, is that of smaller ones and of no value."""


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
        meaning: One or two sentences for the reader who wonders what it shows.
        queries: Its queries.
        kind: A number, curves, or the heatmap.
        unit: The unit as Grafana names it, e.g. ``"percentunit"``.
        width: Columns of 24.
        stacked: Whether curves stand upon each other.
        steps: Colours by value; None for the colours of curves.
        colours: Name of a curve to its colour.
        most: The upper end of the axis; None where it follows the curves.
    """

    title: str
    meaning: str
    queries: tuple[PanelQuery, ...]
    kind: Literal["number", "curves", "heatmap"] = "curves"
    unit: str = "short"
    width: int = 12
    stacked: bool = False
    steps: ColourSteps | None = None
    colours: dict[str, str] | None = None
    most: float | None = None


def total(selector: str) -> str:
    """Return by how much counters grew in the time that the dashboard shows."""
    return sum_by((), growth(selector, RANGE))


def curve(selector: str, *labels: str) -> str:
    """Return the growth per second of counters by labels."""
    return sum_by(labels, rate(selector, INTERVAL))


def growth_curve(selector: str, *labels: str) -> str:
    """Return by how much rare counters grew between two points of a curve, the first time too."""
    return sum_by(labels, growth(selector, INTERVAL))


def percentile(level: float, histogram: str, *labels: str, within: tuple[str, ...]) -> str:
    """
    Return a quantile of a histogram by labels.

    Args:
        level: The quantile, in [0, 1].
        histogram: The name of the histogram.
        labels: The labels of the curves.
        within: Matchers of the series that count.
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
