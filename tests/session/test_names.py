"""The public attributes of a session, and the storage of the lifecycle."""

from __future__ import annotations

import pytest

from abs_shield import Session, Shield, Tool, ToolCall, shield
from abs_shield.session.session_record import mentions_of, record_of

NAMES = [
    "add", "agent", "answer_decisions", "answer_reports", "assistant", "child", "decisions", "did",
    "entries", "executed", "handoff", "id", "model", "opaque", "origin", "output_decisions",
    "parent", "result_decisions", "run_id", "running", "system", "tool_result", "tools", "turns",
    "user",
]  # fmt: skip


def public(value: object) -> list[str]:
    return [name for name in dir(value) if not name.startswith("_")]


def test_the_public_names_of_a_session() -> None:
    """The public attributes are listed here, so that a new one is a decision."""

    assert NAMES == public(Session())


def test_the_lifecycle_writes_a_separate_record() -> None:
    """The Shield writes a call into the record, and the session reads it from there."""
    session = Session()
    firewall = Shield(shield.configure(tools=[Tool(name="find")]), hooks=None)
    with firewall.guard(ToolCall("find", {}, "c1"), session=session) as guard:
        guard.value = "tx_12345"
    record = record_of(session)

    assert record.executions == [*session.executed]
    assert record.decisions.calls == [*session.decisions]
    assert mentions_of(session) is record.mentions


def test_sub_agents_have_records_of_their_own() -> None:
    """The record of a child refers to its parent's record."""
    session = Session()
    child = session.child()

    assert record_of(child).parent is record_of(session)
    assert record_of(child) is not record_of(session)


@pytest.mark.parametrize("name", ["agent", "model", "run_id", "tenant"])
def test_a_host_may_set_attributes(name: str) -> None:
    """A host may set agent, model and run id, and attributes of its own."""
    session = Session()
    setattr(session, name, "seven")

    assert "seven" == getattr(session, name)


@pytest.mark.parametrize(
    ("text", "value", "others"),
    [
        ("room 504-B", "B-504", ("B-505", "B-54", "C-504")),
        ("room 504 B", "B-504", ("B-505", "D-504")),
        ("room B-504", "504B", ("505B", "504C")),
        ("unit 77-AK", "AK-77", ("AK-78", "KA-77", "AK-7")),
        ("locker 120C", "C120", ("C121", "D120")),
        ("gate A12, row 14", "A12", ("12A", "12-A", "A-21")),
        ("seat 12A", "12A", ("A12",)),
        ("200 flyers A5", "flyer A5", ("flyer A6", "flier A5", "flyer 5A")),
        ("a flyer A5", "flyers A5", ("flyers A4",)),
        ("a hose of 12m", "hose", ("M12",)),
        ("a hose of 120m", "hose", ("M120",)),
        ("504 a night", "504", ("A-504",)),
    ],
)
def test_the_parts_of_a_code_and_the_number_of_a_noun(text, value, others):
    """
    The digits of a code may come first, and a noun beside a code may be plural; a value that
    differs in one character is not found.
    """
    session = Session()
    session.user(text)

    assert session.origin(value) is not None
    assert {None} == {session.origin(other) for other in others}


@pytest.mark.parametrize(
    ("value", "found"),
    [
        ("tests/pager/test_window.py", True),
        ("test/pager/window_test.py", True),
        ("tests/pager/test_windows.py", False),
        ("tests/mail/test_window.py", False),
        ("other/pager/test_window.py", False),
    ],
)
def test_the_test_of_a_mentioned_file(value, found):
    """The file of a test has the name of the tested file, and its folders."""
    session = Session()
    session.user("Fix the error in src/pager/window.py.")

    assert found == (session.origin(value) is not None)
