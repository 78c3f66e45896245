"""The totals of a replay: counts, findings, and warnings about its input."""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, Any

from abs_shield.cli.console import open_console
from abs_shield.cli.input_warnings import InputWarnings
from abs_shield.cli.replay_tables import finding_entry, finding_report, tally_report
from abs_shield.replay import ReplayFinding, ReplayPart, Tally
from abs_shield.text.safe_display import escaped, quantity


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
