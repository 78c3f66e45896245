"""What labels teach one tool: where to block, and how often its results are wrong."""

from __future__ import annotations

from dataclasses import dataclass

PATIENCE = 5
"""Labels that a tool needs before anything moves: the fifth is the first that does."""
ALPHA = 0.1
"""Share of the way to its target that one label moves a number."""
_AGREED = 0.1
"""How far from where it was declared a limit may move by labels that agree with it."""
_HIGHEST = 0.95
_LEAST_GAP = 0.01
_LEAST_PRIOR = 0.01
_SHARE_OF_ACCEPT = 0.95
"""Labels raise the prior to below the limit of acceptance: else hardly anything is accepted."""


@dataclass(slots=True)
class Thresholds:
    """
    The limits of one tool; they move from where they are, the way a label says, never against it.

    Attributes:
        accepts_below: P(hallucination) below which a result is accepted.
        blocks_from: P(hallucination) from which a result is blocked.
        prior: P(hallucination) before looking.
        labels: Labels so far.
        hallucinated: How many of them said so.
        declared: Where `blocks_from` began.
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
        Move by one label of a result that had *score*.

        A label that the limit disagrees with moves it towards the score; one that it agrees with
        moves it at most a tenth away from where it was declared. A bound on how far a number goes
        stops it where it is, and never pulls it back. Where *moves* is false, the label is only
        counted.
        """
        self.labels += 1
        self.hallucinated += hallucinated
        if self.labels < PATIENCE or not moves:
            return
        now, blocks = self.prior, self.blocks_from
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
