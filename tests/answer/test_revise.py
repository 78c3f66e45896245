"""The revise loop: what the model is told, when it ends, and what is said in the end."""

from __future__ import annotations

import pytest

from abs_shield import AnswerConfig
from abs_shield.answer.answer_revision import feedback_on
from abs_shield.answer.check_pipeline import checked
from tests.answer.shop import (
    CONFIG,
    EVEN,
    MADE_UP,
    OPEN,
    REFUSED,
    TRUE,
    Writer,
    count_requests,
    statuses,
    through,
)


@pytest.fixture
def shop():
    """A shop in a run that has looked up order W-2040."""
    with count_requests() as requests:
        yield requests


def test_feedback_names_a_claim_that_is_only_too_weak(shop):
    """No claim is below the revise threshold, and still there is something to correct."""
    report = checked(OPEN, session=shop.session, config=CONFIG)

    assert ("revise", ["grounded"]) == (report.report.action, statuses(report.report))
    assert OPEN in feedback_on(report)


def test_feedback_names_a_call_that_was_rejected(shop):
    """The validation error goes back to the model."""
    shop.call("get_order", id=7)
    feedback = feedback_on(checked(TRUE, session=shop.session))

    assert "get_order" in feedback
    assert "rejected" in feedback
    assert "shipped" not in feedback


def test_what_no_wording_mends_is_not_revised(shop):
    """High stakes without a model: whatever is written, it is not probed."""
    done = through(shop, TRUE, Writer(), AnswerConfig(high_stakes=True))

    assert (0, "block") == (done.rounds, done.checked.report.action)
    assert "checked as thoroughly" in done.text


def test_each_failure_has_words_of_its_own(shop):
    """Each failure has its own wording in the refusal."""
    messages = {
        through(shop, answer, Writer(), AnswerConfig(**{**EVEN, **option})).refused
        for answer, option in REFUSED.values()
    }

    assert 4 == len(messages)


def test_a_refusal_after_a_rejected_call(shop):
    """It says that a step could not be taken."""
    shop.call("get_order", id=7)
    done = through(shop, TRUE, Writer("Order W-2040 has shipped from Oslo."))

    assert "an action" in done.refused


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


UNMENDED = "W-2040 cost $99.10. It was placed on 9 March 2025. Returns take 45 days."
PARTS = [
    ["It cost $99.10. It came on 9 March 2025.", "It cost $120.50. It came on 9 March 2025."],
    [UNMENDED, UNMENDED.replace("$99.10", "$120.50")],
    ["Order W-2040 cost $99.10 for 77 boxes.", "Order W-2040 cost $120.50 for 77 boxes."],
]  # fmt: skip


@pytest.mark.parametrize(("draft", "better"), PARTS)
def test_a_rewrite_that_mends_a_part_is_progress(shop, draft, better):
    """The claims that are left keep the overall score where it was."""
    writer = Writer(better, TRUE)
    done = through(shop, draft, writer, AnswerConfig())

    assert (2, TRUE, "") == (done.rounds, done.text, done.refused)


@pytest.mark.parametrize(("draft", "better"), PARTS)
def test_a_rewrite_that_mends_nothing_ends_the_rounds(shop, draft, better):
    """Neither one in other words nor one that is worse has a second chance."""
    for left in (draft.replace("cost", "has cost"), f"{draft} It weighs 8 kg."):
        done = through(shop, draft, Writer(left, TRUE), AnswerConfig())

        assert (1, "block") == (done.rounds, done.checked.report.action)


@pytest.mark.parametrize(
    "text",
    [
        "The update is complete.",
        "It is ready.",
        "The order has been set up, and it is complete.",
        "Your order is finished.",
        "Everything was fixed.",
        "Shipped.",
        "Die Bestellung ist unterwegs.",
        "\u6ce8\u6587\u306f\u767a\u9001\u3055\u308c\u307e\u3057\u305f\u3002",
    ],
)
def test_a_rewrite_with_a_statement_is_emitted(shop, text):
    """Also one whose only words of substance would say nothing by themselves."""
    done = through(shop, "It took 55 minutes.", Writer(text), AnswerConfig())

    assert (1, text, "") == (done.rounds, done.text, done.refused)


@pytest.mark.parametrize(
    "text", ["x", "N/A", "Zebra.", "Ready!", "The cost is", "The total cost", "a b c", "..."]
)
def test_a_rewrite_without_a_statement_is_refused(shop, text):
    """One word says something only where the evidence has it."""
    done = through(shop, "It took 55 minutes.", Writer(text), AnswerConfig())

    assert (1, "block") == (done.rounds, done.checked.report.action)


@pytest.mark.parametrize(
    ("draft", "missing"),
    [
        ("Order W-2040 weighs 3.2 kg.", "(missing: `3.2 kg`)"),
        ("It took 55 minutes.", "(missing: `55 minutes`)"),
        ("Order W-2040 has 77 boxes and 88 labels.", "(missing: `77 boxes`, `88 labels`)"),
        ("The order was placed on 17 June 2025.", "`17 June 2025`"),
        ("The parcel number is ZX-48151623.", "(missing: `ZX-48151623`)"),
    ],
)
def test_feedback_names_the_missing_values(shop, draft, missing):
    """With their units, so that the model knows what to leave out."""
    assert missing in feedback_on(checked(draft, session=shop.session))


def test_feedback_names_a_value_once():
    """Not again where the contradiction has named it."""
    bookings = '[{"id": "ABC123", "leaves": "2026-03-04"}, {"id": "X9", "leaves": "2026-03-09"}]'
    feedback = feedback_on(checked("Booking ABC123 leaves on 2026-03-09.", evidence=bookings))

    assert "belongs to another record" in feedback
    assert "missing" not in feedback
