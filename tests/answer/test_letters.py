"""The spelling of claims: forms of a word share most of it, in any script."""

from __future__ import annotations

import pytest

from abs_shield.answer.claim_reader import claims_of
from abs_shield.answer.evidence.evidence_collection import evidence_from
from abs_shield.answer.evidence.evidence_passages import Evidence
from abs_shield.answer.evidence.sentence_index import index_of
from abs_shield.answer.scorers.lexical.lexical_features import FEATURES, Idf, features_of


def spelt(claim: str, evidence: Evidence) -> tuple[float, float]:
    """Return how much of a claim is spelt as the nearest sentences are, and as all of them are."""
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
def test_what_stands_there_is_spelt_there(claim: str, evidence: str) -> None:
    """Blanks, capitals and punctuation do not count."""

    assert (1.0, 1.0) == spelt(claim, evidence_from(evidence))


@pytest.mark.parametrize(
    ("form", "other"),
    [("The museums were opened.", "The doors were locked."), ("他支付了", "她收到她")],
)
def test_another_form_is_nearer_than_another_word(form: str, other: str) -> None:
    """Most of a word's letters are in its other forms."""
    evidence = evidence_from("The museum opens on Monday. 他已支付50元。")

    assert spelt(form, evidence)[1] > spelt(other, evidence)[1]


def test_a_claim_of_one_endless_word_is_spelt_in_bounded_time() -> None:
    """Only its beginning is compared."""
    (claim,) = claims_of("x1" * 300_000 + " is 5.")

    assert spelt(claim.text, evidence_from("The bar opens at nine."))[1] == 0.0
