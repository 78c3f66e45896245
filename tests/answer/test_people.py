"""Whoever is named with a title stands in the evidence."""

from __future__ import annotations

from typing import Any

import pytest

from abs_shield.answer.checks.people import people, titled
from abs_shield.answer.evidence.collect import evidence_of
from abs_shield.answer.types import Claim, Opinion, Unavailable
from abs_shield.session import Session

VISIT = {"id": "ap-7", "provider": {"title": "Dr.", "family_name": "Okafor", "given": "Adaeze"}}


def judged(answer: str, result: Any = VISIT, question: str = "") -> Opinion | Unavailable:
    session = Session()
    session.user("When is my visit, and did Mrs. Lindqvist confirm it?")
    session.tool_result("get_visit", result)
    claim = Claim(answer, 0, len(answer))
    (found,) = people([claim], evidence_of(session), question=question)
    return found


@pytest.mark.parametrize(
    "answer",
    [
        "You see Dr. Okafor on Thursday.",
        "You see dr. Adaeze Okafor\u2019s team.",
        "It is with Dr. A. Okafor, as Mrs. Lindqvist confirmed.",
        "Sie sind bei Frau Okafors Team.",
        "The doctor will call you.",
        "Mr. Li will call you.",
        "Ask your Prof about it.",
    ],
)
def test_whoever_is_known(answer: str) -> None:
    """By a result or by the user, with any given name and ending; short names are left alone."""
    found = judged(answer)

    assert not isinstance(found, Opinion) or not found.missing


@pytest.mark.parametrize(
    ("answer", "missing"),
    [
        ("You see Dr. Okonkwo in room 3.", ["Okonkwo"]),
        ("You see Prof. Dr. Ingrid Sundberg.", ["Ingrid Sundberg"]),
        ("Mme Claire Aubry qui guide la visite.", ["Claire Aubry"]),
        ("Dr. Okafor-Lindgren, Mr. Okafor and Ms. Maria de la Cruz.",
         ["Okafor-Lindgren", "Maria de la Cruz"]),
    ],
)  # fmt: skip
def test_whoever_is_not(answer: str, missing: list[str]) -> None:
    """The family name decides."""
    found = judged(answer)

    assert isinstance(found, Opinion)
    assert missing == [one.text for one in found.missing]
    assert missing == [answer[one.start : one.end] for one in found.missing]


def test_another_script_proves_nothing() -> None:
    """A name may be transliterated."""
    assert isinstance(
        judged("You see Dr. Ivanov.", {"doctor": "\u0418\u0432\u0430\u043d\u043e\u0432"}),
        Unavailable,
    )


def test_whoever_was_asked_about() -> None:
    """The question names them."""
    found = judged("Dr. Weber is not on duty.", question="Is Dr. Weber there?")

    assert isinstance(found, Opinion)
    assert not found.missing


def test_a_text_of_titles() -> None:
    """In linear time."""
    assert [] == [*titled("Dr. " * 50_000)]
    assert 50_000 == len([*titled("Dr. Abc Mr. Def " * 25_000)])
