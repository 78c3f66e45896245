"""The revise loop: what the model is told, when it ends, and what is said in the end."""

from __future__ import annotations

import pytest

from abs_shield import AnswerConfig
from abs_shield.answer.pipeline import checked
from abs_shield.answer.revision import feedback_on
from tests.answer.shop import (
    CONFIG,
    EVEN,
    MADE_UP,
    OPEN,
    REFUSED,
    TRUE,
    Writer,
    asked,
    statuses,
    through,
)


@pytest.fixture
def shop():
    """A shop in a run that has looked up order W-2040."""
    with asked() as made:
        yield made


def test_feedback_names_a_claim_that_is_only_too_weak(shop):
    """No claim is below the revise threshold, and still there is something to correct."""
    found = checked(OPEN, session=shop.session, config=CONFIG)

    assert ("revise", ["grounded"]) == (found.report.action, statuses(found.report))
    assert OPEN in feedback_on(found)


def test_feedback_names_a_call_that_was_rejected(shop):
    """The validation error goes back to the model."""
    shop.call("get_order", id=7)
    told = feedback_on(checked(TRUE, session=shop.session))

    assert "get_order" in told
    assert "rejected" in told
    assert "shipped" not in told


def test_what_no_wording_mends_is_not_revised(shop):
    """High stakes without a model: whatever is written, it is not probed."""
    done = through(shop, TRUE, Writer(), AnswerConfig(high_stakes=True))

    assert (0, "block") == (done.rounds, done.checked.report.action)
    assert "checked as closely" in done.text


def test_each_failure_has_words_of_its_own(shop):
    """Which of them it was is what a refusal tells."""
    told = {
        through(shop, answer, Writer(), AnswerConfig(**{**EVEN, **given})).refused
        for answer, given in REFUSED.values()
    }

    assert 4 == len(told)


def test_a_refusal_after_a_rejected_call(shop):
    """It says that a step could not be taken."""
    shop.call("get_order", id=7)
    done = through(shop, TRUE, Writer("Order W-2040 has shipped from Oslo."))

    assert "a step" in done.refused


@pytest.mark.parametrize(
    "refusal",
    ['{{"error": "{reason}", "code": 7}}', "Sorry.", "{reason} {reason}", "100 % {reason}"],
)
def test_a_refusal_is_the_deployments_template(shop, refusal):
    """Braces that are doubled are text."""
    done = through(shop, MADE_UP["a negation"], Writer(), AnswerConfig(refusal=refusal))

    assert refusal.format(reason=done.refused) == done.text


@pytest.mark.parametrize(
    "left",
    [
        "",
        " ",
        ", so",
        "Shall I ask the shop?",
        "I could not find it.",
        "Done!",
        "It costs",
        "All set.",
    ],
)
def test_a_draft_that_has_lost_its_claims_is_refused(shop, left):
    """Nothing is left that the user could be told."""
    done = through(shop, MADE_UP["a new quantity"], Writer(left), AnswerConfig(block_threshold=0.1))

    assert (1, "block") == (done.rounds, done.checked.report.action)
    assert done.text == AnswerConfig().refusal.format(reason=done.refused)
    assert "revisions_failed" in done.checked.notes
    assert "contradicts" in done.refused


@pytest.mark.parametrize(
    "left", ["The order has shipped.", "It cost $120.50.", "It has shipped.", "Yes, it is shipped."]
)
def test_a_short_draft_that_still_says_something_is_emitted(shop, left):
    """A rewrite may leave out most of what was said."""
    done = through(shop, MADE_UP["a new quantity"], Writer(left), AnswerConfig(block_threshold=0.1))

    assert (1, left, "") == (done.rounds, done.text, done.refused)


def test_a_first_draft_without_claims_is_emitted(shop):
    """A question back to the user needs no evidence."""
    done = through(shop, "Shall I ask the shop?", Writer())

    assert ("Shall I ask the shop?", 0, "") == (done.text, done.rounds, done.refused)
