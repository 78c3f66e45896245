"""A claim that states the opposite of a boolean or a state in a record is a contradiction."""

from __future__ import annotations

import json

import pytest

from abs_shield.answer.checks.combined_checks import hard
from abs_shield.answer.claim_types import CONTRADICTED, Claim, Opinion
from abs_shield.answer.evidence.evidence_collection import evidence_from
from abs_shield.answer.evidence.evidence_passages import Evidence, ExecutedAction
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


def conflicts(answer, *documents):
    """Return the contradiction of each sentence of an answer, in order; "" where there is none."""
    evidence = evidence_from([json.dumps(document) for document in documents])
    return against(answer, evidence)


def against(answer, evidence):
    """Return the same as `conflicts`, for the given evidence."""
    claims = tuple(Claim(answer[a:b], a, b) for a, b in sentence_spans(answer))
    report = hard(claims, evidence, answer=answer)
    return [one.contradicted if isinstance(one, Opinion) else "" for one in report]


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
    ],
)
def test_opposite_of_a_boolean_field_contradicts(answer, has):
    """The contradiction names the field and its value."""

    assert f"the evidence has {has}" == conflicts(answer, HALL)[-1]


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
def test_sentence_that_does_not_oppose_a_field_passes(answer):
    """A sentence that agrees, asks, plans or is about something else is not a contradiction."""

    assert "" == "".join(conflicts(answer, HALL))


def test_claim_is_compared_with_the_record_that_it_names():
    """The record whose id or name is in the claim counts; without one the result is undecided."""

    assert ['the evidence has "false" under `valid`'] == conflicts("TP-82 is valid.", PASSES)
    assert ['the evidence has "true" under `valid`'] == conflicts("Pass TP-81 is invalid.", PASSES)
    assert ['the evidence has "false" under `valid`'] == conflicts(
        "Bo Lund's pass is valid.", PASSES
    )
    assert [""] == conflicts("TP-81 is valid.", PASSES)
    assert [""] == conflicts("The pass is valid.", PASSES)
    assert [""] == conflicts("The pass is not valid.", PASSES)
    assert [""] == conflicts("Neither TP-81 nor TP-82 is valid.", PASSES)


def test_state_contradicts_its_opposite():
    """A state contradicts its opposite; for any other state the result is undecided."""

    assert ['the evidence has "closed" under `status`'] == conflicts("TP-82 is open.", PASSES)
    assert ['the evidence has "active" under `status`'] == conflicts("TP-81 is inactive.", PASSES)
    assert ['the evidence has "active" under `status`'] == conflicts("TP-81 is not active.", PASSES)
    assert ["", ""] == conflicts("TP-81 is active. TP-82 is on hold.", PASSES)


STATES = [
    ("in_progress", "The rollout of R-7 is finished."),
    ("shipped", "R-7 has arrived."),
    ("returned_to_sender", "R-7 has been delivered."),
    ("rejected", "R-7 went through."),
    ("rejected", "R-7 was approved."),
    ("partially_approved", "R-7 was rejected."),
    ("pending_signature", "R-7 has been signed."),
    ("awaiting_approval", "R-7 was approved on 3 May."),
    ("delivered", "R-7 is pending."),
]


@pytest.mark.parametrize(("state", "answer"), STATES)
def test_exclusive_states_contradict(state, answer):
    """Something in progress is not finished, and something rejected was not accepted."""
    contradictions = conflicts(answer, {"rollout": "R-7", "status": state})

    assert f'the evidence has "{state}" under `status`' == contradictions[0]


@pytest.mark.parametrize(
    ("state", "answer"),
    [
        ("in_progress", "The rollout of R-7 is not finished."),
        ("in_progress", "R-7 is in progress."),
        ("in_progress", "R-7 will be finished soon."),
        ("exchange requested", "The exchange of R-7 has been successfully requested."),
        ("pending", "R-7 has been completely described above."),
        ("shipped", "The rollout of R-8 has arrived."),
        ("approved", "R-7 was approved."),
        ("rejected", "What has been done for R-7:"),
    ],
)
def test_compatible_states_pass(state, answer):
    """The same state, a denied other state, a plan and another record do not contradict."""
    assert "" == conflicts(answer, {"rollout": "R-7", "status": state})[0]


def test_claim_that_agrees_with_another_field_passes():
    """A state does not contradict a claim about another field of the record."""
    order = {"order": "R-7", "status": "processing", "delivered_at": "2026-03-01T10:00:00Z"}

    assert ["", ""] == conflicts("R-7 has been delivered. R-7 is paid.", order)


def test_null_time_contradicts_that_it_happened():
    """A claim contradicts a time that is null; a given time contradicts nothing."""
    record = {"prescription": "rx-9", "sent_at": None, "signed_at": "2026-05-04"}
    contradictions = conflicts("RX-9 has been sent. RX-9 is signed. RX-9 is not signed.", record)

    assert ['the evidence has "null" under `sent_at`', "", ""] == contradictions


def test_required_flag_contradicts_no_need():
    """A claim that something is not needed contradicts a flag that it is required."""
    container = {"container": "M-1", "inspection_required": True}
    contradictions = conflicts(
        "M-1 doesn't need an inspection. M-1 needs an inspection.", container
    )

    assert ['the evidence has "true" under `inspection_required`', ""] == contradictions


def test_one_exception_contradicts_every():
    """One differing record contradicts a claim about every record, but not one about some."""
    areas = {"areas": [{"name": "Hall", "heated": True}, {"name": "Tower", "heated": False}]}
    contradictions = conflicts(
        "Every area is heated. The hall is heated. Some areas are heated.", areas
    )

    assert ['the evidence has "false" under `heated`', "", ""] == contradictions


MOVE = {"source": {"name": "Savings"}, "destination": {"name": "Checking"}}
SEAT = {"previous": {"coach": 22, "seat": "45"}, "new": {"coach": 24, "seat": "61"}}
MAIL = {"sender": {"name": "Mr. Laurent"}, "recipient": {"name": "Mrs. Castellano"}}
LEGS = [{"origin": "Oslo", "destination": "Bergen"}, {"origin": "Bergen", "destination": "Oslo"}]


@pytest.mark.parametrize(
    ("document", "answer"),
    [
        (MOVE, "300 went from Checking to Savings."),
        (SEAT, "I moved you from coach 24, seat 61 to coach 22, seat 45."),
        (MAIL, "I forwarded it from Mrs. Castellano to Mr. Laurent."),
        (LEGS[0], "You fly from Bergen to Oslo on Friday and back on Sunday."),
    ],
)
def test_reversed_direction_contradicts(document, answer):
    """A claim contradicts a record if it swaps source and destination."""
    assert "the opposite order" in conflicts(answer, document)[0]


@pytest.mark.parametrize(
    ("document", "answer"),
    [
        (MOVE, "300 went from Savings to Checking."),
        (MOVE, "300 went from Checking to a third account."),
        (SEAT, "I moved you from coach 22, seat 45 to coach 24, seat 61."),
        (LEGS, "You fly from Bergen to Oslo."),
        (MAIL, "The office is open from nine to five."),
        (LEGS[0], "For the way back from Bergen to Oslo, tell me the date."),
        (LEGS[0], "From Bergen to Oslo there is nothing on that day."),
        (LEGS[0], "Your return flight from Bergen to Oslo is not booked yet."),
        (MOVE, "To undo it, move it from Checking to Savings."),
    ],
)
def test_matching_direction_passes(document, answer):
    """A claim passes with the record's direction, one end of it, or a return trip."""
    assert "" == conflicts(answer, document)[0]


def test_field_of_a_nested_object_describes_that_object():
    """A field of a nested object is compared only with claims about that object."""

    assert ['the evidence has "false" under `granted`'] == conflicts("The permit is granted.", TREE)
    assert ['the evidence has "true" under `protected`'] == conflicts(
        "TR-9 is not protected.", TREE
    )
    assert ["", ""] == conflicts("It is granted. There is no show.", TREE)


def test_disagreeing_records_contradict_nothing():
    """A claim passes if one of two disagreeing records supports it."""
    later = {"door": "D-2", "locked": True}

    assert ["", ""] == conflicts("Door D-2 is locked. Door D-2 is not locked.", DOOR, later)


@pytest.mark.parametrize(
    ("deed", "is_told"),
    [
        (ExecutedAction("lock_door", {"door": "D-2"}), False),
        (ExecutedAction("get_door", {}, reads=True), True),
    ],
)
def test_record_before_an_action_contradicts_nothing(deed, is_told):
    """A record contradicts a claim only if no later action could have changed it."""
    result = evidence_from([json.dumps(DOOR), '{"ok": true}'])
    evidence = Evidence(result.pieces, executed=(deed,))

    assert is_told == bool(against("Door D-2 is locked.", evidence)[0])


def test_conflict_is_scored_as_contradiction():
    """A conflict has the score of a contradiction and points to the field."""
    claim = Claim("Door D-2 is locked.", 0, 19)
    (report,) = hard([claim], evidence_from([json.dumps(DOOR)]))

    assert isinstance(report, Opinion)
    assert (CONTRADICTED, "/locked") == (report.score, report.spans[-1].pointer)


@pytest.mark.slow
@pytest.mark.parametrize("piece", ["is not ", "locked ", "is locked ", "un", "no: ", "| D-2 ", "'"])
def test_long_claims_are_read_in_bounded_time(piece):
    """Long claims and thousands of equal fields are read in bounded time."""
    many = [{"door": f"D-{n}", "locked": bool(n % 2)} for n in range(3_000)]
    answer = piece * 20_000

    assert all("\n" not in one for one in conflicts(answer, many))
