"""Tables of a report as data and texts, which the terminal and the page share."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import groupby
from typing import NamedTuple

from abs_shield.cli.report.report_summary import ReportSummary
from abs_shield.cli.report.report_text import has_findings, interval, row_name
from abs_shield.report import CHECKS, LayerReport, Slices, Sweep

COUNT_COLUMNS = (
    "calls", "ran", "unavailable", "errors", "flagged", "would block", "rate (95 %)",
)  # fmt: skip
LABEL_COLUMNS = (
    "labels", "precision (95 %)", "missed (by all)", "suppressed", "overrides", "held", "granted",
)  # fmt: skip
SWEEP_COLUMNS = ("from P", "held", "precision (95 %)", "recall (95 %)")
Places = Mapping[tuple[str, ...], LayerReport]


class CountTable(NamedTuple):
    """
    A table of counts.

    Attributes:
        title: Its title.
        names: The heads of the columns that name a row.
        places: The counts of each row, by its names.
        all_of: The head of the number of all.
    """

    title: str
    names: tuple[str, ...]
    places: Places
    all_of: str = "calls"


def check_tables(summary: ReportSummary) -> Iterator[CountTable]:
    """Yield the counts of the layers, and of the checks of results, answers and outputs."""
    report = summary.report
    if layers := report.layers():
        yield CountTable("Layers", ("layer",), {(one,): report.place(one) for one in layers})
    if checks := report.checks():
        of: Places = {(one, f"{CHECKS[one]}s"): report.place(one) for one in checks}
        yield CountTable("Checks of results, answers and outputs", ("check", "of"), of, "all")


def tool_tables(summary: ReportSummary) -> Iterator[CountTable]:
    """Yield the counts of tools and layers that found, failed or missed, and of the slices."""
    report = summary.report
    hot: Places = {
        (row_name(row), layer): place
        for row in report.rows()
        for layer in report.columns()
        if (row, layer) in report and has_findings(place := report.place(layer, row))
    }
    if hot:
        title = "Tools and layers with findings, errors or misses"
        yield CountTable(title, ("tool", "layer"), hot)
    if (slices := report.slices) is not None:
        places = _slice_rows(slices)
        names = (slices.by.value, "of")[: len(next(iter(places), ("",)))]
        yield CountTable(f"By {slices.by}", names, places, "all")


def count_texts(place: LayerReport, *, max_stops: float) -> Iterator[str]:
    """Yield the texts of `COUNT_COLUMNS`; *max_stops* is the rule's limit for the rate."""
    counts = place.counts
    yield from map(
        _number,
        (counts.calls, counts.ran, counts.unavailable, counts.errors, counts.flagged,
         counts.would_block),
    )  # fmt: skip
    yield interval(counts.stops, limit=max_stops) or "-"


def label_texts(place: LayerReport) -> Iterator[str]:
    """Yield the texts of `LABEL_COLUMNS`: labels, suppressions, overrides and approvals."""
    counts = place.counts
    yield _number(counts.precision.of)
    yield interval(counts.precision) or "-"
    yield f"{counts.missed:,} ({counts.missed_by_all:,})" if counts.missed else "-"
    yield from map(_number, (counts.suppressed, counts.overrides, counts.held, counts.granted))


def sweep_texts(sweep: Sweep) -> Iterator[tuple[str, ...]]:
    """Yield the texts of `SWEEP_COLUMNS`, a row for each range of thresholds with equal results."""
    for _, same in groupby(sweep.points(), key=lambda p: (p.held, p.precision, p.recall)):
        points = [*same]
        first, last = f"{points[0].threshold:.2f}", f"{points[-1].threshold:.2f}"
        yield (
            first if first == last else f"{first}-{last}",
            _number(points[0].held.hits),
            interval(points[0].precision) or "-",
            interval(points[0].recall) or "-",
        )


def sweeps_of(summary: ReportSummary) -> dict[str, Sweep]:
    """Return the sweeps of checks with labels."""
    sweeps = summary.report.sweeps.items()
    return {check: sweep for check, sweep in sweeps if sweep.labels or sweep.unscored_labels}


def unscored_text(sweep: Sweep) -> str:
    """Return a line about decisions without a probability; empty without any."""
    if not sweep.unscored:
        return ""
    labelled = f", {sweep.unscored_labels:,} of them labelled" * bool(sweep.unscored_labels)
    return f"Without P(hallucination), so not counted here: {sweep.unscored:,}{labelled}."


def _slice_rows(slices: Slices) -> Places:
    """Return the rows of slices by value, and by subject if there are several."""
    places = slices.places()
    several = len({subject for _, subject in places}) > 1
    return {(v, f"{s}s") if several else (v,): place for (v, s), place in places.items()}


def _number(count: int) -> str:
    return f"{count:,}" if count else "-"
