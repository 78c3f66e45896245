"""Features of spelling: inflected forms of a word share most of its letters, in any script."""

from __future__ import annotations

import pytest

from abs_shield.answer.claim_reader import claims_of
from abs_shield.answer.evidence.evidence_collection import evidence_from
from abs_shield.answer.evidence.evidence_passages import Evidence
from abs_shield.answer.evidence.sentence_index import index_of
from abs_shield.answer.scorers.lexical.lexical_features import FEATURES, Idf, features_of


def spelling_features(claim: str, evidence: Evidence) -> tuple[float, float]:
    """Return the shares of a claim's letters in the nearest sentences and in all sentences."""
    values = dict(
        zip(
            FEATURES,
            features_of(claim, index_of(evidence), question_keys=frozenset(), idf=Idf()).values,
            strict=True,
        )
    )
    return values["letters_near"], values["letters_whole"]


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("The bar opens at nine.", "Every day THE BAR OPENS  at nine."),
        ("他支付了50元。", "昨天他支付了50元。"),
        ("Она купила билет.", "Она купила билет."),
    ],
)
def test_a_quoted_claim_has_the_full_share(claim: str, evidence: str) -> None:
    """White space, capitals and punctuation do not count."""

    assert (1.0, 1.0) == spelling_features(claim, evidence_from(evidence))


@pytest.mark.parametrize(
    ("form", "other"),
    [("The museums were opened.", "The doors were locked."), ("他支付了", "她收到她")],
)
def test_an_inflected_form_scores_above_another_word(form: str, other: str) -> None:
    """An inflected form shares more letters with the evidence than another word."""
    evidence = evidence_from("The museum opens on Monday. 他已支付50元。")

    assert spelling_features(form, evidence)[1] > spelling_features(other, evidence)[1]


def test_a_very_long_word_is_truncated() -> None:
    """Only the beginning of a very long word is compared."""
    (claim,) = claims_of("x1" * 300_000 + " is 5.")

    assert spelling_features(claim.text, evidence_from("The bar opens at nine."))[1] == 0.0
