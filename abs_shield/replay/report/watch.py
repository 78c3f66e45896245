"""Counts of one layer, with what operators said of the calls."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from abs_shield.replay.tally import Counts
from abs_shield.stats.wilson import wilson


class Share(NamedTuple):
    """A share that was counted, with its Wilson interval of 95 %."""

    hits: int
    of: int

    @property
    def ends(self) -> tuple[float, float]:
        """The lower and the upper end, in [0, 1]."""
        lower, upper = wilson(self.hits, self.of)
        # where none or all of them are hits, that end is exact, and floats miss it by a hair
        return lower if self.hits else 0.0, upper if self.hits < self.of else 1.0

    def to_dict(self) -> dict[str, float | int | None]:
        """Give it as JSON-able data; the share of nothing is None."""
        lower, upper = self.ends
        share = self.hits / self.of if self.of else None
        return {"hits": self.hits, "of": self.of, "share": share, "lower": lower, "upper": upper}


@dataclass(slots=True)
class Watch(Counts):
    """
    Counts of one layer, with what operators said of the calls.

    Attributes:
        looked: Calls that it judged, failed to judge, or found something in nevertheless.
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
    """

    looked: int = 0
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

    @property
    def stops(self) -> Share:
        """The calls that it would block, among those that it looked at."""
        return Share(self.would_block, self.looked)

    @property
    def unproven_stops(self) -> Share:
        """The calls that its findings would block and nobody labelled hallucinated."""
        return Share(self.found_blocks - self.true_blocks, self.looked)

    @property
    def precision(self) -> Share:
        """The flagged calls that are labelled hallucinated, among those with a label."""
        return Share(self.true_flags, self.true_flags + self.false_flags)

    @property
    def block_precision(self) -> Share:
        """The same of the calls that its findings would block."""
        return Share(self.true_blocks, self.true_blocks + self.false_blocks)

    @property
    def coverage(self) -> Share:
        """The calls that it judged, among all it was asked about."""
        return Share(self.ran, self.calls)
