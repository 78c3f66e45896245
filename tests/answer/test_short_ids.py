"""Ids of one or two digits: another of the same form is missed, and what is no id is let be."""

from __future__ import annotations

import json

import pytest

from abs_shield.answer.checks.hard import hard
from abs_shield.answer.checks.short_ids import form
from abs_shield.answer.evidence.collect import evidence_from
from abs_shield.answer.types import Claim, Opinion
from abs_shield.text.sentences import sentence_spans

DOCK = {
    "berth": "K-14",
    "id": "VS-7",
    "cabin": "31C",
    "cranes": ["cr-2", "cr-3"],
    "paper": "A4",
    "hatches": {"HX-1": {"open": True}, "HX-2": {"open": False}},
}


def missed(answer, *documents):
    """The ids that each claim missing."""
    claims = tuple(Claim(answer[a:b], a, b) for a, b in sentence_spans(answer))
    found = hard(claims, evidence_from([*map(json.dumps, documents)]), answer=answer)
    missing = [miss for one in found if isinstance(one, Opinion) for miss in one.missing]
    return [miss.text for miss in missing if miss.kind == "id"]


@pytest.mark.parametrize(
    ("answer", "miss"),
    [
        ("She lies at berth K-41.", "K-41"),
        ("Your cabin is 31D.", "31D"),
        ("Crane cr-5 is free.", "cr-5"),
        ("Vessel VS-8 is loading.", "VS-8"),
        ("Hatch HX-3 is open.", "HX-3"),
        ("| Berth | K-15 |", "K-15"),
    ],
)
def test_another_of_the_same_form(answer, miss):
    """A seat, a gate or a room that no result has."""

    assert [miss] == missed(answer, DOCK)


@pytest.mark.parametrize(
    "answer",
    [
        "She lies at berth K-14, cabin 31C.",
        "Hatch hx-2 is shut.",
        "There is no berth K-41.",
        "Would you rather have cabin 31D?",
        "Berth K-14, K-2 and KK-14 differ in their form.",
        "Print it on A3 in Q4, or as MP3.",
        "COVID-19 kept the crew away.",
        "Cabins 31A to 31F lie ahead.",
        "It is 14K gold.",
    ],
)
def test_what_is_let_be(answer):
    """What stands there, is denied, asked, of another form, or an example."""

    assert [] == missed(answer, DOCK)


def test_what_the_user_said():
    """An id that was asked for needs no other evidence."""
    claim = Claim("Berth K-41 is taken.", 0, 20)
    (found,) = hard([claim], evidence_from([json.dumps(DOCK)]), question="Is berth K-41 free?")

    assert not isinstance(found, Opinion) or () == found.missing


def test_running_text_has_no_forms():
    """Prose that has one such word proves nothing of another."""

    assert [] == missed("Berth K-41 is taken.", "The ship lies at berth K-14.")


@pytest.mark.parametrize("text", ["", "-", "9" * 90_000, "a-" * 50_000, "\ud800", "\u0663\u0664A"])
def test_it_is_bounded(text):
    """A form is as long as a short id at most."""

    assert len(form(text)) <= 24
