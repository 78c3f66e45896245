"""The opinions on a claim are combined into one score."""

from __future__ import annotations

import pytest

from abs_shield.answer.claim_types import Claim, MissingValue, Opinion
from abs_shield.answer.score_combination import combine
from abs_shield.answer.scorers import ScorerEffect
from abs_shield.core import Unavailable
from abs_shield.stats.probabilities import log_odds

CLAIM = Claim("Mia paid $7.", 0, 12, frozenset({"money"}))
ABSENT = Opinion(score=0.55, missing=(MissingValue("money", "$7", 9, 11),))
REFUTED = Opinion(score=0.25, contradicted="the evidence says $9")


EFFECTS = dict.fromkeys(("facts", "words", "verifier", "judge"), ScorerEffect.BLOCK)


def combine_opinions(words, facts=None, models=(), effects=EFFECTS, **given):
    """Return the combination of opinions given by position."""
    named = dict(zip(("verifier", "judge"), models, strict=False))
    return combine(CLAIM, {"facts": facts, "words": words, **named}, effects=effects, **given)


def opinion(score, contradicted=""):
    return Opinion(score=score, contradicted=contradicted)


@pytest.mark.parametrize(
    ("lexical", "hard", "asked", "score"),
    [
        (opinion(0.7), None, (), 0.7),
        (opinion(0.5), None, (opinion(0.9),), 0.9),
        (opinion(0.8), None, (opinion(0.2),), 0.5),
        (opinion(0.99), ABSENT, (), 0.59),
        (opinion(0.99), REFUTED, (opinion(0.99),), 0.25),
        (opinion(0.7), None, (Unavailable("down"),), 0.7),
        (None, REFUTED, (), 0.25),
        (None, None, (), None),
    ],
)
def test_score_is_a_capped_sum_of_log_odds(lexical, hard, asked, score):
    """The score is the sum of log-odds, capped if a check finds the claim absent or refuted."""
    report = combine_opinions(lexical, hard, asked).score

    assert score == (report if report is None else pytest.approx(report))


def test_a_contradiction_is_outvoted_by_another_model():
    """A judge's support outvotes a verifier's contradiction, but not that of a hard check."""
    doubt = opinion(0.4, "the evidence says $9")

    assert combine_opinions(opinion(0.84), None, (doubt,)).contradicted
    assert not combine_opinions(opinion(0.84), None, (doubt, opinion(0.95))).contradicted
    assert combine_opinions(opinion(0.84), REFUTED, (opinion(0.95),)).contradicted


def test_misses_are_figures_and_names_beside_them():
    """Missing values are in order, and a name inside a missed figure is not repeated."""
    lexical = Opinion(
        score=0.2,
        missing=(
            MissingValue("number", "7", 10, 11),
            MissingValue("name", "Mia", 0, 3),
            MissingValue("name", "$7", 9, 11),
        ),
    )

    assert [("name", "Mia"), ("money", "$7")] == [
        (miss.kind, miss.text) for miss in combine_opinions(lexical, ABSENT).missing
    ]
    assert not combine_opinions(lexical, None).confirmed


def test_words_that_may_only_route_count_as_the_prior():
    """In a run the base rate replaces the lexical score unless a model disagrees."""
    effects = EFFECTS | {"words": ScorerEffect.ROUTE}

    assert combine_opinions(
        opinion(0.1), effects=effects, prior=log_odds(0.99)
    ).score == pytest.approx(0.99)
    assert combine_opinions(opinion(0.1), None, (opinion(0.2),), effects).score == pytest.approx(
        0.027, abs=0.001
    )
    assert combine_opinions(opinion(0.1), effects=effects).words == 0.1


def test_a_check_that_may_only_revise_confirms_nothing():
    """A contradiction of a check that may only revise caps the score and does not block."""
    effects = EFFECTS | {"facts": ScorerEffect.REVISE}
    report = combine_opinions(opinion(0.99), REFUTED, effects=effects)

    assert (0.25, False, ("facts",)) == (report.score, report.confirmed, report.against)
    assert combine_opinions(opinion(0.99), REFUTED).confirmed


def test_a_missing_value_confirms_only_beside_documents():
    """A missing value confirms a refutation beside documents, but not in a run."""
    assert combine_opinions(opinion(0.3), ABSENT).confirmed
    assert not combine_opinions(opinion(0.3), ABSENT, missing_confirms=False).confirmed
