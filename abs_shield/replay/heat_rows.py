"""Compute the rows of a risk heatmap: tools by layers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from abs_shield.core import Outcome, Verdict
from abs_shield.replay.run_judging import Judged

SHADES = (0.01, 0.05, 0.2)
"""Rates from which a cell has the second, third and darkest shade: 1 in 100, 20 and 5 calls."""


@dataclass(frozen=True, slots=True)
class Cell:
    """
    One tool and one layer.

    Attributes:
        ran: Calls that the layer judged.
        verdict: The worst verdict of its findings that weigh; CLEAN without any.
        findings: Number of findings that weigh.
        flagged: Calls with at least one such finding.
        errors: Calls that the layer failed to judge.
    """

    ran: int
    verdict: Verdict
    findings: int
    flagged: int = 0
    errors: int = 0

    @property
    def rate(self) -> float:
        """Share of the judged or failed calls that it flags or failed to judge, in [0, 1]."""
        looked = self.ran + self.errors
        # a layer may fail in a call that it also flags
        return min(1.0, (self.flagged + self.errors) / looked) if looked else 0.0

    @property
    def shade(self) -> int:
        """The shade of the cell: 0 without findings or errors, else 1 to 4 by its rate."""
        if not (self.findings or self.errors):
            return 0
        return 1 + sum(self.rate >= share for share in SHADES)


@dataclass(frozen=True, slots=True)
class HeatRow:
    """One tool: its number of calls, and its cell for each layer."""

    tool: str
    calls: int
    cells: dict[str, Cell]


def heatmap(judged: Iterable[Judged], layers: Iterable[str]) -> list[HeatRow]:
    """Return a row for each tool, the hottest first."""
    calls: Counter[str] = Counter()
    counts: Counter[tuple[str, str, str]] = Counter()
    for one in judged:
        tool = one.call.name
        calls[tool] += 1
        weighing = [finding for finding in one.decision.findings if finding.weighs]
        counts.update((tool, k, entry.outcome) for k, entry in one.decision.coverage.items())
        counts.update((tool, finding.check, finding.verdict) for finding in weighing)
        counts.update((tool, check, "flagged") for check in {f.check for f in weighing})
    names = tuple(layers)
    rows = [
        HeatRow(tool, count, {name: _cell(tool, name, counts) for name in names})
        for tool, count in calls.items()
    ]
    return hottest(rows)


def hottest(rows: Iterable[HeatRow]) -> list[HeatRow]:
    """Sort rows by errors, gravest findings, number of both, and calls."""
    return sorted(rows, key=_heat, reverse=True)


def _cell(tool: str, layer: str, counts: Counter[tuple[str, str, str]]) -> Cell:
    by_verdict = {verdict: counts[tool, layer, verdict] for verdict in Verdict}
    return Cell(
        ran=counts[tool, layer, Outcome.RAN],
        verdict=Verdict.worst(verdict for verdict, count in by_verdict.items() if count),
        findings=sum(by_verdict.values()),
        flagged=counts[tool, layer, "flagged"],
        errors=counts[tool, layer, Outcome.ERROR],
    )


def _heat(row: HeatRow) -> tuple[bool, int, int, int]:
    cells = row.cells.values()
    errors = sum(cell.errors for cell in cells)
    gravity = max((cell.verdict.gravity for cell in cells), default=0)
    return errors > 0, gravity, errors + sum(cell.findings for cell in cells), row.calls
