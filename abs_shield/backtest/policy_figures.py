"""Counts of one policy's decisions in a backtest."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from abs_shield.backtest.planted_figures import PlantedFigures
from abs_shield.backtest.policy_side import Ruled, Side, flagging_layers
from abs_shield.backtest.precision_recall import Crossing, PrecisionRecall, SweepPoint, sweep
from abs_shield.core.label import Truth
from abs_shield.shield.enforcement import faults_of

FLAGGED, BLOCKED = "flagged", "blocked"
_WHOLE = ""
_REASONS = 100  # reasons contain texts of exceptions, of which there may be one a call


@dataclass(slots=True)
class PolicyFigures:
    """
    Counts of one policy.

    Attributes:
        threshold: The policy's own threshold.
        thresholds: The thresholds of its sweep.
        calls: Number of calls.
        successes: Calls of runs that ended well.
        labelled: Label to the number of calls.
        errors: Layer and reason to the number of calls that the layer failed to judge.
        bounded: Whether only the first hundred errors are kept.
        planted: Counts of planted faults and of right calls; empty without planted cases.
    """

    threshold: float
    thresholds: tuple[float, ...]
    calls: int = 0
    successes: int = 0
    labelled: Counter[Truth] = field(default_factory=Counter)
    errors: Counter[tuple[str, str]] = field(default_factory=Counter)
    bounded: bool = True
    planted: PlantedFigures = field(default_factory=PlantedFigures)
    _hits: Counter[tuple[str, str]] = field(default_factory=Counter)
    _in_successes: Counter[str] = field(default_factory=Counter)
    _right: Counter[tuple[str, str, Truth]] = field(default_factory=Counter)
    _crossings: Counter[Crossing] = field(default_factory=Counter)

    @classmethod
    def of(cls, side: Side, *, bounded: bool = True) -> PolicyFigures:
        """Return empty counts for one policy."""
        return cls(side.policy.threshold, side.thresholds, bounded=bounded)

    def update(self, ruled: Ruled, label: Truth | None) -> None:
        """Count one call."""
        self.calls += 1
        success = ruled.judged.success is True
        self.successes += success
        self._crossings[label, ruled.flags_from, ruled.blocks_from] += 1
        if label is not None:
            self.labelled[label] += 1
        for how, layer in _hits(ruled):
            self._hits[how, layer] += 1
            if success and layer == _WHOLE:
                self._in_successes[how] += 1
            if label is not None:
                self._right[how, layer, label] += 1
        for fault in faults_of(ruled.judged.decision):
            self._error((fault.layer, fault.message), 1)

    def merge(self, later: PolicyFigures) -> None:
        """Add the counts of later calls."""
        self.calls += later.calls
        self.successes += later.successes
        self.labelled.update(later.labelled)
        self._hits.update(later._hits)
        self._in_successes.update(later._in_successes)
        self._right.update(later._right)
        self._crossings.update(later._crossings)
        self.planted.merge(later.planted)
        for key, count in later.errors.items():
            self._error(key, count)

    def hit(self, how: str, *, layer: str = _WHOLE, successful: bool = False) -> int:
        """Return the number of ``flagged`` or ``blocked`` calls, by one layer or by any."""
        return self._in_successes[how] if successful else self._hits[how, layer]

    def layers(self) -> list[str]:
        """Names of the layers that flagged or blocked anything, in order."""
        return [name for name in dict.fromkeys(layer for _, layer in self._hits) if name]

    def score(self, how: str, *, layer: str = _WHOLE) -> PrecisionRecall:
        """Return precision and recall of the calls that were ``flagged`` or ``blocked``."""
        hits = {label: self._right[how, layer, label] for label in Truth}
        return PrecisionRecall.of(
            hits=hits, labelled={label: self.labelled[label] for label in Truth}
        )

    def sweep(self) -> list[SweepPoint]:
        """Return the flagged and blocked shares for each threshold."""
        return list(sweep(self._crossings, at=self.thresholds, own=self.threshold))

    def _error(self, key: tuple[str, str], count: int) -> None:
        if not self.bounded or key in self.errors or len(self.errors) < _REASONS:
            self.errors[key] += count


def _hits(ruled: Ruled) -> Iterator[tuple[str, str]]:
    if ruled.flagged:
        yield FLAGGED, _WHOLE
        yield from ((FLAGGED, layer) for layer in flagging_layers(ruled))
    if ruled.ruling.blocked:
        yield BLOCKED, _WHOLE
        yield from ((BLOCKED, layer) for layer in ruled.ruling.stopping)
