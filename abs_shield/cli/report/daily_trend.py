"""Daily values of a log: calls judged, and shares flagged or blocked; as bar charts in SVG."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple
from xml.etree.ElementTree import Element

from abs_shield.cli.report.html_nodes import node
from abs_shield.core import Subject
from abs_shield.report import LayerReport, Slices, percent

_BARS = " ▁▂▃▄▅▆▇█"
MOST_DAYS = 60
"""Maximum number of days, the newest: two months, each day a character."""


class DailySeries(NamedTuple):
    """
    One value by day.

    Attributes:
        name: Its name.
        kind: calls, flagged, blocked or error.
        days: The days, in order; those without a decision are left out.
        values: A value for each.
        texts: The values as text.
    """

    name: str
    kind: str
    days: tuple[str, ...]
    values: tuple[float, ...]
    texts: tuple[str, ...]

    @property
    def note(self) -> str:
        """The highest value and the newest one."""
        top = self.values.index(max(self.values))
        return f"most: {self.texts[top]} on {self.days[top]}, newest: {self.texts[-1]}"


_RATES: dict[str, tuple[str, Callable[[LayerReport], int]]] = {
    "flagged": ("flagged", lambda place: place.counts.flagged),
    "would block": ("blocked", lambda place: place.counts.would_block),
    "errors": ("error", lambda place: place.counts.errors),
}


def series_of(days: Slices) -> Iterator[DailySeries]:
    """Yield the number of calls by day, and each share of them that is not always zero."""
    subject, places = _newest(days)
    if len(places) < 2:  # one day is no trend
        return
    names = tuple(places)
    numbers = [place.counts.calls for place in places.values()]
    yield DailySeries(
        f"{subject}s", "calls", names, tuple(numbers), tuple(f"{n:,}" for n in numbers)
    )
    for name, (kind, count) in _RATES.items():
        hits = [count(place) for place in places.values()]
        if any(hits):
            shares = tuple(n / of for n, of in zip(hits, numbers, strict=True))
            yield DailySeries(name, kind, names, shares, tuple(map(percent, shares)))


def _newest(days: Slices) -> tuple[Subject, Mapping[str, LayerReport]]:
    """Return the newest days of calls, or of results, answers or outputs without calls."""
    for subject in Subject:
        places = {day: place for (day, _), place in days.places(subject).items()}
        if places:
            return subject, dict(list(places.items())[-MOST_DAYS:])
    return Subject.CALL, {}


def sparklines(days: Slices) -> Iterator[str]:
    """Yield a line of bars for each series, and one that names the days."""
    for series in (all_series := [*series_of(days)]):
        yield f"{series.name:12}{bars(series.values)}  {series.note}"
    if all_series:
        first, *_, last = all_series[0].days
        yield f"{'':12}{first} to {last}; a day without any is left out"


def bars(values: Sequence[float]) -> str:
    """
    Return values as bars; every value above zero is visible.

    >>> bars([0, 1, 400, 800])
    ' ▁▄█'
    """
    most = max(values)
    if not most:
        return _BARS[0] * len(values)
    top = len(_BARS) - 1
    return "".join(_BARS[max(int(value > 0), round(top * value / most))] for value in values)


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
