"""Which tool keeps which layer busy: the rows of a risk heatmap."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from abs_shield.core import Outcome, Verdict
from abs_shield.replay.run_judging import Judged

SHADES = (0.01, 0.05, 0.2)
"""Shares from which a cell has the second, the third and the darkest shade."""


@dataclass(frozen=True, slots=True)
class Cell:
    """
    One tool under one layer.

    Attributes:
        ran: Calls that the layer judged.
        verdict: The worst of its findings that weigh; CLEAN where there are none.
        findings: How many of them there are.
        flagged: Calls with at least one such finding.
        errors: Calls that it failed to judge.
    """

    ran: int
    verdict: Verdict
    findings: int
    flagged: int = 0
    errors: int = 0

    @property
    def rate(self) -> float:
        """The share of the calls it looked at that it flags or failed to judge, in [0, 1]."""
        looked = self.ran + self.errors
        return min(1.0, (self.flagged + self.errors) / looked) if looked else 0.0

    @property
    def shade(self) -> int:
        """How dark the cell is: 0 where there is nothing, else 1 to 4 by its rate."""
        if not (self.findings or self.errors):
            return 0
        return 1 + sum(self.rate >= share for share in SHADES)


@dataclass(frozen=True, slots=True)
class HeatRow:
    """One tool: how often it was called, and its cell under each layer."""

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
        counts.update((tool, k, told.outcome) for k, told in one.decision.coverage.items())
        counts.update((tool, finding.check, finding.verdict) for finding in weighing)
        counts.update((tool, check, "flagged") for check in {f.check for f in weighing})
    names = tuple(layers)
    rows = [
        HeatRow(tool, count, {name: _cell(tool, name, counts) for name in names})
        for tool, count in calls.items()
    ]
    return hottest(rows)


def hottest(rows: Iterable[HeatRow]) -> list[HeatRow]:
    """Sort rows: errors first, then the gravest findings, then the most of both, then calls."""
    return sorted(rows, key=_heat, reverse=True)


def _cell(tool: str, layer: str, counts: Counter[tuple[str, str, str]]) -> Cell:
    found = {verdict: counts[tool, layer, verdict] for verdict in Verdict}
    return Cell(
        ran=counts[tool, layer, Outcome.RAN],
        verdict=Verdict.worst(verdict for verdict, count in found.items() if count),
        findings=sum(found.values()),
        flagged=counts[tool, layer, "flagged"],
        errors=counts[tool, layer, Outcome.ERROR],
    )


def _heat(row: HeatRow) -> tuple[bool, int, int, int]:
    cells = row.cells.values()
    errors = sum(cell.errors for cell in cells)
    grave = max((cell.verdict.gravity for cell in cells), default=0)
    return errors > 0, grave, errors + sum(cell.findings for cell in cells), row.calls
