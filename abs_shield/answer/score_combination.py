"""Combination of several scorers' opinions to one score: log-odds add up, and checks cap."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from abs_shield.answer.claim_types import Assessment, Claim, MissingValue, Opinion
from abs_shield.answer.scorers import SCORERS, ScorerEffect
from abs_shield.core import Unavailable
from abs_shield.stats.probabilities import log_odds, probability

# just below the revise threshold of .6
_MISSING_CAP = 0.59
"""Cap for a missing value: the claim is revised, however well the rest is supported."""
# one certain opinion must not outweigh all others
_LEAST, _MOST = 0.001, 0.999
_LEAST_BESIDE_MODELS = 0.25
"""Lowest score of the words if models support a claim, which may be a paraphrase."""
# the gate's block threshold
REFUTED_BELOW = 0.4
"""A verifier's or judge's score below which it agrees that a claim is wrong."""


def combine(
    claim: Claim,
    opinions: Mapping[str, Opinion | Unavailable | None],
    *,
    effects: Mapping[str, ScorerEffect],
    prior: float = 0.0,
    missing_confirms: bool = True,
) -> Assessment:
    """
    Combine the opinions of a claim.

    Source: naive Bayes, the log-odds p / (1 - p) of each opinion added to those of the prior.
    Checks only cap: a missing value caps the sum, a contradiction caps it lower. If words may
    not revise, the prior replaces their score, unless the models refute the claim.

    Args:
        claim: The claim.
        opinions: Each scorer's opinion, by the scorer's name.
        effects: What each scorer may do.
        prior: Log-odds of being grounded before any evidence; 0 means even odds.
        missing_confirms: Whether a missing value confirms that a claim is wrong, and not only
            unsupported.
    """
    usable = {name: one for name, one in opinions.items() if isinstance(one, Opinion)}
    checks = {name: one for name, one in usable.items() if SCORERS[name].caps}
    models = {name: one for name, one in usable.items() if SCORERS[name].model}
    words = usable.get("words")
    summed = [*models.values()]
    if words is not None:
        summed.insert(0, _weigh(words, summed, effects["words"], prior))
    score = _combined_score(summed)
    for check in checks.values():
        score = check.score if score is None else min(score, _cap(check))
    # only models: checks are deterministic, and no model outvotes them
    outvoted = _odds([*models.values()]) > 0  # other models support the claim that one contradicts
    against = [*checks.values(), *(() if outvoted else models.values())]
    refuting = [one for one in against if one.contradicted]  # their spans explain the contradiction
    return Assessment(
        claim,
        score,
        spans=next((one.spans for one in (*refuting, *checks.values(), *summed) if one.spans), ()),
        missing=_missing(words, [*checks.values(), *models.values()]),
        contradicted=refuting[0].contradicted if refuting else "",
        confirmed=any(
            effects[name] is ScorerEffect.BLOCK and _refutes(name, one, missing_confirms)
            for name, one in usable.items()
        ),
        words=words.score if words else None,
        against=tuple(name for name, one in usable.items() if _rejects(name, one, effects)),
    )


def is_refuted(opinions: Sequence[Opinion]) -> bool:
    """Return whether these opinions together refute a claim."""
    return _odds(opinions) < 0


def with_prior(score: float, prior: float) -> float:
    """
    Return a score at even odds, converted to other prior odds by Bayes' rule.

    Args:
        score: P(grounded) at even odds, in [0, 1].
        prior: Log-odds of being grounded before any evidence; 0 means even odds.

    >>> with_prior(0.2, 0.0), round(with_prior(0.2, log_odds(0.9)), 2)
    (0.2, 0.69)
    """
    return probability(log_odds(_clip(score)) + prior) if prior else score


def _weigh(
    words: Opinion, models: Sequence[Opinion], effect: ScorerEffect, prior: float
) -> Opinion:
    """Return the opinion of the words as the gate uses it."""
    if effect is not ScorerEffect.ROUTE:
        # the base rate is not for claims with a new name or word
        new = any(value.kind != "number" for value in words.missing)
        score = words.score if new else with_prior(words.score, prior)
        supported = models and not is_refuted(models)
        return replace(words, score=max(score, _LEAST_BESIDE_MODELS) if supported else score)
    return words if is_refuted(models) else replace(words, score=probability(prior))


def _refutes(name: str, one: Opinion, missing_confirms: bool) -> bool:
    if SCORERS[name].caps:
        return bool(one.contradicted or (missing_confirms and one.missing))
    return bool(SCORERS[name].model) and one.score < REFUTED_BELOW


def _rejects(name: str, one: Opinion, effects: Mapping[str, ScorerEffect]) -> bool:
    """Return whether a scorer that may revise rejects a claim."""
    if SCORERS[name].caps:
        return bool(one.contradicted or one.missing)
    # below even odds the scorer takes the claim for wrong
    return effects[name] is not ScorerEffect.ROUTE and one.score < 0.5


def _missing(words: Opinion | None, others: Sequence[Opinion]) -> tuple[MissingValue, ...]:
    """Return the values that checks and models miss, and the other names that the words miss."""
    values: list[MissingValue] = []
    taken: set[int] = set()
    names = [value for value in words.missing if value.kind == "name"] if words else []
    # checks and models first: their values are exact, and the words' overlap with them
    for value in [*(value for one in others for value in one.missing), *names]:
        places = range(value.start, value.end)
        if taken.isdisjoint(places):
            values.append(value)
            taken.update(places)
    return tuple(sorted(values, key=lambda value: value.start))


def _combined_score(opinions: Sequence[Opinion]) -> float | None:
    """Return the score of one opinion, or the combined log-odds of several."""
    if len(opinions) < 2:
        return opinions[0].score if opinions else None
    return probability(_odds(opinions))


def _odds(opinions: Sequence[Opinion]) -> float:
    return sum(log_odds(_clip(one.score)) for one in opinions)


def _clip(score: float) -> float:
    return min(max(score, _LEAST), _MOST)


def _cap(check: Opinion) -> float:
    if check.contradicted:
        return check.score
    return _MISSING_CAP if check.missing else 1.0
