"""Periods in an answer that end before they begin."""

from __future__ import annotations

import pytest

from abs_shield.answer.checks.combined_checks import hard
from abs_shield.answer.claim_reader import claims_of
from abs_shield.answer.evidence.evidence_collection import evidence_of
from abs_shield.session import Session

LUNCH = {"title": "Lunch", "start": "2024-05-19 12:00", "end": "2024-05-19 13:00"}
REVIEW = {"title": "Review", "start": "2024-05-19 14:00", "end": "2024-05-19 15:00"}
CALL = {"title": "Call", "start": "2024-05-19 13:00", "end": "2024-05-19 13:30"}
NIGHT = {"title": "Night shift", "start": "2024-05-19 22:00", "end": "2024-05-20 06:00"}
EARLY = {"title": "Delivery", "start": "2024-05-20 05:00", "end": "2024-05-20 06:00"}


def missing(answer: str, results: list[object], request: str = "What is planned?") -> list[str]:
    """Return the values of an answer that the evidence lacks."""
    session = Session()
    session.user(request)
    session.tool_result("list_events", results)
    scored = hard(claims_of(answer), evidence_of(session), answer=answer)
    return [miss.text for one in scored for miss in getattr(one, "missing", ())]


def test_events_with_only_one_of_the_times_do_not_explain_the_period() -> None:
    events = [LUNCH, CALL, REVIEW]
    assert missing("Lunch is from 14:00 to 13:00.", events) == ["14:00", "13:00"]


def test_a_duration_before_the_start_does_not_explain_the_period() -> None:
    request = "Plan a lunch of 1 hour; is 14:00 free?"
    answer = "Lunch is planned from 14:00 to 13:00."
    assert missing(answer, [LUNCH], request) == ["14:00", "13:00"]


@pytest.mark.parametrize(
    "answer",
    [
        "Lunch is from 12:00 to 13:00.",
        "The night shift is from 22:00 to 06:00.",
        "Lunch moved from 14:00 to 13:00.",
        "From 15:00 to 12:00 on the next day nothing is planned.",
    ],
)
def test_an_honest_period_passes(answer: str) -> None:
    assert missing(answer, [LUNCH, REVIEW, NIGHT, EARLY]) == []


def test_a_period_over_midnight_of_a_text_passes() -> None:
    request = "My shift is 22:00 to 06:00, and the delivery is at 05:00."
    assert missing("Your shift is from 22:00 to 06:00.", [EARLY, NIGHT], request) == []
    assert missing("Your shift is from 22:00 to 06:00.", [EARLY], request) == []


def test_a_duration_after_the_start_explains_a_period_over_midnight() -> None:
    request = "Book me 8 hours from 22:00 on."
    assert missing("Booked from 22:00 to 06:00.", [EARLY], request) == []
