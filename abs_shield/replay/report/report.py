"""The decision log in numbers: what every layer did on every tool."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Self

from abs_shield.core import LAYER_NAMES, Decision, Subject, Verdict
from abs_shield.core.label import Label
from abs_shield.replay.blame import blamed
from abs_shield.replay.heat import Cell, HeatRow, hottest
from abs_shield.replay.report.place import Case, Place
from abs_shield.replay.report.totals import Totals
from abs_shield.replay.report.watch import Share, Watch
from abs_shield.telemetry.semconv import VALUE_UNREGISTERED
from abs_shield.telemetry.traits import unregistered

UNREGISTERED = VALUE_UNREGISTERED
"""The row of all calls whose tool nobody knows."""
OTHERS = "_others"
"""The row of the tools, and of the layers, for which there was no room."""
NO_TOOLS = frozenset({UNREGISTERED, OTHERS})
_TOOLS = 1_000
_LAYERS = 100


class Report:
    """
    Counts the calls of a decision log in one pass; memory is bounded by tools and layers.

    Attributes:
        totals: What the log holds as a whole.
    """

    def __init__(self) -> None:
        self.totals = Totals()
        self._calls: dict[str, int] = {}
        self._layers: dict[str, None] = {}
        self._places: dict[tuple[str, str], Place] = {}

    @classmethod
    def of(
        cls,
        decisions: Iterable[Decision],
        labels: Mapping[str, Label] | None = None,
        gaps: Iterable[Mapping[str, Any]] = (),
    ) -> Self:
        """
        Count decisions.

        Args:
            decisions: The decisions, oldest first: a store's ``scan()``.
            labels: What operators said, by decision id: a store's ``labels()``.
            gaps: What was lost: a store's ``gaps()``.
        """
        report, known = cls(), labels or {}
        for decision in decisions:
            report.update(decision, known.get(decision.id))
        report.totals.lose(gaps)
        return report

    def update(self, decision: Decision, label: Label | None = None) -> None:
        """Count one decision; one about something else than a call is only counted as such."""
        if decision.subject is not Subject.CALL:
            self.totals.apart(decision)
            return
        truth = None if label is None else label.truth
        self.totals.update(decision, truth)
        tool = UNREGISTERED if unregistered(decision) else decision.tool
        tool = _bounded(tool, self._calls, _TOOLS)
        self._calls[tool] = self._calls.get(tool, 0) + 1
        to_blame = blamed(decision)
        layers = {**decision.coverage, **{f.check: None for f in decision.findings}}
        for layer in layers:
            case = Case.of(decision, layer, blamed=layer in to_blame, truth=truth)
            name = _bounded(layer, self._layers, _LAYERS)
            self._layers[name] = None
            self._place(tool, name).update(case)

    def layers(self) -> list[str]:
        """Name the layers that were asked: the six in their order, then others."""
        built_in = [name for name in LAYER_NAMES if name in self._layers]
        return [*built_in, *(name for name in self._layers if name not in LAYER_NAMES)]

    def tools(self) -> list[str]:
        """Name the tools, the hottest first; `_unregistered` stands for all that nobody knows."""
        return [row.tool for row in self.heat()]

    def calls_of(self, tool: str) -> int:
        """Give the number of calls of a tool."""
        return self._calls.get(tool, 0)

    def place(self, layer: str, tool: str | None = None) -> Place:
        """Give one layer on one tool; without a tool, on all of them."""
        if tool is not None:
            return self._places.get((tool, layer), Place())
        return Place.sum(p for (_, name), p in self._places.items() if name == layer)

    def __contains__(self, place: tuple[str, str]) -> bool:
        """Whether that tool was ever judged by that layer: ``(tool, layer)``."""
        return place in self._places

    def heat(self) -> list[HeatRow]:
        """Give the rows of the heatmap, the hottest tool first."""
        layers = self.layers()
        return hottest(
            HeatRow(tool, calls, {name: _cell(self.place(name, tool).counts) for name in layers})
            for tool, calls in self._calls.items()
        )

    def to_dict(self) -> dict[str, Any]:
        """Give all counts as JSON-able data."""
        return {
            **self.totals.to_dict(),
            "layers": [_entry(layer, self.place(layer)) for layer in self.layers()],
            "tools": [
                {
                    "tool": tool,
                    "calls": self.calls_of(tool),
                    "layers": [_entry(layer, self.place(layer, tool)) for layer in self.layers()],
                }
                for tool in self.tools()
            ],
        }

    def _place(self, tool: str, layer: str) -> Place:
        place = self._places.get((tool, layer))
        if place is None:
            place = self._places[tool, layer] = Place()
        return place


def _bounded(name: str, known: Mapping[str, object], most: int) -> str:
    return name if name in known or len(known) < most else OTHERS


def _cell(counts: Watch) -> Cell:
    found = {Verdict.SUSPICIOUS: counts.suspicious, Verdict.HALLUCINATED: counts.hallucinated}
    worst = Verdict.worst(verdict for verdict, count in found.items() if count)
    total = sum(found.values())
    return Cell(counts.ran, worst, total, flagged=counts.flagged, errors=counts.errors)


_SHARES = ("coverage", "stops", "precision", "block_precision")


def _entry(layer: str, place: Place) -> dict[str, Any]:
    counts = place.counts
    shares: dict[str, Share] = {name: getattr(counts, name) for name in _SHARES}
    return {
        "layer": layer,
        **counts.to_dict(),
        "shares": {name: share.to_dict() for name, share in shares.items()},
        "reasons": [
            {"outcome": outcome.value, "reason": reason, "calls": calls}
            for (outcome, reason), calls in place.reasons.most_common()
        ],
        "unlabelled": [name for _, name in place.unlabelled],
        "modes": sorted(place.modes),
        "silenced": [
            {"code": code, "where": where, "findings": findings}
            for (code, where), findings in place.silenced.most_common()
        ],
    }
