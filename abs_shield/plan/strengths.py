"""The strength of each class of findings, fitted on recorded runs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from abs_shield.stats.share_intervals import wilson

FITTED_ON = "2026-11-24, on the development halves of two collections of recorded runs"
PRIOR = (0.83, 0.27)
"""
Right and wrong findings that each class begins with, shared by all classes.

They maximise the likelihood of the counts of all classes, as the script fits them, so that
a class with few findings is close to the others, and one with many has its own share.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Strength:
    """
    The strength of one class of findings, and the counts behind it.

    Attributes:
        basis: Name of the class, the `Finding.basis` of its findings.
        strength: Probability that a finding of the class is right, in [0, 1], at the rate of faults
            of the recorded runs.
        interval: Wilson's 95 % interval of that probability; None if it holds by declaration.
        right: Findings on recorded calls that were right, without planted faults.
        wrong: Findings on recorded calls that were wrong.
        found: Planted faults of the class that were found; they do not affect the strength.
        planted: Planted faults of the class.
        hard: Whether `phantom_target` is HALLUCINATED for it if the author's declaration allows.
    """

    basis: str
    strength: float
    interval: tuple[float, float] | None
    right: int = 0
    wrong: int = 0
    found: int = 0
    planted: int = 0
    hard: bool = False


def fitted(
    basis: str, *, right: int, wrong: int, found: int = 0, planted: int = 0, hard: bool = False
) -> Strength:
    """
    Return the row of a class with *right* and *wrong* findings among those read.

    The strength is the mean of the beta distribution of the counts and the `PRIOR`, with two
    digits and never 0 or 1: nothing that is counted is certain. Without any finding it is 0.5, and
    the interval is [0, 1].

    >>> fitted("unseen", right=7, wrong=1).strength, fitted("unseen", right=0, wrong=0).interval
    (0.86, (0.0, 1.0))
    """
    low, high = wilson(right, right + wrong)
    # Without any finding the prior of the other classes would claim knowledge.
    more_right, more_wrong = PRIOR if right + wrong else (0.5, 0.5)
    mean = (right + more_right) / (right + wrong + more_right + more_wrong)
    return Strength(
        basis=basis,
        strength=min(max(round(mean, 2), 0.01), 0.99),
        interval=(round(low, 2), round(high, 2)),
        right=right,
        wrong=wrong,
        found=found,
        planted=planted,
        hard=hard,
    )


_ROWS = (
    # what the author declared: a schema, a rule, a pair, a guarded parameter, the tools there are
    Strength(basis="declared", strength=1.0, interval=None, hard=True),
    fitted("placeholder", right=9, wrong=0, found=1479, planted=1483, hard=True),
    fitted("hard_id", right=117, wrong=4, found=2554, planted=2572, hard=True),
    fitted("soft_name", right=18, wrong=6, found=887, planted=938),
    fitted("other_kind", right=2, wrong=5, found=352, planted=729),
    fitted("contradiction", right=1, wrong=5, found=506, planted=578),
    fitted("removed", right=1, wrong=0, found=178, planted=178),
    fitted("coercible", right=47, wrong=0, found=281, planted=281),
    fitted("prose_only", right=0, wrong=0),
    fitted("repeated", right=0, wrong=0),
)
"""The counts of ``python benchmarks/calibration.py``; a test compares them."""

STRENGTHS: Mapping[str, Strength] = MappingProxyType({row.basis: row for row in _ROWS})
