"""The strength of each class of findings, fitted on recorded runs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from abs_shield.stats.share_intervals import wilson

FITTED_ON = "2026-11-24, on the development halves of two collections of recorded runs"
PRIOR = (0.83, 0.27)
"""
Pseudo-counts of right and wrong findings that are added to the counts of each class.

`benchmarks/calibration.py` fits them: they maximise the likelihood of the counts of all classes.
So a class with few findings is close to the average, and one with many has its own share.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Strength:
    """
    The strength of one class of findings, and the counts that it is computed from.

    Attributes:
        basis: Name of the class, which is `Finding.basis` of its findings.
        strength: Probability that a finding of the class is right, in [0, 1], at the rate of faults
            in the recorded runs.
        interval: Wilson's 95 % interval of that probability; None if the author's declaration
            makes it certain.
        right: Number of right findings on recorded calls, without planted faults.
        wrong: Number of wrong findings on recorded calls.
        found: Number of planted faults that were found; they do not affect the strength.
        planted: Number of planted faults of the class.
        hard: Whether findings of the class in `phantom_target` may be HALLUCINATED.
    """

    basis: str
    strength: float
    interval: tuple[float, float] | None
    right: int = 0
    wrong: int = 0
    found: int = 0
    planted: int = 0
    hard: bool = False


def fit_strength(
    basis: str, *, right: int, wrong: int, found: int = 0, planted: int = 0, hard: bool = False
) -> Strength:
    """
    Return the strength of a class with these numbers of *right* and *wrong* findings.

    It is the mean of the beta distribution with the counts and the `PRIOR` as parameters, rounded
    to two digits and limited to [0.01, 0.99]. Without any finding it is 0.5, and the interval is
    [0, 1]. The other arguments are stored as they are.

    >>> fit_strength("unseen", right=7, wrong=1).strength
    0.86
    >>> fit_strength("unseen", right=0, wrong=0).interval
    (0.0, 1.0)
    """
    low, high = wilson(right, right + wrong)
    # Without any finding, the prior of the other classes would pretend knowledge.
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
    # the author's declarations: schemas, rules, pairs, guarded parameters, the list of tools
    Strength(basis="declared", strength=1.0, interval=None, hard=True),
    fit_strength("placeholder", right=9, wrong=0, found=1479, planted=1483, hard=True),
    fit_strength("hard_id", right=117, wrong=4, found=2554, planted=2572, hard=True),
    fit_strength("soft_name", right=18, wrong=6, found=887, planted=938),
    fit_strength("other_kind", right=2, wrong=5, found=352, planted=729),
    fit_strength("contradiction", right=1, wrong=5, found=506, planted=578),
    fit_strength("removed", right=1, wrong=0, found=178, planted=178),
    fit_strength("coercible", right=47, wrong=0, found=281, planted=281),
    fit_strength("prose_only", right=0, wrong=0),
    fit_strength("repeated", right=0, wrong=0),
)
"""The counts from ``python benchmarks/calibration.py``."""

STRENGTHS: Mapping[str, Strength] = MappingProxyType({row.basis: row for row in _ROWS})
