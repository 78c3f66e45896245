"""Figures that an honest answer writes differently from the result."""

from __future__ import annotations

import pytest

from abs_shield import ToolCall
from abs_shield.answer.check_pipeline import checked
from abs_shield.core.events import Proposed, Returned
from abs_shield.session import Session
from abs_shield.session.session_record import record_of


def missing(result: object, answer: str, *, error: bool = False) -> list[str]:
    """Return the figures of *answer* that one result does not support."""
    session = Session()
    session.user("How is it?")
    record_of(session).record_event(Returned("look_up", result, "c1", error=error))
    return [one.text for claim in checked(answer, session=session).claims for one in claim.missing]


@pytest.mark.parametrize(
    ("result", "answer"),
    [
        ({"balance": {"amount": 243177, "currency": "EUR"}}, "Your balance is €2,431.77."),
        ({"monthly_fee": 3490}, "It costs 34.90 a month."),
        ({"fare": {"amount": 8900, "currency": "CHF"}}, "The fare is CHF 89."),
    ],
)
def test_whole_amounts_may_count_cents(result, answer):
    """An integer amount may be read as cents."""
    assert missing(result, answer) == []
    assert missing(result, answer.replace("4", "5").replace("8", "7")) != []


def test_a_number_that_is_not_of_money_counts_no_cents():
    """A number in a field without money is not read as cents."""
    assert missing({"members": 3490}, "It costs €34.90.") == ["€34.90"]


def test_a_hash_sign_names_a_number():
    """`#318` matches a field `number` of 318."""
    assert missing({"number": 318, "state": "open"}, "#318 is open.") == []
    assert missing({"number": 318, "state": "open"}, "#319 is open.") == ["#319"]


def test_error_text_is_evidence():
    """The figures of an error message are evidence."""
    error = {"error": {"message": "Order 70-5188 left the warehouse on 2026-01-19"}}
    message = "I could not cancel it: order 70-5188 left the warehouse on 19 January."

    assert missing(error, message, error=True) == []
    assert missing(error, message.replace("19", "18"), error=True) == ["18 January."]


def test_a_part_of_what_an_error_says_stays_whole():
    """An id that is only part of a longer value of an error message is missing."""
    session = Session()
    session.user("Cancel it.")
    call = ToolCall("cancel", {"year": "2026", "order": "W-77120"}, id="c1")
    record_of(session).record_event(Proposed((call,)))
    error = "W-77120 cannot be cancelled since 2026-01-19, 201 days ago"
    record_of(session).record_event(Returned("cancel", error, "c1", error=True))
    report = checked("It cannot be cancelled since 19 January 2026. W-77120.", session=session)

    assert ["W-77120"] == [one.text for claim in report.claims for one in claim.missing]


ACCOUNTS = {"checking": {"balance": 2431.77}, "savings": {"balance": 10250.0}}


@pytest.mark.parametrize(
    ("result", "answer", "change"),
    [
        ({"copay": 25}, "The co-pay is $25.", ("$25", "$26")),
        ({"postage": 9, "currency": "EUR"}, "Postage is €9.", ("€9", "€8")),
        (
            {"total": 57.25, "shipping": 4.95},
            "That is $52.30 before shipping.",
            ("$52.30", "$52.40"),
        ),
        (ACCOUNTS, "Zusammen sind das 12.681,77 $.", ("12.681,77 $", "12.681,87 $")),
        (ACCOUNTS, "En total son $12,681.77.", ("$12,681.77", "$12,681.87")),
        ({"term_months": 360}, "The term is 30 years.", ("30 years", "31 years")),
        ({"rating": 8.7}, "It is rated 8.7/10.", ("8.7/10", "8.4/10")),
        ({"at": "2025-10-16T15:00"}, "C'est confirmé à 15 h.", ("à 15 h", "à 14 h")),
        ({"additions": 210, "deletions": 198}, "The diff is +210 -198.", ("-198", "-197")),
    ],
)
def test_figures_as_people_write_them(result, answer, change):
    """Amounts, durations, scores, times and diffs are present in common spellings."""
    assert missing(result, answer) == []
    assert missing(result, answer.replace(*change)) != []
