"""Bar charts of daily values, as SVG."""

from __future__ import annotations

from collections.abc import Iterator
from xml.etree.ElementTree import Element

from abs_shield.cli.report.daily_trend import DailySeries, series_of
from abs_shield.cli.report.html_nodes import node
from abs_shield.report import Slices

_STEP, _WIDTH, _HEIGHT = 10, 8, 40
"""A bar's step, width and maximum height, in SVG units."""
_LEAST = 1.5  # less vanishes on a screen
"""Minimum height of a bar that is not zero."""


def charts(days: Slices) -> Iterator[Element]:
    """Yield a chart of each series, one below the other."""
    all_series = [*series_of(days)]
    if not all_series:
        return
    yield node("h2", "By day, in UTC")
    yield node("div", *map(_chart, all_series), class_="trend")
    first, *_, last = all_series[0].days
    ends = node("p", node("span", first), node("span", last), class_="ends")
    yield ends


def _chart(series: DailySeries) -> Element:
    most = max(series.values)
    bars = (_bar(series, n, most) for n in range(len(series.days)))
    box = f"0 0 {len(series.days) * _STEP} {_HEIGHT}"
    drawing = Element("svg", {"viewBox": box, "preserveAspectRatio": "none", "role": "img"})
    drawing.set("aria-label", f"{series.name} by day; {series.note}")
    drawing.extend(bars)
    note = node("span", series.note, class_="note")
    label = node("figcaption", node("b", series.name), " ", note)
    return node("figure", label, drawing, class_=series.kind)


def _bar(series: DailySeries, place: int, most: float) -> Element:
    value = series.values[place]
    height = max(_LEAST, _HEIGHT * value / most) if value else 0.0
    title = f"{series.days[place]}: {series.texts[place]} {series.name}"
    return node(
        "rect",
        node("title", title),
        x=str(place * _STEP + 1),
        y=f"{_HEIGHT - height:.2f}",
        width=str(_WIDTH),
        height=f"{height:.2f}",
    )
