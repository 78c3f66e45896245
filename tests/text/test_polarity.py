"""Negations and opposites are judged alike by every check."""

from __future__ import annotations

import pytest

from abs_shield.answer import Faithfulness
from abs_shield.answer.check_pipeline import checked
from abs_shield.session import Session
from abs_shield.text.polarity import without_reply

TICKET = "The ticket is not refundable after May 3."
MUSEUM = "The museum is closed on Mondays."


def reasons(answer: str, evidence: str) -> list[str]:
    """Return the contradiction of a claim with documents, in a run, and by the guardrail."""
    session = Session()
    session.user("Please look it up.")
    session.tool_result("look_up", evidence)
    (beside,) = checked(answer, evidence=evidence).claims
    (in_run,) = checked(answer, session=session).claims
    guard = Faithfulness(provider="lexical", context=evidence)
    (judged,) = guard.check(answer).statements
    return [beside.contradicted, in_run.contradicted, "" if judged.verdict else judged.reason]


@pytest.mark.parametrize(
    ("answer", "evidence"),
    [
        ("No, the ticket is not refundable after May 3.", TICKET),
        ("No. The ticket is not refundable after May 3.", TICKET),
        ("Yes, the ticket is refundable after May 3.", TICKET.replace(" not", "")),
        ("Yes, the museum is closed on Mondays.", MUSEUM),
        ("No, the museum is closed on Mondays.", MUSEUM),
        ("No pets are allowed in the rooms.", "No pets are allowed in the rooms."),
        ("If you didn't order this, ignore it.", "If you didn''t order this, ignore it."),
        ("The lift isn't open on Mondays.", "The lift isn\u2019\u2019t open on Mondays."),
    ],
)
def test_a_reply_denies_nothing(answer, evidence):
    """A leading yes or no answers a question."""
    assert ["", "", ""] == reasons(answer, evidence)


@pytest.mark.parametrize(
    ("answer", "evidence", "words"),
    [
        ("Yes, the ticket is refundable after May 3.", TICKET, "`refundable` is denied"),
        ("No, the ticket is refundable after May 3.", TICKET, "`refundable` is denied"),
        ("The ticket is refundable after May 3.", TICKET, "`refundable` is denied"),
        ("The ticket isn't refundable after May 3.", TICKET.replace(" not", ""), "`refundable` is"),
        (
            "The ticket isn\u2019t refundable after May 3.",
            TICKET.replace(" not", ""),
            "`refundable` is",
        ),
        ("Refunds aren''t allowed after May.", "Refunds are allowed after May.", "`allowed` is"),
        ("Seats cannot be booked online.", "Seats can be booked online.", "`booked` is"),
        (
            "The ticket is refundable after May 3.",
            TICKET.replace("is not", "isn't"),
            "`refundable` is",
        ),
        ("The museum is open on Mondays.", MUSEUM, "`open` is the opposite of `closed`"),
        ("Yes, the museum is open on Mondays.", MUSEUM, "`open` is the opposite of `closed`"),
        ("Pets are allowed in the rooms.", "No pets are allowed in the rooms.", "`pets` is denied"),
    ],
)
def test_a_denial_is_found_by_every_check(answer, evidence, words):
    """The check in a run, the check against documents and the guardrail name the same word."""
    results = reasons(answer, evidence)

    assert all(words.casefold() in one.casefold() for one in results), results


@pytest.mark.parametrize(
    ("answer", "evidence"),
    [
        ("The museum is open on Tuesdays.", "The museum is closed on Mondays, open on Tuesdays."),
        ("The old gate is open.", "The old gate is open. The new gate is closed."),
        ("The fare rose in May.", "The fare rose in May and fell in June."),
    ],
)
def test_an_opposite_of_something_else(answer, evidence):
    """An opposite word about another thing is not a contradiction."""
    assert ["", "", ""] == reasons(answer, evidence)


@pytest.mark.parametrize(
    ("answer", "evidence"),
    [
        ("The museum is not open on Mondays.", MUSEUM),
        ("The shop is open on Sundays.", "The shop is not closed on Sundays."),
        ("The shop is open on Sundays.", "The shop is no longer closed on Sundays."),
        ("The ticket is nonrefundable after May 3.", TICKET),
        ("The coupon code is invalid in Norway.", "The coupon code is not valid in Norway."),
        ("A visa is optional for Norway.", "A visa is not required for Norway."),
        ("Sales did not decrease in March.", "Sales increased in March."),
    ],
)
def test_a_negated_opposite_agrees(answer, evidence):
    """ "Not open" agrees with "closed"."""
    assert ["", ""] == reasons(answer, evidence)[:2]


@pytest.mark.parametrize(
    ("answer", "evidence"),
    [
        (
            "The flight LH2 from Oslo is delayed.",
            "The flight LH1 from Oslo is not delayed. The flight LH2 from Oslo is delayed.",
        ),
        (
            "Train 9 to Bergen is running today.",
            "Train 7 to Bergen is not running today. Train 9 to Bergen is running today.",
        ),
        ("The hotel pool opens at 8 am.", "The hotel pool does not open before 8 am."),
        ("The order was shipped on Tuesday.", "The order was not shipped until Tuesday."),
        ("5 guests are allowed per room.", "No more than 5 guests are allowed per room."),
        (
            "You can enter the park with a ticket.",
            "You can't enter the park without a ticket.",
        ),
    ],
)
def test_a_denial_of_something_else(answer, evidence):
    """A denial about another flight, or up to a limit, is not about this one."""
    assert ["", ""] == reasons(answer, evidence)[:2]


@pytest.mark.parametrize(
    "text", ["No. 5 is closed.", "No pets.", "Nobody, it seems, came.", "", "no", "Yes-men came."]
)
def test_a_number_or_quantity_is_not_a_reply(text):
    """A leading "No" of a number, a quantity or another word is not removed."""
    assert text == without_reply(text)
