"""The totals of a replay: tables of counts and findings, and warnings about its input."""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, Any

from rich.console import RenderableType
from rich.text import Text

from abs_shield.cli.console import STYLES, line, open_console, safe
from abs_shield.cli.decision_text import finding_lines
from abs_shield.cli.fitting_table import Column, FittingTable
from abs_shield.cli.input_warnings import InputWarnings
from abs_shield.core import Outcome, Verdict
from abs_shield.replay import ReplayFinding, ReplayPart, Tally
from abs_shield.text.safe_display import escaped, quantity

_COLUMNS = (
    Column("layer"), Column("ran", right=True), Column("unavailable", right=True, drop=2),
    Column("errors", right=True), Column("SUSPICIOUS", right=True),
    Column("HALLUCINATED", right=True), Column("would block", right=True),
    Column("flagged in successes", right=True, drop=1),
)  # fmt: skip
_ERRORS = 5  # the most frequent; further ones mostly repeat their causes


def tally_report(tally: Tally) -> Iterator[RenderableType]:
    """Yield a table for each source, one of all, a summary, and the internal errors."""
    sources = tally.sources()
    for source in sources:
        yield from _table(tally, source)
    if len(sources) > 1:
        yield from _table(tally, None)
    yield _summary(tally)
    errors = [(k, n) for k, n in tally.reasons.most_common() if k[1] is Outcome.ERROR]
    for (layer, _, reason), count in errors[:_ERRORS]:
        yield line(f"{layer} could not judge {count:,} calls: ", safe(reason))


def _table(tally: Tally, source: str | None) -> Iterator[RenderableType]:
    runs = tally.runs.total() if source is None else tally.runs[source]
    whole = tally.whole(source=source)
    good = tally.whole(source=source, outcome="success")
    name = "all sources" if source is None else source
    held = f"{quantity(runs, 'run')}, {quantity(whole.calls, 'call')}"
    counts = f": {held}, {good.calls:,} of them in successful runs"
    yield line("\n", safe(name, style="bold", limit=80), counts)
    table = FittingTable(*_COLUMNS)
    for layer in tally.layers():
        table.add_row(layer, *_cells(tally, layer, source))
    if table.rows:
        yield table


def _cells(tally: Tally, layer: str, source: str | None) -> Iterator[Text]:
    counts = tally.of(layer, source=source)
    yield from (_number(n) for n in (counts.ran, counts.unavailable))
    yield _number(counts.errors, style="bold red")
    yield _number(counts.suspicious, style=STYLES[Verdict.SUSPICIOUS])
    yield _number(counts.hallucinated, style=STYLES[Verdict.HALLUCINATED])
    yield _number(counts.would_block, style=STYLES[Verdict.HALLUCINATED])
    yield _number(tally.of(layer, source=source, outcome="success").flagged)


def _number(count: int, *, style: str = "") -> Text:
    return Text(f"{count:,}" if count else "-", style=style if count else "dim")


def _summary(tally: Tally) -> Text:
    verdicts = ", ".join(f"{tally.verdicts[verdict]:,} {verdict}" for verdict in Verdict)
    whole, good = tally.whole(), tally.whole(outcome="success")
    return Text(
        f"{quantity(tally.runs.total(), 'run')}, {quantity(whole.calls, 'call')}: {verdicts}. "
        f"Strict mode would have blocked {whole.would_block:,}; "
        f"{good.would_block:,} of these in successful runs."
    )


def finding_report(replayed: ReplayFinding) -> Iterator[Text]:
    """Yield the lines of one finding of a replay: its call and its text."""
    place = safe(f"{replayed.run_id} call {replayed.call_index}", limit=200)
    yield line(place, ": ", safe(replayed.tool))
    yield from finding_lines(replayed.finding)


def finding_entry(replayed: ReplayFinding) -> dict[str, Any]:
    """Return a finding of a replay as JSON-able data."""
    finding = replayed.finding
    return {
        "run_id": replayed.run_id,
        "call_index": replayed.call_index,
        "tool": replayed.tool,
        "check": finding.check,
        "code": finding.code,
        "verdict": finding.verdict,
        "where": finding.where,
        "detail": finding.detail,
        "hint": finding.hint,
    }


class ReplayTotals(InputWarnings):
    """
    The summed results of a replay, with warnings about its input.

    Attributes:
        tally: The counts.
        findings: The first findings that weigh, at most *most*.
    """

    def __init__(self, *, most: int) -> None:
        super().__init__()
        self.tally = Tally()
        self.findings: list[ReplayFinding] = []
        self._most = most

    def add(self, part: ReplayPart, *, quiet: bool = False) -> None:
        """Add the results of the next chunk; report its unreadable lines, unless *quiet*."""
        self.tally.merge(part.tally)
        self.findings += part.findings[: self._most - len(self.findings)]
        self.add_notes(part.notes, quiet=quiet)


def totals_object(files: list[str], totals: ReplayTotals, *, listed: bool) -> dict[str, Any]:
    """Return the counts, and if *listed* the findings, as JSON-able data."""
    data = {
        "files": files,
        **totals.tally.to_dict(),
        "bad_lines": totals.bad_lines,
        "returned_sessions": totals.returned,
    }
    if listed:
        data["findings"] = [finding_entry(finding) for finding in totals.findings]
    return data


def print_table(totals: ReplayTotals, file: IO[str] | None) -> None:
    """Print the counts and findings as tables."""
    console = open_console(file)
    for part in tally_report(totals.tally):
        console.print(part)
    for finding in totals.findings:
        for text in finding_report(finding):
            console.print_line(text)


def written_message(totals: ReplayTotals, path: str, *, before: int) -> str:
    """Return the closing message; *before* counts the calls of an interrupted replay."""
    calls = totals.tally.verdicts.total()
    runs = quantity(totals.tally.runs.total(), "run")
    more = f", {before:,} of them before it was interrupted" if before else ""
    return escaped(
        f"{quantity(calls, 'call')} of {runs} judged{more}; written to {path}", limit=500
    )


@contextmanager
def text_for(file: IO[bytes] | None) -> Iterator[IO[str] | None]:
    """Yield a text buffer that is written to *file* at the end; None for the standard output."""
    if file is None:
        yield None
        return
    text = io.StringIO()
    yield text
    file.write(text.getvalue().encode("utf-8", "backslashreplace"))
