"""Counts of a replay by source, layer and outcome of the run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass, fields
from typing import Any, NamedTuple

from abs_shield.core import Decision, Outcome, Verdict
from abs_shield.replay.run_judging import Judged
from abs_shield.replay.run_reader import Run


def blocking_layers(decision: Decision) -> set[str]:
    """
    Return the layers for which strict mode would have blocked the call.

    These are the layers of the gravest findings that weigh, and those that failed; if no finding
    is HALLUCINATED and a layer failed, only the failed layers.
    """
    if not decision.would_block:  # a call that runs in strict mode, too, is blocked by no layer
        return set()
    gravest = {f.check for f in decision.findings if f.weighs and f.verdict is decision.verdict}
    broken = {k for k, entry in decision.coverage.items() if entry.outcome is Outcome.ERROR}
    # a suspicious finding does not block; the error did
    return broken if decision.verdict is not Verdict.HALLUCINATED and broken else gravest | broken


OUTCOMES = {True: "success", False: "failure", None: "unknown"}
"""The names of a run's outcomes."""
_REASONS = 1_000  # reasons may contain names and values of a call


@dataclass(slots=True)
class LayerTally:
    """
    Counts of one layer.

    Attributes:
        calls: Number of calls.
        ran: Calls that it judged.
        unavailable: Calls that it could not judge for lack of data.
        errors: Calls that it failed to judge.
        suspicious: Its SUSPICIOUS findings that weigh.
        hallucinated: Its HALLUCINATED findings that weigh.
        flagged: Calls with at least one such finding.
        would_block: Calls that strict mode would have blocked because of it.
    """

    calls: int = 0
    ran: int = 0
    unavailable: int = 0
    errors: int = 0
    suspicious: int = 0
    hallucinated: int = 0
    flagged: int = 0
    would_block: int = 0

    def add(self, other: LayerTally, *, times: int = 1) -> None:
        """Add *other* to these counts, a number of times."""
        for field in fields(other):
            more = times * getattr(other, field.name)  # all fields are counts
            setattr(self, field.name, getattr(self, field.name) + more)

    def to_dict(self) -> dict[str, int]:
        """Return the counts as JSON-able data."""
        return asdict(self)


class _TallyKey(NamedTuple):
    source: str
    layer: str
    success: bool | None


class Tally:
    """
    Counts the results of a replay.

    Attributes:
        runs: Number of runs by source.
        verdicts: Number of calls by verdict.
        reasons: Number of calls that a layer did not judge, by layer, outcome and reason.
    """

    def __init__(self) -> None:
        self.runs: Counter[str] = Counter()
        self.verdicts: Counter[Verdict] = Counter()
        self.reasons: Counter[tuple[str, Outcome, str]] = Counter()
        self._wholes: dict[tuple[str, bool | None], LayerTally] = {}
        self._places: dict[_TallyKey, LayerTally] = {}

    def run(self, run: Run) -> None:
        """Count one run, with or without calls."""
        self.runs[run.source] += 1

    def update(self, judged: Judged) -> None:
        """Count one call."""
        decision = judged.decision
        self.verdicts[decision.verdict] += 1
        whole = self._wholes.setdefault((judged.source, judged.success), LayerTally())
        whole.calls += 1
        whole.flagged += decision.verdict is not Verdict.CLEAN
        whole.would_block += decision.would_block
        to_blame = blocking_layers(decision)
        for layer, coverage in decision.coverage.items():
            place = _TallyKey(judged.source, layer, judged.success)
            # not `setdefault`, which would create a tally for each call
            counts = self._places.get(place)
            if counts is None:
                counts = self._places[place] = LayerTally()
            counts.calls += 1
            counts.would_block += layer in to_blame
            if coverage.outcome is Outcome.RAN:
                counts.ran += 1
            else:
                self._not_judged(counts, layer, coverage.outcome, coverage.reason)
        self._findings(judged)

    def merge(self, other: Tally) -> None:
        """Add the counts of later runs."""
        self.runs.update(other.runs)
        self.verdicts.update(other.verdicts)
        for whole, counts in other._wholes.items():
            self._wholes.setdefault(whole, LayerTally()).add(counts)
        for place, counts in other._places.items():
            self._places.setdefault(place, LayerTally()).add(counts)
        for reason, count in other.reasons.items():
            # a known reason goes on counting
            if reason in self.reasons or len(self.reasons) < _REASONS:
                self.reasons[reason] += count

    def layers(self) -> list[str]:
        """Return the names of the layers, in order."""
        return list(dict.fromkeys(place.layer for place in self._places))

    def sources(self) -> list[str]:
        """Return the names of the sources, in order."""
        return list(self.runs)

    def of(
        self, layer: str, *, source: str | None = None, outcome: str | None = None
    ) -> LayerTally:
        """Return the counts of one layer; *outcome* is ``success``, ``failure`` or ``unknown``."""
        total = LayerTally()
        for place, counts in self._places.items():
            fits = source in (None, place.source) and outcome in (None, OUTCOMES[place.success])
            if fits and place.layer == layer:
                total.add(counts)
        return total

    def whole(self, *, source: str | None = None, outcome: str | None = None) -> LayerTally:
        """Return the counts of calls that are flagged, or blocked in strict mode, by any layer."""
        total = LayerTally()
        for (name, success), counts in self._wholes.items():
            if source in (None, name) and outcome in (None, OUTCOMES[success]):
                total.add(counts)
        return total

    def to_dict(self) -> dict[str, Any]:
        """Return all counts as JSON-able data."""
        return {
            "runs": self.runs.total(),
            "calls": self.verdicts.total(),
            "verdicts": {verdict: self.verdicts[verdict] for verdict in Verdict},
            "would_block": self.whole().would_block,
            "layers": [self._layer(layer, source=None) for layer in self.layers()],
            "sources": list(self._sources()),
        }

    def _sources(self) -> Iterator[dict[str, Any]]:
        for source in self.sources():
            whole = self.whole(source=source)
            yield {
                "source": source,
                "runs": self.runs[source],
                "calls": whole.calls,
                "flagged": whole.flagged,
                "would_block": whole.would_block,
                "layers": [self._layer(layer, source=source) for layer in self.layers()],
            }

    def _layer(self, layer: str, *, source: str | None) -> dict[str, Any]:
        by_outcome = {
            outcome: self.of(layer, source=source, outcome=outcome).to_dict()
            for outcome in OUTCOMES.values()
        }
        return {
            "layer": layer,
            **self.of(layer, source=source).to_dict(),
            "by_outcome": by_outcome,
        }

    def _not_judged(self, counts: LayerTally, layer: str, outcome: Outcome, reason: str) -> None:
        counts.unavailable += outcome is Outcome.UNAVAILABLE
        counts.errors += outcome is Outcome.ERROR
        key = (layer, outcome, reason)
        if key in self.reasons or len(self.reasons) < _REASONS:
            self.reasons[key] += 1

    def _findings(self, judged: Judged) -> None:
        flagged = set()
        for finding in judged.decision.findings:
            if finding.weighs:
                place = _TallyKey(judged.source, finding.check, judged.success)
                counts = self._places.setdefault(place, LayerTally())
                counts.suspicious += finding.verdict is Verdict.SUSPICIOUS
                counts.hallucinated += finding.verdict is Verdict.HALLUCINATED
                flagged.add(place)
        for place in flagged:
            self._places[place].flagged += 1
