"""How far probabilities can be taken at their word."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import fsum
from typing import NamedTuple

BINS = 10


class Bin(NamedTuple):
    """What was said and what was so, among results that were told about the same probability."""

    n: int
    said: float
    was: float


def brier(told: Sequence[tuple[float, bool]]) -> float:
    """
    Give the mean squared error of probabilities, in [0, 1]: low is good.

    Source: G. W. Brier, Monthly Weather Review 78(1), 1950.

    >>> brier([(0.9, True), (0.2, False)])
    0.025
    """
    return round(fsum((p - was) ** 2 for p, was in told) / len(told), 12) if told else 0.0


def reliability(told: Iterable[tuple[float, bool]], *, bins: int = BINS) -> list[Bin]:
    """
    Give the points of a calibration curve: bins of equal width, empty ones left out.

    >>> reliability([(0.91, True), (0.99, False), (0.1, False)])
    [Bin(n=1, said=0.1, was=0.0), Bin(n=2, said=0.95, was=0.5)]
    """
    held: dict[int, list[tuple[float, bool]]] = {}
    for p, was in told:
        held.setdefault(min(int(p * bins), bins - 1), []).append((p, was))
    return [
        Bin(len(some), fsum(p for p, _ in some) / len(some), sum(w for _, w in some) / len(some))
        for _, some in sorted(held.items())
    ]


def expected_calibration_error(told: Iterable[tuple[float, bool]], *, bins: int = BINS) -> float:
    """
    Give the mean distance of what was said from what was so, in [0, 1]: low is good.

    Source: M. P. Naeini, G. F. Cooper, M. Hauskrecht, AAAI 2015.

    >>> expected_calibration_error([(0.75, True), (0.75, True), (0.75, True), (0.75, False)])
    0.0
    """
    curve = reliability(told, bins=bins)
    n = sum(one.n for one in curve)
    return sum(one.n * abs(one.said - one.was) for one in curve) / n if n else 0.0
