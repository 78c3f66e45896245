"""A report as a person reads it in the terminal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice

from rich import box
from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from abs_shield.cli.heat import LEGEND, heat_table
from abs_shield.cli.report.summary import Summary, counted, interval, place_name
from abs_shield.cli.screen import line, safe
from abs_shield.replay.report import Place, Standing, Step

JUDGED = (
    "calls", "ran", "unavailable", "errors", "flagged", "would block", "rate (95 %)",
)  # fmt: skip
SAID = (
    "labels", "precision (95 %)", "missed (by all)", "suppressed", "overrides", "held", "granted",
)  # fmt: skip
TITLES = {
    Standing.SAFE: "Safe to enforce now",
    Standing.NOT_YET: "Not yet, because",
    Standing.ENFORCED: "Enforced already",
}
NOTHING_SAFE = "nothing"


def printed(summary: Summary, *, rows: int) -> Iterator[RenderableType]:
    """Give the parts of a report in order: totals, layers, tools, heatmap, and what is safe."""
    yield safe(summary.log, style="bold", limit=200)
    yield from (Text(f"  {told}") for told in summary.totals())
    if not summary.report.layers():
        return
    yield _title("Layers")
    report = summary.report
    yield from _tables({(layer,): report.place(layer) for layer in report.layers()}, "layer")
    yield from _muted(summary)
    yield from _silenced(summary, rows)
    yield from _tools(summary, rows)
    yield from _heatmap(summary, rows)
    for standing in TITLES:
        yield from _listed(summary.standing(standing), standing)
    if modes := summary.modes_line():
        yield _title("Add to your policy")
        yield line("  ", safe(modes, limit=100_000))
    yield _title("The rule: a layer is safe to enforce where all of this holds")
    yield from (Text(f"  {n}. {said}") for n, said in enumerate(summary.rule.sentences(), 1))


def judged(place: Place) -> Iterator[str]:
    """Give the texts of `JUDGED`."""
    counts = place.counts
    yield from map(
        _number,
        (counts.calls, counts.ran, counts.unavailable, counts.errors, counts.flagged,
         counts.would_block),
    )  # fmt: skip
    yield interval(counts.stops) or "-"


def said(place: Place) -> Iterator[str]:
    """Give the texts of `SAID`: what people said of the calls, in labels and in the policy."""
    counts = place.counts
    yield _number(counts.precision.of)
    yield interval(counts.precision) or "-"
    yield f"{counts.missed:,} ({counts.missed_by_all:,})" if counts.missed else "-"
    yield from map(_number, (counts.suppressed, counts.overrides, counts.held, counts.granted))


def speaks(place: Place) -> bool:
    """Whether there is more to tell than that everything was clean."""
    counts = place.counts
    told = (counts.findings, counts.errors, counts.missed_by_all, counts.would_block)
    return any(told)


def _number(count: int) -> str:
    return f"{count:,}" if count else "-"


def _title(text: str) -> Text:
    return Text(f"\n{text}", style="bold")


def _table(*names: str, columns: Sequence[str]) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for name in names:
        table.add_column(name, overflow="fold", min_width=6, no_wrap=name == "layer")
    for name in columns:
        table.add_column(name, justify="right", overflow="fold", min_width=3)
    return table


def _tables(places: Mapping[tuple[str, ...], Place], *names: str) -> Iterator[Table]:
    """Give a table of what was judged, and one of what people said, where they said anything."""
    table = _table(*names, columns=JUDGED)
    for key, place in places.items():
        table.add_row(*(safe(name, limit=40) for name in key), *judged(place))
    yield table
    heard = {key: [*said(place)] for key, place in places.items()}
    if heard := {key: told for key, told in heard.items() if {*told} != {"-"}}:
        table = _table(*names, columns=SAID)
        for key, told in heard.items():
            table.add_row(*(safe(name, limit=40) for name in key), *told)
        yield table


def _muted(summary: Summary) -> Iterator[Text]:
    if summary.muted:
        yield Text("Muted, which says nothing whatever a call does:")
    for layer, why in summary.muted.items():
        yield line("  ", safe(layer, style="bold", limit=40), ": ", safe(why))


def _silenced(summary: Summary, rows: int) -> Iterator[Text]:
    told = [*summary.silenced()]
    if told:
        yield Text("Findings that a suppression silences:")
    for place, findings in told[:rows]:
        yield line("  ", safe(place, style="bold"), ": ", safe(findings, limit=1_000))
    yield from _more(len(told) - rows, "row")


def _tools(summary: Summary, rows: int) -> Iterator[RenderableType]:
    """The tools and layers with anything to tell, at most so many of them."""
    report = summary.report
    told = {
        (tool, layer): place
        for tool in report.tools()
        for layer in report.layers()
        if (tool, layer) in report and speaks(place := report.place(layer, tool))
    }
    if told:
        yield _title("Tools and layers with findings, errors or misses")
        yield from _tables(dict(islice(told.items(), rows)), "tool", "layer")
        yield from _more(len(told) - rows, "row")


def _heatmap(summary: Summary, rows: int) -> Iterator[RenderableType]:
    heat = summary.report.heat()
    yield _title("Risk heatmap: findings that weigh, by tool and layer")
    yield heat_table(heat[:rows], summary.report.layers())
    yield Text(LEGEND)
    yield from _more(len(heat) - rows, "tool")


def _more(left: int, noun: str) -> Iterator[Text]:
    if left > 0:
        yield Text(f"and {counted(left, noun)} more: --rows, --format json, or --html", style="dim")


def _listed(steps: Sequence[Step], standing: Standing) -> Iterator[Text]:
    if not steps and standing is Standing.ENFORCED:
        return
    yield _title(TITLES[standing])
    if not steps:
        yield Text(f"  {NOTHING_SAFE}")
    for step in steps:
        yield line("  ", safe(place_name(step), style="bold"), f": {figures(step)}")
        for reason in step.reasons:
            yield line("    - ", safe(reason.told))
        for todo in step.todos:
            yield line("    next: ", safe(todo))
        if step.look_at:
            yield line("    look at: ", safe(" ".join(step.look_at), limit=1_000))
        for caveat in step.caveats:
            yield line("    note: ", safe(caveat))


def figures(step: Step) -> str:
    """
    Give the figures behind a standing in one line.

    A layer that never looked at a call has no share.
    """
    counts = step.place.counts
    if not counts.looked:
        return "it never looked at a call"
    rate = f", {interval(counts.stops)}"
    return f"would block {counts.would_block:,} of {counted(counts.looked, 'call')}{rate}"
