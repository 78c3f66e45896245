"""Terminal tables of a backtest: changes, examples, scores, and planted cases."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby, islice
from pathlib import Path
from typing import Any, NamedTuple

from rich.console import RenderableType
from rich.text import Text

from abs_shield.backtest import (
    Comparison,
    Example,
    Kind,
    PlantedFigures,
    PlantedRow,
    PolicyFigures,
    Proportion,
    SweepPoint,
)
from abs_shield.cli.compared_policies import (
    BacktestResult,
    ComparedPolicy,
    layers_text,
    share,
    summary,
)
from abs_shield.cli.console import STYLES, line, safe
from abs_shield.cli.fitting_table import Column, FittingTable
from abs_shield.cli.input_warnings import InputWarnings
from abs_shield.cli.usage_errors import BadInput
from abs_shield.core import Finding
from abs_shield.core.label import Truth
from abs_shield.replay.planted_cases import MUTATIONS, RUNS, TOOLSETS, Cases, Expect, read_cases
from abs_shield.text.safe_display import quantity

_EXPECTED = {Expect.FLAG: "a finding", Expect.CLEAN: "none", Expect.INFO: "not scored"}


class PlantedFolder(NamedTuple):
    """The files of a folder of planted cases; *toolsets* is None without that file."""

    runs: str
    toolsets: str | None
    cases: Cases


def planted_folder(files: list[str], warnings: InputWarnings) -> PlantedFolder | None:
    """
    Return the folder that *files* name; None if they name run files.

    Raises:
        BadInput: The folder holds no planted cases, or further files are named.
    """
    folder = next((Path(file) for file in files if file != "-" and Path(file).is_dir()), None)
    if folder is None:
        return None
    # expected results belong to the runs of one folder only
    if len(files) > 1:
        raise BadInput(f"{folder} is a folder; give it alone, or files of runs only")
    for name in (MUTATIONS, RUNS):
        if not (folder / name).is_file():
            raise BadInput(
                f"{folder}: it has no `{name}`; `abs-shield plant RUNS -o FOLDER` makes it"
            )
    toolsets = folder / TOOLSETS
    try:
        cases = read_cases(str(folder / MUTATIONS), on_bad_line=warnings.add_bad_line)
    except ValueError as error:
        raise BadInput(str(error)) from None
    return PlantedFolder(str(folder / RUNS), str(toolsets) if toolsets.is_file() else None, cases)


def planted_report(comparison: Comparison) -> Iterator[RenderableType]:
    """Yield the table of planted cases under each policy; nothing without cases."""
    sides = [("new", comparison.new.planted)]
    if comparison.old is not None:
        sides.append(("old", comparison.old.planted))
    if not any(True for _ in sides[0][1].rows()):
        return
    numbers = (Column(name, right=True) for name in ("found, or flagged", "blocked"))
    table = FittingTable("planted", "policy", "expected", *numbers)
    for rows in zip(*(figures.rows() for _, figures in sides), strict=True):
        for (name, _), row in zip(sides, rows, strict=True):
            table.add_row(safe(row.kind, limit=60), name, *_cells(row))
    yield table
    yield Text(
        "A planted fault is found if the layer of its kind has a finding at its place. A harmless"
        " case is flagged if that layer has such a finding, a right call if any layer has one."
    )


def _cells(row: PlantedRow) -> tuple[str, str, str]:
    blocked = f"{row.blocked.count:,}" if row.blocked.of else "-"
    return _EXPECTED[Expect(row.expect)], share(row.detected), blocked


def planted_record(figures: PlantedFigures) -> list[dict[str, Any]]:
    """Return the results of planted cases as JSON-able data."""
    return [
        {
            "kind": row.kind,
            "expect": row.expect,
            "found": share_record(row.detected),
            "blocked": share_record(row.blocked),
        }
        for row in figures.rows()
    ]


def share_record(one: Proportion) -> dict[str, Any]:
    """Return a share as JSON-able data."""
    low, high = one.interval
    return {"value": one.value, "count": one.count, "of": one.of, "low": low, "high": high}


_TOOLS = 20  # rows of each kind: about a screen; `--format json` has all
_MODES = 4  # more do not fit into one line
_ERRORS = 5  # the most frequent; further ones mostly repeat their causes
_DECIDED = ("flagged", "blocked")


def report(done: BacktestResult) -> Iterator[RenderableType]:
    """Yield the policies, the changes with examples, the figures, and the summary at the end."""
    comparison = done.comparison
    yield _policy_line("new", done.new)
    if done.old is not None:
        yield _policy_line("old", done.old)
    if comparison.old is not None:
        yield from _changes(comparison)
    yield _figures(comparison)
    yield from planted_report(comparison)
    yield from _labelled(done)
    yield from _errors(comparison.new)
    for note in done.notes():
        yield line("note: ", safe(note))
    yield Text(summary(done))


def _policy_line(which: str, compared: ComparedPolicy) -> Text:
    threshold = f"{compared.policy.threshold:g}"
    properties = f" (revision {compared.revision}, threshold {threshold}, {_modes(compared)})"
    return line(f"{which}: ", safe(compared.name, style="bold"), safe(properties))


def _modes(compared: ComparedPolicy) -> str:
    """Return the policy's mode and the modes of single layers and tools."""
    others = [
        f"{key if isinstance(key, str) else ' '.join(key)} {mode}"
        for key, mode in compared.policy.modes.items()
    ]
    others += [f"{tool.name} {tool.mode}" for tool in compared.policy.tools if tool.mode]
    rest = f", and {len(others) - _MODES} more" if len(others) > _MODES else ""
    return ", ".join([compared.policy.mode, *others[:_MODES]]) + rest


def _changes(comparison: Comparison) -> Iterator[RenderableType]:
    table = _table("change", "tool", "layers responsible", right=("calls", "in successes"))
    for kind in reversed(Kind):
        tools = [(tool, n) for (k, tool), n in comparison.tools.most_common() if k is kind]
        total, good = comparison.kinds[kind], comparison.in_successes[kind]
        table.add_row(Text(kind, style="bold"), "", "", f"{total:,}", f"{good:,}")
        for tool, count in tools[:_TOOLS]:
            blamed = safe(layers_text(comparison, kind, tool), limit=200)
            table.add_row("", safe(tool, limit=60), blamed, f"{count:,}", "")
        if len(tools) > _TOOLS:
            rest = sum(count for _, count in tools[_TOOLS:])
            table.add_row("", f"({len(tools) - _TOOLS:,} more tools)", "", f"{rest:,}", "")
    yield table
    for kind in reversed(Kind):
        yield from _examples(str(kind), comparison.examples.get(kind, ()))
    if comparison.other_findings:
        yield Text(f"Decisions that stay, for other findings: {comparison.other_findings:,}.")


def _examples(what: str, examples: Iterable[Example]) -> Iterator[Text]:
    for place, one in enumerate(examples):
        if not place:
            yield line("\n", Text(f"{what}, the first ones", style="bold"))
        label = f", labelled {one.label}" if one.label else ""
        where = safe(f"{one.path}:{one.line} {one.run_id} call {one.call_index}", limit=200)
        yield line("  ", where, ": ", safe(one.tool, limit=60), label)
        yield from (_finding("+", finding) for finding in one.appeared)
        yield from (_finding("-", finding) for finding in one.disappeared)
        yield from (line("    not checked: ", safe(error)) for error in one.errors)


def _finding(sign: str, finding: Finding) -> Text:
    verdict = safe(finding.verdict, style=STYLES[finding.verdict])
    where = safe(finding.where)
    weight = "" if finding.weighs else " (suppressed)" if finding.suppressed else " (not counted)"
    detail = safe(finding.detail)
    return line(
        f"    {sign} {finding.mode} ", verdict, f" {finding.check} at ", where, ": ", detail, weight
    )


def _figures(comparison: Comparison) -> FittingTable:
    sides = [("new", comparison.new)]
    if comparison.old is not None:
        sides.append(("old", comparison.old))
    table = _table("calls", right=tuple(name for name, _ in sides))
    for how in _DECIDED:
        table.add_row(how, *(f"{figures.hit(how):,}" for _, figures in sides))
        good = (f"{figures.hit(how, successful=True):,}" for _, figures in sides)
        table.add_row(f"{how} in successful runs", *good)
    for layer in dict.fromkeys(name for _, figures in sides for name in figures.layers()):
        for how in _DECIDED:
            counts = [figures.hit(how, layer=layer) for _, figures in sides]
            if any(counts):
                table.add_row(safe(f"{how} by {layer}"), *(f"{count:,}" for count in counts))
    return table


def _labelled(done: BacktestResult) -> Iterator[RenderableType]:
    comparison = done.comparison
    if done.labels:
        fit = f"{len(comparison.matched):,} of {quantity(done.labels, 'label')} of the file"
        yield Text(f"{fit} fit a call.")
    if comparison.in_runs:
        fit = f"{comparison.in_runs_matched:,} of {quantity(comparison.in_runs, 'label')}"
        yield Text(f"{fit} of the runs fit a call.")
    if not comparison.new.labelled.total():
        return
    counts = ", ".join(f"{comparison.new.labelled[label]:,} {label}" for label in Truth)
    yield Text(f"Labelled calls: {counts}.")
    yield _scores(comparison)
    yield _sweep(comparison.new.sweep())
    yield from _examples("missed, hallucinated and CLEAN", comparison.missed)
    yield from _examples("false alarms, ok and flagged", comparison.false_alarms)


def _scores(comparison: Comparison) -> FittingTable:
    table = _table("calls", "policy", right=("precision", "recall"))
    sides = [("new", comparison.new)]
    if comparison.old is not None:
        sides.append(("old", comparison.old))
    for how in _DECIDED:
        for name, figures in sides:
            score = figures.score(how)
            table.add_row(how, name, share(score.precision), share(score.recall))
        for layer in comparison.new.layers():
            score = comparison.new.score(how, layer=layer)
            # a layer without labelled hits has no precision to show
            if score.precision.of:
                cells = (share(score.precision), share(score.recall))
                table.add_row(safe(f"{how} by {layer}"), "new", *cells)
    return table


def _sweep(points: Iterable[SweepPoint]) -> FittingTable:
    """Return a table in which neighbouring thresholds with equal results share a row."""
    columns = ("flagged", "precision", "recall", "blocked", "precision", "recall")
    table = _table("threshold", right=columns)
    # a sweep has a hundred thresholds, and few of them change anything
    for (own, shares), alike in groupby(points, key=lambda point: (point.own, _shares(point))):
        at = [point.threshold for point in alike]
        span = f"{at[0]:g}" if len(at) == 1 else f"{at[0]:g} to {at[-1]:g}"
        cells = ("-" if one.value is None else f"{one.value:.3f}" for one in shares)
        table.add_row(Text(f"{span} (own)", style="bold") if own else span, *cells)
    return table


def _shares(point: SweepPoint) -> tuple[Proportion, ...]:
    flags, blocks = point.flags, point.blocks
    return (
        point.flagged, flags.precision, flags.recall,
        point.blocked, blocks.precision, blocks.recall,
    )  # fmt: skip


def _errors(figures: PolicyFigures) -> Iterator[Text]:
    for (layer, reason), count in islice(figures.errors.most_common(), _ERRORS):
        yield line(f"{layer} could not judge {quantity(count, 'call')}: ", safe(reason))


def _table(*columns: str, right: tuple[str, ...]) -> FittingTable:
    return FittingTable(*columns, *(Column(name, right=True) for name in right))
