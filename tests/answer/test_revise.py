"""The revise loop: the feedback to the model, its end and the refusal."""

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
    settle_in,
    shop_session,
    statuses,
)


@pytest.fixture
def shop():
    """Yield a shop in a session that has looked up order W-2040."""
    with shop_session() as requests:
        yield requests


def test_feedback_names_a_claim_that_is_only_too_weak(shop):
    """The feedback contains a grounded claim whose score is below the emit threshold."""
    report = checked(OPEN, session=shop.session, config=CONFIG)

    assert ("revise", ["grounded"]) == (report.report.action, statuses(report.report))
    assert OPEN in feedback_on(report)


def test_feedback_names_a_call_that_was_rejected(shop):
    """The feedback contains the validation error of a rejected call."""
    shop.call("get_order", id=7)
    feedback = feedback_on(checked(TRUE, session=shop.session))

    assert "get_order" in feedback
    assert "rejected" in feedback
    assert "shipped" not in feedback


def test_unprobed_answer_is_not_revised(shop):
    """A high-stakes answer without a judge is blocked without a revision."""
    done = settle_in(shop, TRUE, Writer(), AnswerConfig(high_stakes=True))

    assert (0, "block") == (done.rounds, done.checked.report.action)
    assert "checked as thoroughly" in done.text


def test_each_failure_has_its_own_refusal(shop):
    """Each kind of failure has its own wording in the refusal."""
    messages = {
        settle_in(shop, answer, Writer(), AnswerConfig(**{**EVEN, **option})).refused
        for answer, option in REFUSED.values()
    }

    assert 4 == len(messages)


def test_a_refusal_after_a_rejected_call(shop):
    """The refusal after a rejected call says that an action could not be performed."""
    shop.call("get_order", id=7)
    done = settle_in(shop, TRUE, Writer("Order W-2040 has shipped from Oslo."))

    assert "an action" in done.refused


@pytest.mark.parametrize(
    "refusal",
    ['{{"error": "{reason}", "code": 7}}', "Sorry.", "{reason} {reason}", "100 % {reason}"],
)
def test_refusal_template_is_configurable(shop, refusal):
    """The refusal is the configured template with its reason; doubled braces are literal."""
    done = settle_in(shop, MADE_UP["a negation"], Writer(), AnswerConfig(refusal=refusal))

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
    """A revised draft without any claim is refused."""
    done = settle_in(
        shop, MADE_UP["a new quantity"], Writer(left), AnswerConfig(block_threshold=0.1)
    )

    assert (1, "block") == (done.rounds, done.checked.report.action)
    assert done.text == AnswerConfig().refusal.format(reason=done.refused)
    assert "revisions_failed" in done.checked.notes
    assert "contradicts" in done.refused


@pytest.mark.parametrize(
    "left", ["The order has shipped.", "It cost $120.50.", "It has shipped.", "Yes, it is shipped."]
)
def test_a_short_draft_that_still_says_something_is_emitted(shop, left):
    """A revised draft that leaves out most of the answer but states a fact is emitted."""
    done = settle_in(
        shop, MADE_UP["a new quantity"], Writer(left), AnswerConfig(block_threshold=0.1)
    )

    assert (1, left, "") == (done.rounds, done.text, done.refused)


def test_a_first_draft_without_claims_is_emitted(shop):
    """A first draft that only asks the user back is emitted."""
    done = settle_in(shop, "Shall I ask the shop?", Writer())

    assert ("Shall I ask the shop?", 0, "") == (done.text, done.rounds, done.refused)


UNMENDED = "W-2040 cost $99.10. It was placed on 9 March 2025. Returns take 45 days."
PARTS = [
    ["It cost $99.10. It came on 9 March 2025.", "It cost $120.50. It came on 9 March 2025."],
    [UNMENDED, UNMENDED.replace("$99.10", "$120.50")],
    ["Order W-2040 cost $99.10 for 77 boxes.", "Order W-2040 cost $120.50 for 77 boxes."],
]  # fmt: skip


@pytest.mark.parametrize(("draft", "better"), PARTS)
def test_partly_corrected_draft_gets_another_round(shop, draft, better):
    """A draft that corrects one of its claims gets another revision."""
    writer = Writer(better, TRUE)
    done = settle_in(shop, draft, writer, AnswerConfig())

    assert (2, TRUE, "") == (done.rounds, done.text, done.refused)


@pytest.mark.parametrize(("draft", "better"), PARTS)
def test_draft_without_correction_ends_the_loop(shop, draft, better):
    """A draft that corrects no claim, or adds a wrong one, ends the loop."""
    for left in (draft.replace("cost", "has cost"), f"{draft} It weighs 8 kg."):
        done = settle_in(shop, draft, Writer(left, TRUE), AnswerConfig())

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
    """A revised draft that is a short statement is emitted."""
    done = settle_in(shop, "It took 55 minutes.", Writer(text), AnswerConfig())

    assert (1, text, "") == (done.rounds, done.text, done.refused)


@pytest.mark.parametrize(
    "text", ["x", "N/A", "Zebra.", "Ready!", "The cost is", "The total cost", "a b c", "..."]
)
def test_a_rewrite_without_a_statement_is_refused(shop, text):
    """A revised draft that states nothing is refused."""
    done = settle_in(shop, "It took 55 minutes.", Writer(text), AnswerConfig())

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
    """The feedback contains the missing values with their units."""
    assert missing in feedback_on(checked(draft, session=shop.session))


def test_feedback_names_a_value_once():
    """The feedback does not repeat as missing a value that a contradiction contains."""
    bookings = '[{"id": "ABC123", "leaves": "2026-03-04"}, {"id": "X9", "leaves": "2026-03-09"}]'
    feedback = feedback_on(checked("Booking ABC123 leaves on 2026-03-09.", evidence=bookings))

    assert "belongs to another record" in feedback
    assert "missing" not in feedback
