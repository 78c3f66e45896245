"""One score a claim, of what several scorers say: log-odds add up, and a hard check caps."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from abs_shield.answer.types import Claim, MissingValue, Opinion, Span, Unavailable
from abs_shield.stats.logodds import log_odds, probability

Said = Opinion | Unavailable | None
"""What one scorer says of one claim; None where it was not asked."""

_ABSENT_CAP = 0.59
"""A figure that is nowhere: the claim is revised, however well the rest of it reads."""
_REFUTED_CAP = 0.3
_LEAST, _MOST = 0.001, 0.999
REFUTED_BELOW = 0.4
"""A verifier's or judge's score below which it agrees that a claim is wrong."""


class Assessment(NamedTuple):
    """
    What all scorers together say of one claim.

    Attributes:
        claim: The claim.
        score: P(grounded), in [0, 1]; None where nothing could score it.
        spans: The evidence nearest to it, best first.
        missing: Its tokens that the evidence does not have.
        contradicted: Why the evidence says something else; empty where it does not.
        confirmed: Whether a hard check, a verifier or a judge says that it is wrong.
        words: The lexical score at even odds, in [0, 1]; None where there is no evidence.
    """

    claim: Claim
    score: float | None
    spans: tuple[Span, ...] = ()
    missing: tuple[MissingValue, ...] = ()
    contradicted: str = ""
    confirmed: bool = False
    words: float | None = None


def combined(
    claim: Claim,
    lexical: Said,
    hard: Said,
    asked: Sequence[Said] = (),
    *,
    absent_refutes: bool = True,
) -> Assessment:
    """
    Combine what was said of a claim.

    Source: naive Bayes at even odds, log(p / (1 - p)) of each opinion added. The hard check is no
    opinion: what it finds absent caps the sum, and what it finds contradicted caps it lower.

    Args:
        claim: The claim.
        lexical: The lexical scorer's word.
        hard: The hard checks' word.
        asked: What a verifier and a judge said, where they were asked.
        absent_refutes: Whether a figure that stands nowhere says that a claim is wrong, and not
            only that it is unsupported.
    """
    told = [one for one in asked if isinstance(one, Opinion)]
    opinions = [lexical, *told] if isinstance(lexical, Opinion) else told
    checks = [hard] if isinstance(hard, Opinion) else []
    score = _together(opinions)
    for check in checks:
        score = check.score if score is None else min(score, _cap(check))
    outvoted = _odds(told) > 0  # the others support what one of them calls contradicted
    against = checks if outvoted else [*checks, *told]
    return Assessment(
        claim,
        score,
        spans=next((one.spans for one in (*checks, *opinions) if one.spans), ()),
        missing=_misses(lexical, checks),
        contradicted=next((one.contradicted for one in against if one.contradicted), ""),
        confirmed=any(one.score < REFUTED_BELOW for one in told)
        or any(check.contradicted or (absent_refutes and check.missing) for check in checks),
    )


def _misses(lexical: Said, checks: Sequence[Opinion]) -> tuple[MissingValue, ...]:
    """What the hard checks miss, and the names that the lexical scorer misses beside it."""
    found = [miss for check in checks for miss in check.missing]
    taken = {place for miss in found for place in range(miss.start, miss.end)}
    for miss in lexical.missing if isinstance(lexical, Opinion) else ():
        if miss.kind == "name" and taken.isdisjoint(range(miss.start, miss.end)):
            found.append(miss)
    return tuple(sorted(found, key=lambda miss: miss.start))


def _together(opinions: Sequence[Opinion]) -> float | None:
    """One score is told as it is; of several the log-odds add up."""
    if len(opinions) < 2:
        return opinions[0].score if opinions else None
    return probability(_odds(opinions))


def _odds(opinions: Sequence[Opinion]) -> float:
    """What opinions come to, in log-odds."""
    return sum(log_odds(min(max(one.score, _LEAST), _MOST)) for one in opinions)


def refuted(asked: Sequence[Said]) -> bool:
    """Whether the models that were asked together speak against a claim."""
    return _odds([one for one in asked if isinstance(one, Opinion)]) < 0


def moved(score: float, prior: float) -> float:
    """
    Give a score at even odds as it is at other odds, which Bayes' rule adds.

    Args:
        score: P(grounded) at even odds, in [0, 1].
        prior: Log-odds of being grounded before anything is looked at; 0 are even odds.

    >>> moved(0.2, 0.0), round(moved(0.2, log_odds(0.9)), 2)
    (0.2, 0.69)
    """
    return probability(log_odds(min(max(score, _LEAST), _MOST)) + prior) if prior else score


def _cap(checked: Opinion) -> float:
    if checked.contradicted:
        return min(_REFUTED_CAP, checked.score)
    return _ABSENT_CAP if checked.missing or checked.score < REFUTED_BELOW else 1.0
