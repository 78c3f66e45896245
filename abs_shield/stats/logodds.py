"""Probabilities as log-odds, where evidence adds up, and back without overflow."""

from __future__ import annotations

from math import exp, log


def log_odds(probability: float) -> float:
    """
    Return log(p / (1 - p)) of a probability above 0 and below 1.

    >>> log_odds(0.5)
    0.0
    """
    return log(probability / (1 - probability))


def probability(log_odds: float) -> float:
    """
    Return the probability of log-odds of any size.

    >>> probability(0.0), probability(1e9), probability(-1e9)
    (0.5, 1.0, 0.0)
    """
    # `exp` of a large number overflows, so each branch takes it of one that is at most 0.
    if log_odds >= 0:
        return 1 / (1 + exp(-log_odds))
    odds = exp(log_odds)
    return odds / (1 + odds)
