"""The report as tables and lines for the terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import islice

from rich.console import RenderableType
from rich.text import Text

from abs_shield.cli.console import line, safe
from abs_shield.cli.heat_table import LEGEND, heat_table
from abs_shield.cli.report.daily_trend import sparklines
from abs_shield.cli.report.report_summary import ReportSummary
from abs_shield.cli.report.report_tables import (
    COUNT_COLUMNS,
    LABEL_COLUMNS,
    SWEEP_COLUMNS,
    CountTable,
    Places,
    ReportColumn,
    check_tables,
    count_texts,
    fit_table,
    label_texts,
    sweep_texts,
    sweeps_of,
    tool_tables,
    unscored_text,
)
from abs_shield.cli.report.report_text import (
    NOTHING_SAFE,
    TITLES,
    figures,
    fold,
    place_name,
    row_name,
)
from abs_shield.report import LayerReport, RolloutStep, Standing
from abs_shield.text.safe_display import LONGEST_NAME, quantity

# the higher the number, the earlier a column is dropped from a narrow table
_SPARE_COLUMNS = {
    "ran": 6, "unavailable": 5, "calls": 3, "flagged": 2, "errors": 1,
    "granted": 5, "held": 5, "suppressed": 4, "overrides": 3,
}  # fmt: skip


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
    yield from _counts(summary, check_tables(summary), width=width)
    yield from _muted(summary)
    yield from _silenced(summary, rows)
    yield from _counts(summary, tool_tables(summary), rows, width=width)
    yield from _sweeps(summary, width)
    yield from _heatmap(summary, rows, width)
    for standing in TITLES:
        yield from _listed(summary, standing)
    if modes := summary.modes_line():
        yield _title("Add to your policy")
        yield line("  ", safe(modes, limit=100_000))
    yield _title("The rule: a layer is safe to enforce if all of these conditions hold")
    yield from (
        Text(f"  {n}. {label_texts}") for n, label_texts in enumerate(summary.rule.sentences(), 1)
    )


def _title(text: str) -> Text:
    return Text(f"\n{text}", style="bold")


def _counts(
    summary: ReportSummary, tables: Iterable[CountTable], rows: int | None = None, *, width: int
) -> Iterator[RenderableType]:
    """Yield tables of counts, each followed by one of labels if there are any."""
    texts = partial(count_texts, max_stops=summary.rule.max_stops)
    for table in tables:
        yield _title(table.title)
        heads = [ReportColumn(name, is_number=False) for name in table.names]
        shown = dict(islice(table.places.items(), rows))
        yield from _fit_rows(shown, heads, (table.all_of, *COUNT_COLUMNS[1:]), texts, width)
        with_labels = {key: place for key, place in shown.items() if {*label_texts(place)} != {"-"}}
        if with_labels:
            yield from _fit_rows(with_labels, heads, LABEL_COLUMNS, label_texts, width)
        yield from _more(len(table.places) - len(shown), "row")


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
        yield Text("Silent layers, which cannot change a verdict:")
    for layer, why in summary.muted.items():
        yield line("  ", safe(layer, style="bold", limit=40), ": ", safe(why))


def _silenced(summary: ReportSummary, rows: int) -> Iterator[Text]:
    silenced = [*summary.silenced()]
    if silenced:
        yield Text("Findings that a suppression silences:")
    for place, findings in silenced[:rows]:
        yield line("  ", safe(place, style="bold"), ": ", safe(findings, limit=1_000))
    yield from _more(len(silenced) - rows, "row")


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
    yield _title("Risk heatmap: findings that count, by tool and layer")
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
