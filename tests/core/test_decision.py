"""A decision has a one-line explanation, feedback for the model, and a JSON form."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from abs_shield.core import (
    RAN,
    Action,
    Coverage,
    Decision,
    Finding,
    Mode,
    Outcome,
    Subject,
    Verdict,
)
from abs_shield.core.digest import canonical

FINDING = Finding(
    check="phantom_tool",
    verdict=Verdict.HALLUCINATED,
    strength=1.0,
    where="/name",
    detail="no tool is named `refnud`",
    code="unknown_tool",
    hint="did you mean `refund`?",
    got="refnud",
    expected="the name of an available tool",
    allowed=("refund",),
    nearest="refund",
    evidence={"n": 1},
)
DECISION = Decision(
    id="d-1",
    subject=Subject.CALL,
    tool="refnud",
    verdict=Verdict.HALLUCINATED,
    action=Action.BLOCK,
    mode=Mode.STRICT,
    blocked=True,
    would_block=True,
    policy_revision="4f1c",
    at=1_767_225_600.0,
    findings=(FINDING,),
    coverage={
        "phantom_tool": RAN,
        "confidence_drop": Coverage(Outcome.UNAVAILABLE, "no log-probabilities"),
    },
    errors=("own_layer could not run: KeyError",),
    attempts_left=2,
    notes=("unregistered",),
)
ANY = st.text() | st.integers() | st.none() | st.lists(st.text())


def test_explain_says_who_where_and_what() -> None:
    """The line names the tool, the verdict, the place, the fault and the hint."""
    decision = replace(DECISION, errors=())

    assert decision.explain() == (
        "call of `refnud` is HALLUCINATED: phantom_tool at /name: "
        "no tool is named `refnud`; did you mean `refund`?"
    )


def test_explain_names_our_errors() -> None:
    """A check that broke is named as our failure."""

    assert DECISION.explain().endswith("; layer_error: own_layer could not run: KeyError")


def test_explain_names_no_tool_of_an_answer() -> None:
    """An answer is of no tool; a call without a name is still a call of something."""
    about = [Subject.ANSWER, Subject.CALL]
    messages = [replace(DECISION, subject=one, tool="", findings=()).explain() for one in about]

    assert ["answer is", "call of `` is"] == [line.partition(" HALL")[0] for line in messages]


def test_explain_has_something_to_say_when_clean() -> None:
    """A clean decision explains itself as well."""
    decision = replace(DECISION, findings=(), errors=(), verdict=Verdict.CLEAN)

    assert decision.explain() == "call of `refnud` is CLEAN: nothing to say"


@pytest.mark.parametrize("silent", [{"counted": False}, {"suppressed": True}])
def test_only_what_weighs_is_reported(silent: dict[str, bool]) -> None:
    """A finding that does not count is neither explained nor sent to the model."""
    decision = replace(DECISION, findings=(replace(FINDING, **silent),), errors=())  # type: ignore[arg-type]

    assert (
        decision.explain().rpartition(": ")[2],
        decision.feedback()["problems"],
    ) == ("nothing to say", [])


@given(st.text(), st.text(), st.text(), st.text(), st.text())
def test_explain_is_one_printable_line(
    tool: str, where: str, detail: str, hint: str, error: str
) -> None:
    """For any text of a model the line has no control character and no line break."""
    finding = replace(FINDING, where=where, detail=detail, hint=hint)
    line = replace(DECISION, tool=tool, findings=(finding,), errors=(error,)).explain()

    assert [line] == (line.splitlines() or [""])
    assert "\x1b" not in line


def test_feedback_of_a_block() -> None:
    """The model reads what was wrong, and how often it may try again."""
    problem = {
        "code": "unknown_tool",
        "field": "/name",
        "got": "refnud",
        "expected": "the name of an available tool",
        "allowed": ["refund"],
        "nearest": "refund",
        "hint": "no tool is named `refnud`; did you mean `refund`?",
    }

    assert {
        "status": "blocked",
        "tool": "refnud",
        "problems": [problem],
        "retryable": True,
        "attempts_left": 2,
    } == replace(DECISION, errors=()).feedback()


@pytest.mark.parametrize(
    ("changes", "status"),
    [
        ({"blocked": True}, "blocked"),
        ({"blocked": False}, "flagged"),
        ({"blocked": False, "action": Action.FLAG}, "flagged"),
        ({"blocked": False, "action": Action.ALLOW}, "allowed"),
    ],
)
def test_feedback_status(changes: dict[str, Any], status: str) -> None:
    """The status is the action that was taken, not the one that strict mode would take."""

    assert status == replace(DECISION, **changes).feedback()["status"]


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"approval": "required"}, "approval_required"),
        ({"errors": ("x",)}, "layer_error"),
        ({"retryable": False}, "retries_spent"),
    ],
)
def test_feedback_of_the_shield(changes: dict[str, Any], code: str) -> None:
    """The Shield's own reasons are problems of the same shape."""
    problems = replace(DECISION, **{"findings": (), "errors": (), **changes}).feedback()["problems"]

    assert [(code, sorted(DECISION.feedback()["problems"][0]))] == [
        (problem["code"], sorted(problem)) for problem in problems
    ]


def test_feedback_never_quotes_an_error() -> None:
    """Our own failure's text may hold values, so the model does not read it."""

    assert "KeyError" not in json.dumps(DECISION.feedback())


@given(ANY, st.lists(ANY, max_size=3), st.text())
def test_feedback_is_json(got: Any, allowed: list[Any], nearest: str) -> None:
    """Feedback to the model is JSON."""
    finding = replace(FINDING, got=got, allowed=tuple(allowed), nearest=nearest)
    feedback = replace(DECISION, findings=(finding,)).feedback()

    assert feedback == json.loads(json.dumps(feedback, allow_nan=False))


def test_a_record_is_read_back() -> None:
    """A decision that was written is the same when it is read."""

    assert Decision.from_dict(json.loads(DECISION.to_json())) == DECISION


def test_the_words_are_words_again() -> None:
    """The values that are read back are enums, not strings."""
    read = Decision.from_dict(DECISION.to_dict())

    assert (
        read.verdict,
        read.findings[0].mode,
        read.coverage["phantom_tool"].outcome,
    ) == (Verdict.HALLUCINATED, Mode.STRICT, Outcome.RAN)
    assert isinstance(read.verdict, Verdict)


def test_json_is_canonical() -> None:
    """Keys are sorted, there are no spaces, and text is UTF-8."""
    line = replace(DECISION, tool="é", findings=()).to_json()
    record = json.loads(line)

    assert line == json.dumps(record, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


ANY_TEXT = st.text(st.characters(codec=None, categories=["Cs", "L", "P"]))


@given(ANY_TEXT, ANY_TEXT)
def test_json_can_always_be_encoded(tool: str, got: str) -> None:
    """Half characters are escaped; what is read back is written as the same bytes again."""
    decision = replace(DECISION, tool=tool, findings=(replace(FINDING, got=got),))
    line = decision.to_json().encode("utf-8")

    assert line == Decision.from_dict(json.loads(line)).to_json().encode("utf-8")


@pytest.mark.parametrize("tool", ["\ud800", "a\udc00b", "é\udfff\ud800", "\\ud800"])
def test_lone_surrogates_are_read_unchanged(tool: str) -> None:
    """A lone surrogate survives writing and reading."""
    line = replace(DECISION, tool=tool).to_json().encode("utf-8")

    assert tool == Decision.from_dict(json.loads(line)).tool


def test_a_newer_record_is_refused() -> None:
    """A record with an unknown schema version raises an error."""
    record = {**DECISION.to_dict(), "schema_version": 2}

    with pytest.raises(ValueError, match="schema_version 2"):
        Decision.from_dict(record)


@given(
    tool=st.text(),
    at=st.floats(),
    probability=st.none() | st.floats(),
    attempts=st.none() | st.integers(),
    notes=st.lists(st.text(), max_size=3).map(tuple),
    got=ANY,
)
def test_the_line_is_the_canonical_json_of_the_record(
    tool: str, at: float, probability: Any, attempts: Any, notes: tuple[str, ...], got: Any
) -> None:
    """The fast writer has the output of the canonical JSON writer."""
    decision = replace(
        DECISION, tool=tool, at=at, probability=probability, attempts_left=attempts, notes=notes,
        findings=(replace(FINDING, got=got),), call_id=tool or None,
    )  # fmt: skip

    assert canonical(decision.to_dict()) == decision.to_json()
