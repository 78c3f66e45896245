"""Conversion of probabilities to log-odds, and the calibration error of predictions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import exp, fsum, log
from typing import NamedTuple


def log_odds(probability: float) -> float:
    """
    Return log(p / (1 - p)) for a probability above 0 and below 1.

    >>> log_odds(0.5)
    0.0
    """
    return log(probability / (1 - probability))


def probability(log_odds: float) -> float:
    """
    Return the probability for log-odds of any size, without overflow.

    >>> probability(0.0), probability(1e9), probability(-1e9)
    (0.5, 1.0, 0.0)
    """
    # `exp` of a large number overflows, so each branch calls it with at most 0.
    if log_odds >= 0:
        return 1 / (1 + exp(-log_odds))
    odds = exp(log_odds)
    return odds / (1 + odds)


BINS = 10  # with more, each bin has few outcomes; fewer hide the shape of the curve


class Bin(NamedTuple):
    """One bin: its mean predicted probability and the observed share of results."""

    n: int
    predicted: float
    observed: float


def brier(outcomes: Sequence[tuple[float, bool]]) -> float:
    """
    Return the Brier score, the mean squared error of probabilities, in [0, 1]: low is good.

    Source: G. W. Brier, Monthly Weather Review 78(1), 1950.

    >>> brier([(0.9, True), (0.2, False)])
    0.025
    """
    return (
        # The last digits are rounding errors: 0.1 ** 2 is 0.010000000000000002.
        round(fsum((p - observed) ** 2 for p, observed in outcomes) / len(outcomes), 12)
        if outcomes
        else 0.0
    )


def reliability(outcomes: Iterable[tuple[float, bool]], *, bins: int = BINS) -> list[Bin]:
    """
    Return the points of a calibration curve in bins of equal width, without empty ones.

    >>> reliability([(0.91, True), (0.99, False), (0.1, False)])
    [Bin(n=1, predicted=0.1, observed=0.0), Bin(n=2, predicted=0.95, observed=0.5)]
    """
    held: dict[int, list[tuple[float, bool]]] = {}
    for p, observed in outcomes:
        # A probability of 1 belongs to the last bin.
        held.setdefault(min(int(p * bins), bins - 1), []).append((p, observed))
    return [
        Bin(len(some), fsum(p for p, _ in some) / len(some), sum(w for _, w in some) / len(some))
        for _, some in sorted(held.items())
    ]


def expected_calibration_error(
    outcomes: Iterable[tuple[float, bool]], *, bins: int = BINS
) -> float:
    """
    Return the mean distance between predicted and observed shares, in [0, 1]: low is good.

    Source: M. P. Naeini, G. F. Cooper, M. Hauskrecht, AAAI 2015.

    >>> expected_calibration_error([(0.75, True), (0.75, True), (0.75, True), (0.75, False)])
    0.0
    """
    curve = reliability(outcomes, bins=bins)
    n = sum(one.n for one in curve)
    return sum(one.n * abs(one.predicted - one.observed) for one in curve) / n if n else 0.0
