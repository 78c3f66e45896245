"""Adaptive thresholds of one tool: labels move its block threshold and its prior."""

from __future__ import annotations

from dataclasses import dataclass

PATIENCE = 5
"""
Number of labels of a tool from which on labels move its limits, because a few early ones may be
mistakes.
"""
ALPHA = 0.1
"""
Share of the distance to its target by which one label moves a limit; ten of them move it by two
thirds.
"""
_AGREED = 0.1
"""Largest relative change of a declared limit by labels that agree with it."""
_HIGHEST = 0.95  # a higher threshold would turn off blocking
_LEAST_GAP = 0.01  # room for a flag between both limits
_LEAST_PRIOR = 0.01  # below it, hardly any signal could flag a result by itself
_SHARE_OF_ACCEPT = 0.95
"""Labels raise the prior at most to this share of the accept threshold: else little is accepted."""


@dataclass(slots=True)
class Thresholds:
    """
    The limits of one tool, which move only in the direction of a label.

    Attributes:
        accepts_below: P(hallucination) below which a result is accepted.
        blocks_from: P(hallucination) from which a result is blocked.
        prior: P(hallucination) before any signal.
        labels: Number of labels so far.
        hallucinated: Number of labels as hallucinated.
        declared: The initial `blocks_from`.
    """

    accepts_below: float
    blocks_from: float
    prior: float
    labels: int = 0
    hallucinated: int = 0
    declared: float = 0.0

    def __post_init__(self) -> None:
        self.declared = self.declared or self.blocks_from

    def learn(self, *, score: float, hallucinated: bool, moves: bool = True) -> None:
        """
        Move the limits by one label of a result with *score*.

        A label against the limit's decision moves it towards the score; one that agrees moves it
        at most a tenth away from its declared value. A bound stops a number, and never pulls it
        back. If *moves* is False, the label is only counted.
        """
        self.labels += 1
        self.hallucinated += hallucinated
        if self.labels < PATIENCE or not moves:
            return
        now, blocks = self.prior, self.blocks_from
        # A moving average, so that the newest labels count most.
        prior = now + ALPHA * (hallucinated - now)
        moved = blocks + ALPHA * (self._target(score, hallucinated) - blocks)
        if hallucinated:
            self.prior = max(now, min(prior, _SHARE_OF_ACCEPT * self.accepts_below))
            self.blocks_from = min(blocks, max(moved, self.accepts_below + _LEAST_GAP))
        else:
            self.prior = min(now, max(prior, _LEAST_PRIOR))
            self.blocks_from = max(blocks, min(moved, _HIGHEST))

    def _target(self, score: float, hallucinated: bool) -> float:
        now = self.blocks_from
        if hallucinated:
            return min(now, score if score < now else (1 - _AGREED) * self.declared)
        return max(now, score if score >= now else (1 + _AGREED) * self.declared)
