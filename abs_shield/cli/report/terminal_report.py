"""The report as tables and lines for the terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import groupby, islice

from rich.console import RenderableType
from rich.text import Text

from abs_shield.cli.console import line, safe
from abs_shield.cli.heat_table import LEGEND, heat_table
from abs_shield.cli.report.daily_trend import sparklines
from abs_shield.cli.report.report_columns import ReportColumn, fit_table
from abs_shield.cli.report.report_summary import ReportSummary
from abs_shield.cli.report.report_text import (
    NOTHING_SAFE,
    TITLES,
    figures,
    fold,
    has_findings,
    interval,
    place_name,
    row_name,
)
from abs_shield.replay.report import CHECKS, LayerReport, RolloutStep, Slices, Standing, Sweep
from abs_shield.text.show import LONGEST_NAME, quantity

COUNT_COLUMNS = (
    "calls", "ran", "unavailable", "errors", "flagged", "would block", "rate (95 %)",
)  # fmt: skip
LABEL_COLUMNS = (
    "labels", "precision (95 %)", "missed (by all)", "suppressed", "overrides", "held", "granted",
)  # fmt: skip
SWEEP_COLUMNS = ("from P", "held", "precision (95 %)", "recall (95 %)")
_SPARE_COLUMNS = {
    "ran": 6, "unavailable": 5, "calls": 3, "flagged": 2, "errors": 1,
    "granted": 5, "held": 5, "suppressed": 4, "overrides": 3,
}  # fmt: skip
Places = Mapping[tuple[str, ...], LayerReport]


def terminal_report(
    summary: ReportSummary, *, rows: int, width: int = 120
) -> Iterator[RenderableType]:
    """
    Yield the parts of a report in order: totals, layers, tools, heatmap, and what is safe.

    Args:
        summary: The report.
        rows: Tools that the tables show at most.
        width: Characters of a line of the terminal.
    """
    yield safe(summary.log, style="bold", limit=200)
    if summary.integrity is not None:
        style = "" if summary.integrity.is_intact else "bold red"
        yield from (
            Text(f"  {sentence}", style=style) for sentence in summary.integrity.sentences()
        )
    yield from (Text(f"  {sentence}") for sentence in summary.totals())
    yield from _trend(summary)
    if not summary.report.columns():
        return
    yield from _layers(summary, width)
    yield from _muted(summary)
    yield from _silenced(summary, rows)
    yield from _tools(summary, rows, width)
    yield from _slices(summary, rows, width)
    yield from _sweeps(summary, width)
    yield from _heatmap(summary, rows, width)
    for standing in TITLES:
        yield from _listed(summary, standing)
    if modes := summary.modes_line():
        yield _title("Add to your policy")
        yield line("  ", safe(modes, limit=100_000))
    yield _title("The rule: a layer is safe to enforce where all of this holds")
    yield from (
        Text(f"  {n}. {label_texts}") for n, label_texts in enumerate(summary.rule.sentences(), 1)
    )


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


def slice_rows(slices: Slices) -> Places:
    """Return the rows of slices by value, and by subject if there are several."""
    places = slices.places()
    several = len({subject for _, subject in places}) > 1
    return {(v, f"{s}s") if several else (v,): place for (v, s), place in places.items()}


def _number(count: int) -> str:
    return f"{count:,}" if count else "-"


def _title(text: str) -> Text:
    return Text(f"\n{text}", style="bold")


def _tables(
    places: Places, *names: str, width: int, max_stops: float, all_of: str = "calls"
) -> Iterator[RenderableType]:
    """Yield a table of counts, and one of labels if there are any."""
    heads = [ReportColumn(name, is_number=False) for name in names]
    texts = partial(count_texts, max_stops=max_stops)
    yield from _fit_rows(places, heads, (all_of, *COUNT_COLUMNS[1:]), texts, width)
    with_labels = {key: place for key, place in places.items() if {*label_texts(place)} != {"-"}}
    if with_labels:
        yield from _fit_rows(with_labels, heads, LABEL_COLUMNS, label_texts, width)


def _fit_rows(
    places: Places,
    heads: list[ReportColumn],
    names: Sequence[str],
    texts: Callable[[LayerReport], Iterator[str]],
    width: int,
) -> Iterator[RenderableType]:
    columns = [*heads, *(ReportColumn(name, _SPARE_COLUMNS.get(name, 0)) for name in names)]
    rows = [
        [*(safe(name, limit=LONGEST_NAME) for name in key), *map(Text, texts(place))]
        for key, place in places.items()
    ]
    yield from fit_table(columns, rows, width=width)


def _muted(summary: ReportSummary) -> Iterator[Text]:
    if summary.muted:
        yield Text("Muted, which says nothing whatever a call does:")
    for layer, why in summary.muted.items():
        yield line("  ", safe(layer, style="bold", limit=40), ": ", safe(why))


def _silenced(summary: ReportSummary, rows: int) -> Iterator[Text]:
    silenced = [*summary.silenced()]
    if silenced:
        yield Text("Findings that a suppression silences:")
    for place, findings in silenced[:rows]:
        yield line("  ", safe(place, style="bold"), ": ", safe(findings, limit=1_000))
    yield from _more(len(silenced) - rows, "row")


def _layers(summary: ReportSummary, width: int) -> Iterator[RenderableType]:
    report = summary.report
    tables = partial(_tables, width=width, max_stops=summary.rule.max_stops)
    if layers := report.layers():
        yield _title("Layers")
        yield from tables({(one,): report.place(one) for one in layers}, "layer")
    if checks := report.checks():
        yield _title("Checks of results, answers and outputs")
        of: Places = {(one, f"{CHECKS[one]}s"): report.place(one) for one in checks}
        yield from tables(of, "check", "of", all_of="all")


def _tools(summary: ReportSummary, rows: int, width: int) -> Iterator[RenderableType]:
    """Yield a table of the tools and layers with findings, errors or misses, at most *rows*."""
    report = summary.report
    hot: dict[tuple[str, ...], LayerReport] = {
        (row_name(row), layer): place
        for row in report.rows()
        for layer in report.columns()
        if (row, layer) in report and has_findings(place := report.place(layer, row))
    }
    if hot:
        yield _title("Tools and layers with findings, errors or misses")
        shown = dict(islice(hot.items(), rows))
        limit = summary.rule.max_stops
        yield from _tables(shown, "tool", "layer", width=width, max_stops=limit)
        yield from _more(len(hot) - rows, "row")


def _slices(summary: ReportSummary, rows: int, width: int) -> Iterator[RenderableType]:
    slices = summary.report.slices
    if slices is None:
        return
    yield _title(f"By {slices.by}")
    places = slice_rows(slices)
    names = (slices.by.value, "of")[: len(next(iter(places), ("",)))]
    shown, limit = dict(islice(places.items(), rows)), summary.rule.max_stops
    yield from _tables(shown, *names, width=width, max_stops=limit, all_of="all")
    yield from _more(len(places) - rows, "row")


def _sweeps(summary: ReportSummary, width: int) -> Iterator[RenderableType]:
    for check, sweep in sweeps_of(summary).items():
        yield _title(f"Thresholds of {check}: what each would hold back, by P(hallucination)")
        columns = [ReportColumn(name) for name in SWEEP_COLUMNS]
        yield from fit_table(
            columns, [[*map(Text, row)] for row in sweep_texts(sweep)], width=width
        )
        if text := unscored_text(sweep):
            yield Text(text)


def _heatmap(summary: ReportSummary, rows: int, width: int) -> Iterator[RenderableType]:
    yield _title("Risk heatmap: findings that weigh, by tool and layer")
    for layers, heat in summary.report.grids():
        shown = [replace(row, tool=row_name(row.tool)) for row in heat[:rows]]
        yield from heat_table(shown, layers, width=width)
        yield from _more(len(heat) - rows, "tool")
    yield Text(LEGEND)


def _trend(summary: ReportSummary) -> Iterator[Text]:
    lines = [*sparklines(summary.report.days)]
    if lines:
        yield _title("By day, in UTC")
        yield from (Text(f"  {text}") for text in lines)


def _more(left: int, noun: str) -> Iterator[Text]:
    if left > 0:
        yield Text(
            f"and {quantity(left, noun)} more: --rows, --format json, or --html", style="dim"
        )


def _listed(summary: ReportSummary, standing: Standing) -> Iterator[Text]:
    steps = summary.standing(standing)
    if not steps and standing is Standing.ENFORCED:
        return
    yield _title(TITLES[standing])
    if not steps:
        yield Text(f"  {NOTHING_SAFE}")
    for step in fold(steps):
        if isinstance(step, str):
            yield Text(f"  {step}")
        else:
            yield from _step(step, summary.rule.max_stops)


def _step(step: RolloutStep, max_stops: float) -> Iterator[Text]:
    yield line(
        "  ", safe(place_name(step), style="bold"), f": {figures(step, max_stops=max_stops)}"
    )
    for reason in step.reasons:
        yield line("    - ", safe(reason.message))
    for todo in step.todos:
        yield line("    next: ", safe(todo))
    if step.look_at:
        yield line("    look at: ", safe(" ".join(step.look_at), limit=1_000))
    for caveat in step.caveats:
        yield line("    note: ", safe(caveat))
