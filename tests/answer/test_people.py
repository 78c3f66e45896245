"""A person whom an answer names must occur in the evidence."""

from __future__ import annotations

from typing import Any

import pytest

from abs_shield.answer.checks.people_check import find_titled, find_untitled, people
from abs_shield.answer.claim_types import Claim, Opinion
from abs_shield.answer.evidence.evidence_collection import evidence_of
from abs_shield.core import Unavailable
from abs_shield.session import Session

VISIT = {"id": "ap-7", "provider": {"title": "Dr.", "family_name": "Okafor", "given": "Adaeze"}}


def opinion_on(answer: str, result: Any = VISIT, question: str = "") -> Opinion | Unavailable:
    session = Session()
    session.user("When is my visit, and did Mrs. Lindqvist confirm it?")
    session.tool_result("get_visit", result)
    claim = Claim(answer, 0, len(answer))
    (report,) = people([claim], evidence_of(session), question=question)
    return report


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
def test_mentioned_person_passes(answer: str) -> None:
    """A titled name passes with any given name or ending if the evidence has the family name."""
    report = opinion_on(answer)

    assert not isinstance(report, Opinion) or not report.missing


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
def test_unmentioned_family_name_is_missing(answer: str, missing: list[str]) -> None:
    """A titled name is missing if the evidence lacks the family name."""
    report = opinion_on(answer)

    assert isinstance(report, Opinion)
    assert missing == [one.text for one in report.missing]
    assert missing == [answer[one.start : one.end] for one in report.missing]


def test_name_in_another_script_is_undecided() -> None:
    """A name is not judged if the evidence is in another script."""
    assert isinstance(
        opinion_on("You see Dr. Ivanov.", {"doctor": "\u0418\u0432\u0430\u043d\u043e\u0432"}),
        Unavailable,
    )


def test_person_in_the_question_passes() -> None:
    """A person whom the question names passes."""
    report = opinion_on("Dr. Weber is not on duty.", question="Is Dr. Weber there?")

    assert isinstance(report, Opinion)
    assert not report.missing


def test_titled_names_are_found_in_linear_time() -> None:
    """Titled names are found in linear time."""
    assert [] == [*find_titled("Dr. " * 50_000)]
    assert 50_000 == len([*find_titled("Dr. Abc Mr. Def " * 25_000)])


ROW = {
    "assignee": "Okafor, Adaeze",
    "reporter": "emmasilva7@example.com",
    "users": ["mia_li_3668", "Alex Petrov", "Ren\u00e9e Dubois"],
}


@pytest.mark.parametrize(
    "answer",
    [
        "I assigned it to Adaeze Okafor, and Emma Silva reported it.",
        "I invited Mia Li, Alexandra and Renee to the call.",
        "You asked about Mrs. Lindqvist and Ingrid Lindqvist.",
        "I booked San Antonio, Santa Barbara and the ward on Lake Louise for Patrick's Day.",
        "Give me an email address, for example Ingrid Sundberg or Olga Kessler.",
        "I am Ingrid, and my name is Olga Kessler.",
        "Ingrid will call you. Olga, too.",
        "See https://x.org/ingrid/Ingrid and mail Ingrid@x.org or @Ingrid or Ingrid-2.",
        "Jim and Bob know it; in April and in Charlotte, Grace Period and Mark Down apply.",
        "It lands at John Wayne, on Martin Luther King Jr. Day, near the Karl Pearson School.",
        "Shares of Edward Jones, the Elizabeth line and the Martin Fowler method.",
        "The Customer Service of Google Scholar and our Refund Policy.",
    ],
)
def test_mentioned_untitled_name_passes(answer: str) -> None:
    """An untitled name passes by one of its parts, a handle, an address or its short form."""
    report = opinion_on(answer, ROW)

    assert not isinstance(report, Opinion) or not report.missing


@pytest.mark.parametrize(
    ("answer", "missing"),
    [
        ("I reviewed Isabella Chen's salary.", ["Isabella Chen"]),
        ("It went to Ines B. Kessler and Johann van der Berg.",
         ["Ines B. Kessler", "Johann van der Berg"]),
        ("I have invited Ingrid to the channel, as Olga, your manager, asked.",
         ["Ingrid", "Olga"]),
        ("Dr. Ingrid Sundberg asked Ingrid Sundberg.", ["Ingrid Sundberg", "Ingrid Sundberg"]),
        ("Der Antrag liegt bei J\u00fcrgen M\u00fcller.", ["J\u00fcrgen M\u00fcller"]),
    ],
)  # fmt: skip
def test_unmentioned_untitled_name_is_missing(answer: str, missing: list[str]) -> None:
    """An untitled name with a common given name is missing if the evidence lacks it."""
    report = opinion_on(answer, ROW)

    assert isinstance(report, Opinion)
    assert missing == [one.text for one in report.missing]


@pytest.mark.parametrize("answer", ["I have invited Dora to it.", "I told Noah and Emma."])
def test_the_beginning_of_a_short_name_is_not_the_name(answer: str) -> None:
    """A name of four letters is missing if the evidence only has its first two as a word."""
    report = opinion_on(answer, "Nothing to do; no change. Em-dash.")

    assert isinstance(report, Opinion)
    assert report.missing


def test_at_most_two_hundred_people_are_judged() -> None:
    """At most two hundred people of an answer are judged, in linear time."""
    claims = [Claim("I told Ingrid Sundberg.", 0, 23)] * 300
    session = Session()
    session.tool_result("list_users", ["Olga Petrova"] * 1_000)
    report = people(claims, evidence_of(session))

    assert 200 == sum(isinstance(one, Opinion) and bool(one.missing) for one in report)
    assert 50_000 == len([*find_untitled("Ingrid Sundberg " * 50_000)])


@pytest.mark.parametrize(
    ("answer", "result"),
    [
        ("J\u00fcrgen Sch\u00e4fer has 22 days.", 'name: "J\\xFCrgen Sch\\xE4fer"'),
        ("Ask G\u00fcnter M\u00fcller.", {"mail": "guenter.mueller@firma.de"}),
        ("I told Daniel and Christopher.", {"to": "dan@x.org", "cc": ["chris.w"]}),
        ("A reminder for Michael, Thomas and Elizabeth.", ["Mike", "Tom", "Liz"]),
        ("It was opened by Hannah Lee and Daniel O'Brien.", ["hlee", "dobrien"]),
        ("The speaker is Adriana Kowalska-Nowak.", "A. Kowalska"),
    ],
)
def test_name_in_another_spelling_passes(answer: str, result: Any) -> None:
    """A name passes without umlauts or capitals, escaped, as a handle or shortened."""
    report = opinion_on(answer, result)

    assert isinstance(report, Opinion)
    assert not report.missing


def test_invented_name_passes_if_the_user_asked_for_a_story() -> None:
    """An invented name passes if the user asked for a story."""
    session = Session()
    session.user("Write me a story with a girl, please.")
    claim = Claim("A girl named Emma Finch had two cats.", 0, 37)
    (report,) = people([claim], evidence_of(session))

    assert isinstance(report, Opinion)
    assert not report.missing
