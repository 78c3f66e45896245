"""The weekday beside a date agrees with the calendar."""

from __future__ import annotations

import pytest

from abs_shield.answer.check_pipeline import checked
from abs_shield.session import Session

DUE = {"due": "2026-12-03"}


def conflicts(answer: str, result: object, question: str = "When?") -> list[str]:
    """Return why the claims of an answer contradict one result."""
    session = Session()
    session.user(question)
    session.tool_result("get_loan", result, call_id="c1")
    return [one.contradicted for one in checked(answer, session=session).claims if one.contradicted]


@pytest.mark.parametrize(
    "answer",
    [
        "It is due on Thursday, 3 December.",
        "It is due on Thu 3 Dec 2026.",
        "It is due on Thursday the 3rd of December.",
        "It is due on 2026-12-03 (Thursday).",
        "It is due on 3 December, a Thursday.",
        "Es ist f\u00e4llig am Donnerstag, dem 3. Dezember 2026.",
        "We are open Monday to Friday; 3 December is the last day.",
        "Open Monday to Friday, 3 December is the last day.",
        "The committee sat 3 December 2026.",
        "It is due on 3 December; come on Friday.",
        "It is due next year again, on Friday, 3 December.",
        "It renews on Friday, 3 December.",
    ],
)
def test_right_weekday_or_none_passes(answer):
    """A weekday passes if the date is on it, or if it does not belong to the date."""
    assert [] == conflicts(answer, DUE)


@pytest.mark.parametrize(
    "answer",
    [
        "It is due on Friday, 3 December.",
        "It is due on Fri 3 Dec 2026.",
        "It is due on **Friday**, 3 December 2026.",
        "It is due on 2026-12-03 (Friday).",
        "It is due on 3 December, a Friday.",
        "Es ist f\u00e4llig am Freitag, dem 3. Dezember 2026.",
        "From Friday 3 December to Thursday 10 December 2026.",
    ],
)
def test_wrong_weekday_contradicts(answer):
    """Another weekday than that of the date is a contradiction, and the message has both."""
    (conflict,) = conflicts(answer, DUE, "Is it the 3 December?")

    assert "is a Thursday, the answer has" in conflict


@pytest.mark.parametrize(
    ("result", "question"),
    [
        ({"due": "2026-12-03", "day": "Friday"}, "When?"),
        (DUE, "Is it due on Friday, 3 December?"),
        ({"birthday": "1990-12-03"}, "When is the party?"),
        ({"due": "3 December"}, "When?"),
    ],
)
def test_weekday_of_the_evidence_or_of_another_year_passes(result, question):
    """A weekday passes that the evidence has as well, or if the year of the date is unknown."""
    assert [] == conflicts("It is on Friday, 3 December.", result, question)
