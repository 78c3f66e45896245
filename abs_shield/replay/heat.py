"""Which tool keeps which layer busy: the rows of a risk heatmap."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from abs_shield.core import Verdict
from abs_shield.replay.judge import Judged


@dataclass(frozen=True, slots=True)
class Cell:
    """
    One tool under one layer.

    Attributes:
        ran: Calls that the layer judged.
        verdict: The worst of its findings that weigh; CLEAN where there are none.
        findings: How many of them there are.
    """

    ran: int
    verdict: Verdict
    findings: int


@dataclass(frozen=True, slots=True)
class HeatRow:
    """One tool: how often it was called, and its cell under each layer."""

    tool: str
    calls: int
    cells: dict[str, Cell]


def heatmap(judged: Iterable[Judged], layers: Iterable[str]) -> list[HeatRow]:
    """Give a row a tool, the hottest first."""
    calls: Counter[str] = Counter()
    ran: Counter[tuple[str, str]] = Counter()
    found: Counter[tuple[str, str, Verdict]] = Counter()
    for one in judged:
        tool = one.call.name
        calls[tool] += 1
        ran.update((tool, k) for k, said in one.decision.coverage.items() if said.outcome == "ran")
        found.update((tool, f.check, f.verdict) for f in one.decision.findings if f.weighs)
    names = tuple(layers)
    rows = [
        HeatRow(tool, count, {name: _cell(tool, name, ran, found) for name in names})
        for tool, count in calls.items()
    ]
    return hottest(rows)


def hottest(rows: Iterable[HeatRow]) -> list[HeatRow]:
    """Sort rows: the gravest findings first, then the most of them, then the most calls."""
    return sorted(rows, key=_heat, reverse=True)


def _cell(
    tool: str,
    layer: str,
    ran: Counter[tuple[str, str]],
    found: Counter[tuple[str, str, Verdict]],
) -> Cell:
    counts = {verdict: found[tool, layer, verdict] for verdict in Verdict}
    worst = Verdict.worst(verdict for verdict, count in counts.items() if count)
    return Cell(ran[tool, layer], worst, sum(counts.values()))


def _heat(row: HeatRow) -> tuple[int, int, int]:
    grave = max((cell.verdict.gravity for cell in row.cells.values()), default=0)
    return grave, sum(cell.findings for cell in row.cells.values()), row.calls
