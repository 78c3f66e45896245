"""A record's yes or no against a claim that says the opposite, and what is no contradiction."""

from __future__ import annotations

import json

import pytest

from abs_shield.answer.checks.hard import hard
from abs_shield.answer.checks.values import CONTRADICTED
from abs_shield.answer.evidence.collect import evidence_from
from abs_shield.answer.evidence.types import Evidence, ExecutedAction
from abs_shield.answer.types import Claim, Opinion
from abs_shield.text.sentences import sentence_spans

HALL = {
    "hall": "H-3",
    "heated": False,
    "wheelchair_access": True,
    "booked": "yes",
    "bookable": "no",
}
DOOR = {"door": "D-2", "locked": False}
PASSES = [
    {"pass": "TP-81", "holder": "Ines Roth", "valid": True, "status": "active"},
    {"pass": "TP-82", "holder": "Bo Lund", "valid": False, "status": "closed"},
]
TREE = {"tree": {"id": "TR-9", "protected": True}, "permit": {"granted": False, "no_show": True}}


def told(answer, *documents):
    """What each sentence of an answer is told to be against, in order."""
    evidence = evidence_from([json.dumps(document) for document in documents])
    return against(answer, evidence)


def against(answer, evidence):
    """The same, of evidence that is there."""
    claims = tuple(Claim(answer[a:b], a, b) for a, b in sentence_spans(answer))
    found = hard(claims, evidence, answer=answer)
    return [one.contradicted if isinstance(one, Opinion) else "" for one in found]


@pytest.mark.parametrize(
    ("answer", "has"),
    [
        ("Hall H-3 is heated.", '"false" under `heated`'),
        ("H-3 is currently heated, and it seats many.", '"false" under `heated`'),
        ("Hall H-3 has no wheelchair access.", '"true" under `wheelchair_access`'),
        ("There is no wheelchair access.", '"true" under `wheelchair_access`'),
        ("H-3 isn't booked.", '"yes" under `booked`'),
        ("The hall is not yet booked.", '"yes" under `booked`'),
        ("It is bookable.", '"no" under `bookable`'),
        ("Hall H-3 is unbooked.", '"yes" under `booked`'),
        ("H-3:\n- **Heated:** yes", '"false" under `heated`'),
        ("## Hall H-3\n| Wheelchair access | no |", '"true" under `wheelchair_access`'),
    ],
)
def test_the_opposite_of_a_field(answer, has):
    """One line says the field and its value."""

    assert f"the evidence has {has}" == told(answer, HALL)[-1]


@pytest.mark.parametrize(
    "answer",
    [
        "Hall H-3 is not heated.",
        "Hall H-3 is unheated.",
        "H-3 has wheelchair access.",
        "H-3 has been booked.",
        "- Heated: no",
        "What I would book:\n- Heated: yes",
        "Hall H-3:\n- Heated: yes\nShall I go ahead?",
        "The hall is heated. Please confirm.",
        "Is hall H-3 heated?",
        "If hall H-3 is heated, tell me.",
        "I could not see whether hall H-3 is heated.",
        "Hall H-3 will be heated.",
        "You said that hall H-3 is heated.",
        "Hall H-3 is only heated in winter.",
        "Hall H-3 is heated by gas.",
        "H-3 was not booked by Ines.",
        "The lobby of hall H-3 is heated.",
        "Lunch is not booked.",
        "Hall H-4 is heated.",
        "The heated hall is next door to H-3.",
        "H-3 is not unheated.",
        "I have not booked anything, and hall H-3 is large.",
    ],
)
def test_what_is_no_opposite(answer):
    """What agrees, asks, plans or speaks of something else is let be."""

    assert "" == "".join(told(answer, HALL))


def test_the_record_that_is_named():
    """Of many records the one whose id or name the claim has; without one nobody can tell."""

    assert ['the evidence has "false" under `valid`'] == told("TP-82 is valid.", PASSES)
    assert ['the evidence has "true" under `valid`'] == told("Pass TP-81 is invalid.", PASSES)
    assert ['the evidence has "false" under `valid`'] == told("Bo Lund's pass is valid.", PASSES)
    assert [""] == told("TP-81 is valid.", PASSES)
    assert [""] == told("The pass is valid.", PASSES)
    assert [""] == told("The pass is not valid.", PASSES)
    assert [""] == told("Neither TP-81 nor TP-82 is valid.", PASSES)


def test_states():
    """A state is itself, and not its opposite; of any other state nobody can tell."""

    assert ['the evidence has "closed" under `status`'] == told("TP-82 is open.", PASSES)
    assert ['the evidence has "active" under `status`'] == told("TP-81 is inactive.", PASSES)
    assert ['the evidence has "active" under `status`'] == told("TP-81 is not active.", PASSES)
    assert ["", ""] == told("TP-81 is active. TP-82 is on hold.", PASSES)


def test_a_field_of_something_inside():
    """A field of an object within speaks of that object."""

    assert ['the evidence has "false" under `granted`'] == told("The permit is granted.", TREE)
    assert ['the evidence has "true" under `protected`'] == told("TR-9 is not protected.", TREE)
    assert ["", ""] == told("It is granted. There is no show.", TREE)


def test_records_that_disagree():
    """The same door seen open and shut: either may be said."""
    later = {"door": "D-2", "locked": True}

    assert ["", ""] == told("Door D-2 is locked. Door D-2 is not locked.", DOOR, later)


@pytest.mark.parametrize(
    ("deed", "is_told"),
    [
        (ExecutedAction("lock_door", {"door": "D-2"}), False),
        (ExecutedAction("get_door", {}, reads=True), True),
    ],
)
def test_what_was_changed_since(deed, is_told):
    """Before something was done a door was open; nobody knows what it is now."""
    seen = evidence_from([json.dumps(DOOR), '{"ok": true}'])
    evidence = Evidence(seen.pieces, deeds=(deed,))

    assert is_told == bool(against("Door D-2 is locked.", evidence)[0])


def test_it_is_a_contradiction_with_its_line():
    """It scores as one, and shows the line on which the field stands."""
    claim = Claim("Door D-2 is locked.", 0, 19)
    (found,) = hard([claim], evidence_from([json.dumps(DOOR)]))

    assert isinstance(found, Opinion)
    assert (CONTRADICTED, "/locked") == (found.score, found.spans[-1].pointer)


@pytest.mark.slow
@pytest.mark.parametrize("piece", ["is not ", "locked ", "is locked ", "un", "no: ", "| D-2 ", "'"])
def test_it_is_bounded(piece):
    """Long claims and thousands of equal fields are read in bounded time."""
    many = [{"door": f"D-{n}", "locked": bool(n % 2)} for n in range(3_000)]
    answer = piece * 20_000

    assert all("\n" not in one for one in told(answer, many))
