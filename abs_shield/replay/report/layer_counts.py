"""Counts of one layer, with what operators said of the calls."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import NamedTuple, Self

from abs_shield.replay.report.session_spread import Spread
from abs_shield.replay.tally import LayerTally
from abs_shield.stats.clusters import Effect, clustered_wilson
from abs_shield.stats.wilson import wilson


class Share(NamedTuple):
    """
    A share that was counted, with its interval of 95 %.

    Attributes:
        hits: How many of *of* there were.
        of: Observations.
        effect: What their sessions do to the interval; None where each stands for itself.
    """

    hits: int
    of: int
    effect: Effect | None = None

    @property
    def sessions(self) -> int:
        """How many sessions the observations belong to."""
        return self.of if self.effect is None else self.effect.clusters

    @property
    def ends(self) -> tuple[float, float]:
        """The lower and the upper end, in [0, 1]: Wilson's, with a session as a cluster."""
        if self.effect is None:
            lower, upper = wilson(self.hits, self.of)
        else:
            lower, upper = clustered_wilson(self.hits, self.of, self.effect)
        # where none or all of them are hits, that end is exact, and floats miss it by a hair
        return lower if self.hits else 0.0, upper if self.hits < self.of else 1.0

    def to_dict(self) -> dict[str, float | int | None]:
        """Return it as JSON-able data; the share of nothing is None."""
        lower, upper = self.ends
        share = self.hits / self.of if self.of else None
        return {
            "hits": self.hits, "of": self.of, "share": share, "lower": lower, "upper": upper,
            "sessions": self.sessions,
        }  # fmt: skip


@dataclass(slots=True)
class LayerCounts(LayerTally):
    """
    Counts of one layer, with what operators said of the calls.

    Attributes:
        looked: Calls that it judged, failed to judge, or found something in nevertheless.
        alerts: Calls that it flags or failed to judge.
        found_blocks: Calls it would block because of what it found, not because it broke.
        runs_in_strict: Calls it flags that strict mode lets run, whatever other layers found.
        true_flags: Flagged calls that are labelled hallucinated.
        false_flags: Flagged calls that are labelled ok.
        true_blocks: Those of `found_blocks` that are labelled hallucinated.
        false_blocks: Those of `found_blocks` that are labelled ok.
        missed: Calls labelled hallucinated that it judged without finding anything.
        missed_by_all: Those of them in which no other layer found anything either.
        findings: Its findings, those that do not weigh included.
        suppressed: Its findings that a suppression of the policy silences.
        uncounted: Its findings that the policy's threshold does not count.
        overrides: Calls it would have blocked, but a suppression or an approval let them through.
        held: Calls held because of it until somebody approves them.
        granted: Calls held because of it that somebody approved.
        spread: How the calls are spread over sessions; None where each stands for itself.
    """

    looked: int = 0
    alerts: int = 0
    found_blocks: int = 0
    runs_in_strict: int = 0
    true_flags: int = 0
    false_flags: int = 0
    true_blocks: int = 0
    false_blocks: int = 0
    missed: int = 0
    missed_by_all: int = 0
    findings: int = 0
    suppressed: int = 0
    uncounted: int = 0
    overrides: int = 0
    held: int = 0
    granted: int = 0
    spread: Spread | None = None

    def add(self, other: LayerTally, *, times: int = 1) -> None:
        """Add *other* so often; how the sum is spread over sessions is not known then."""
        for name in COUNTED:
            if more := getattr(other, name, 0):  # most are 0 in one decision
                setattr(self, name, getattr(self, name) + times * more)
        self.spread = None

    def to_dict(self) -> dict[str, int]:
        """Return the counts as JSON-able data."""
        return {name: getattr(self, name) for name in COUNTED}

    def with_labels(self, more: int) -> Self:
        """
        Return these counts with so many more labels, all of them right.

        They are taken to be of sessions that have no label yet, as long as there are any.
        """
        then = replace(self, true_blocks=self.true_blocks + more)
        if self.spread is not None:
            now, unproven = self.block_precision, self.unproven_stops
            blocking = self.spread.of("labelled_blocks").count
            sessions = min(blocking, now.sessions + more) if more else now.sessions
            then.spread = Spread(
                self.spread.clusters,
                {
                    "block_precision": Effect(sessions, _design(now)),
                    "unproven_stops": Effect(unproven.sessions, _design(unproven)),
                },
            )
        return then

    @property
    def stops(self) -> Share:
        """The calls that it would block, among those that it looked at."""
        return self._share("stops", self.would_block, self.looked)

    @property
    def unproven_stops(self) -> Share:
        """The calls that its findings would block that are not labelled hallucinated."""
        return self._share("unproven_stops", self.found_blocks - self.true_blocks, self.looked)

    @property
    def precision(self) -> Share:
        """The flagged calls that are labelled hallucinated, among those with a label."""
        return self._share("precision", self.true_flags, self.true_flags + self.false_flags)

    @property
    def block_precision(self) -> Share:
        """The same of the calls that its findings would block."""
        labelled = self.true_blocks + self.false_blocks
        return self._share("block_precision", self.true_blocks, labelled)

    @property
    def coverage(self) -> Share:
        """The calls that it judged, among all it was asked about."""
        return self._share("coverage", self.ran, self.calls)

    @property
    def alert_rate(self) -> Share:
        """The calls that it flags or failed to judge, among those that it looked at."""
        return self._share("alert_rate", self.alerts, self.looked)

    def _share(self, name: str, hits: int, of: int) -> Share:
        effect = None if self.spread is None else self.spread.effect(name, hits, of)
        return Share(hits, of, effect)


COUNTED = tuple(field.name for field in fields(LayerCounts) if field.name != "spread")
"""The fields that are counts."""


def _design(share: Share) -> float:
    return 1.0 if share.effect is None else share.effect.design
