"""The counts of a decision log: the results of every layer on every tool."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Self

from abs_shield.core import LAYER_NAMES, Decision, Subject, Verdict
from abs_shield.core.digest import digest
from abs_shield.core.label import Label, Truth
from abs_shield.core.vocabularies import ANSWER, VERIFICATION
from abs_shield.replay.heat_rows import Cell, HeatRow, hottest
from abs_shield.report.decision_slices import By, Slices
from abs_shield.report.layer_counts import LayerCounts, SessionTracker, Spread
from abs_shield.report.layer_report import LayerCase, LayerReport, entry_of
from abs_shield.report.log_totals import Totals
from abs_shield.report.probability_sweep import Sweep
from abs_shield.report.report_rows import (
    CHECKS,
    OTHERS,
    STAGES,
    cases_of,
    is_text,
    repeated_decisions,
)
from abs_shield.report.spread_estimate import ALL_ROWS, Spreads
from abs_shield.stores.hourly_counts import PatternCount

_TOOLS = 1_000  # tools beyond are one row; a model may invent any number
_LAYERS = 100  # six layers, four checks, and the layers of policies
_OF_TOOLS = {VERIFICATION}
"""Checks with counts for each tool."""
_SWEPT = (VERIFICATION, ANSWER)
"""Checks whose decisions have a P(hallucination)."""


class Report:
    """
    Counts the decisions of a log in one pass; memory is bounded by tools and layers.

    Args:
        by: The field by which decisions are also counted, besides the day.

    Attributes:
        totals: The totals of the log.
        days: The decisions by day, in UTC.
        slices: The decisions by *by*, or None.
        sweeps: The threshold sweeps by check of results or answers.
    """

    def __init__(self, by: By | None = None) -> None:
        self.totals = Totals()
        self.days = Slices(By.DAY)
        self.slices = None if by is None else Slices(by)
        self.sweeps: dict[str, Sweep] = {}
        self._rows: dict[str, int] = {}
        self._layers: dict[str, None] = {}
        self._places: dict[tuple[str, str], LayerReport] = {}
        self._wholes: dict[str, Spread] = {}
        self._sessions = SessionTracker()

    @classmethod
    def of(
        cls,
        decisions: Iterable[Decision],
        labels: Mapping[str, Label] | None = None,
        gaps: Iterable[Mapping[str, Any]] = (),
        *,
        by: By | None = None,
    ) -> Self:
        """
        Count decisions.

        Args:
            decisions: The decisions, oldest first: a store's ``scan()``.
            labels: Labels by decision id: a store's ``labels()``.
            gaps: What was lost: a store's ``gaps()``.
            by: The field by which they are also counted.
        """
        report, all_labels = cls(by), labels or {}
        for decision in decisions:
            report.update(decision, all_labels.get(decision.id))
        report.totals.lose(gaps)
        return report

    def update(self, decision: Decision, label: Label | None = None) -> None:
        """Count one decision."""
        truth = None if label is None else label.truth
        self.totals.update(decision, truth)
        # a decision without a session is a session of its own
        session = digest(decision.session_id or decision.id, size=8)
        for row, layer, case in self._count(decision, truth, times=1):
            self._place(row, layer, case, session)
        self._slice(LayerCase.whole(decision, truth), session)

    @classmethod
    def of_counts(
        cls,
        counts: Iterable[PatternCount],
        labelled: Iterable[tuple[Decision, Label]] = (),
        gaps: Iterable[Mapping[str, Any]] = (),
        *,
        spreads: Spreads | None = None,
    ) -> Self:
        """
        Count decisions that a store has counted by pattern, without reading them.

        The counts equal those of `of`, but without ids of decisions; ``store.newest()`` finds them.

        Args:
            counts: A store's ``pattern_counts()``.
            labelled: The decisions among them that have a label.
            gaps: What was lost: a store's ``gaps()``.
            spreads: Their spread over sessions; without it decisions count as independent in
                intervals.
        """
        report = cls()
        for one in repeated_decisions(counts, labelled):
            report.totals.repeat(one)
            for row, layer, case in report._count(one.decision, one.truth, times=one.times):
                report._places.setdefault((row, layer), LayerReport()).repeat(case, one.times)
        report.totals.lose(gaps)
        if spreads is not None:
            report._spread(spreads)
        return report

    def _spread(self, spreads: Spreads) -> None:
        for (row, layer), place in self._places.items():
            place.counts.spread = spreads.of(row, layer, place.counts)
        for layer in self._layers:
            self._wholes[layer] = spreads.of(ALL_ROWS, layer, self.place(layer).counts)

    def _count(
        self, decision: Decision, truth: Truth | None, *, times: int
    ) -> Iterator[tuple[str, str, LayerCase]]:
        """
        Count the rows, layers and sweeps of a decision; yield its case for each row and layer.
        """
        rows: set[str] = set()
        for row, layer, case in cases_of(decision, truth):
            name = _bounded_name(layer, self._layers, _LAYERS)
            self._layers[name] = None
            row = row if is_text(row) else _bounded_name(row, self._rows, _TOOLS)
            counts = row not in rows and decision.subject is not Subject.RESULT
            rows.add(row)
            self._rows[row] = self._rows.get(row, 0) + times * counts
            if layer in _SWEPT:
                self.sweeps.setdefault(layer, Sweep()).update(decision, truth, times=times)
            yield row, name, case

    def grids(self) -> list[tuple[list[str], list[HeatRow]]]:
        """Return the heatmap in two parts, tools and texts, each with its layers and rows."""
        heat, of_tools = self.heat(), [*self.layers(), *(_OF_TOOLS & self._layers.keys())]
        texts = [name for name in self.checks() if name not in _OF_TOOLS]
        parts = [
            (of_tools, [row for row in heat if not is_text(row.tool)]),
            (texts, [row for row in heat if is_text(row.tool)]),
        ]
        return [(layers, rows) for layers, rows in parts if layers and rows]

    def layers(self) -> list[str]:
        """Return the layers that judged calls: the built-in ones in order, then others."""
        built_in = [name for name in LAYER_NAMES if name in self._layers]
        others = (name for name in self._layers if name not in (*LAYER_NAMES, *CHECKS))
        return [*built_in, *others]

    def checks(self) -> list[str]:
        """Return the checks that judged results, answers and outputs, in this order."""
        return [name for name in CHECKS if name in self._layers]

    def columns(self) -> list[str]:
        """Return everything that judged: layers, then checks."""
        return [*self.layers(), *self.checks()]

    def rows(self) -> list[str]:
        """Return the tools and other rows, the hottest first."""
        return [row.tool for row in self.heat()]

    def tools(self) -> list[str]:
        """Return the tools, the hottest first; `_unregistered` groups all unknown names."""
        return [row for row in self.rows() if not is_text(row)]

    def calls_of(self, row: str) -> int:
        """Return the number of calls of a tool, or of subjects judged in another row."""
        return self._rows.get(row, 0)

    def place(self, layer: str, row: str | None = None) -> LayerReport:
        """Return the counts of one layer on one tool or other row; without a row, on all."""
        if row is not None:
            return self._places.get((row, layer), LayerReport())
        places = (
            place
            for (row, name), place in self._places.items()
            # stages are parts of an output that is counted in its own row
            if name == layer and not row.startswith(STAGES)
        )
        total = LayerReport.sum(places)
        total.counts.spread = self._wholes.get(layer)
        return total

    def __contains__(self, place: tuple[str, str]) -> bool:
        """Return whether a layer has judged a tool: ``(tool, layer)``."""
        return place in self._places

    def heat(self) -> list[HeatRow]:
        """
        Return the rows of the heatmap, the hottest first, with a cell for each layer that judged.
        """
        cells: dict[str, dict[str, Cell]] = {row: {} for row in self._rows}
        for (row, layer), place in self._places.items():
            cells[row][layer] = _cell(place.counts)
        return hottest(HeatRow(row, self._rows[row], row_cells) for row, row_cells in cells.items())

    def to_dict(self) -> dict[str, Any]:
        """Return all counts as JSON-able data."""
        rows = self.rows()
        return {
            **self.totals.to_dict(),
            "layers": [entry_of(layer, self.place(layer)) for layer in self.layers()],
            "checks": [
                {"subject": CHECKS[check].value, **entry_of(check, self.place(check))}
                for check in self.checks()
            ],
            "tools": [self._row(row, self.columns()) for row in rows if not is_text(row)],
            "texts": [self._row(row, self.checks()) for row in rows if is_text(row)],
            "sweeps": [
                {
                    "layer": check,
                    "unscored": sweep.unscored,
                    "unscored_labels": sweep.unscored_labels,
                    "points": [point.to_dict() for point in sweep.points()],
                }
                for check, sweep in self.sweeps.items()
            ],
            "days": self.days.to_dicts(),
            "by": None if self.slices is None else self.slices.by.value,
            "slices": [] if self.slices is None else self.slices.to_dicts(),
        }

    def _row(self, row: str, layers: list[str]) -> dict[str, Any]:
        return {
            "tool": row,
            "calls": self.calls_of(row),
            "layers": [
                entry_of(layer, self.place(layer, row))
                for layer in layers
                if layer not in CHECKS or (row, layer) in self
            ],
        }

    def _place(self, row: str, layer: str, case: LayerCase, session: bytes) -> None:
        place = self._places.get((row, layer))
        if place is None:
            place = self._places[row, layer] = LayerReport(counts=LayerCounts(spread=Spread()))
        place.update(case)
        assert place.counts.spread is not None
        spreads = {(row, layer): place.counts.spread}
        if not row.startswith(STAGES):
            whole = self._wholes.get(layer)
            if whole is None:
                whole = self._wholes[layer] = Spread()
            spreads[ALL_ROWS, layer] = whole
        self._sessions.update(session, spreads, case.observations)

    def _slice(self, case: LayerCase, session: bytes) -> None:
        self.days.update(case)
        if self.slices is not None:
            self._sessions.update(session, self.slices.update(case), case.observations)


def _bounded_name(name: str, existing: Mapping[str, object], most: int) -> str:
    return name if name in existing or len(existing) < most else OTHERS


def _cell(counts: LayerCounts) -> Cell:
    by_verdict = {Verdict.SUSPICIOUS: counts.suspicious, Verdict.HALLUCINATED: counts.hallucinated}
    worst = Verdict.worst(verdict for verdict, count in by_verdict.items() if count)
    total = sum(by_verdict.values())
    return Cell(counts.ran, worst, total, flagged=counts.flagged, errors=counts.errors)
