"""The end of a guarded call: by the host, later, or not yet."""

from __future__ import annotations

from abs_shield import ToolCall
from tests.subjects import about_calls

CALL = ToolCall("refund", {"amount": 5}, "c1")


class Signal(Exception):
    """A framework's own signal, which is not a failure."""


def test_a_call_may_fail_without_raising(make_shield) -> None:
    """A framework may return an error instead of raising it."""
    firewall = make_shield()
    session = firewall.session()
    with firewall.guard(CALL, session=session) as guard:
        guard.value, guard.failed = "error: t_777 is on fire", True

    assert [(None, True)] == [(call.value, call.error) for call in session.executed]
    assert session.origin("t_777") is None


def test_a_call_may_raise_without_failing(make_shield) -> None:
    """A framework may raise a handoff although the call succeeded."""
    firewall = make_shield()
    session = firewall.session()
    guard = firewall.guard(CALL, session=session)
    guard.__enter__()
    guard.value, guard.failed = "handed over", False
    guard.__exit__(Signal, Signal(), None)

    assert [("handed over", False)] == [(call.value, call.error) for call in session.executed]


def test_a_suspended_call_goes_on_under_its_id(make_shield) -> None:
    """A call that waits for a person has one decision and one execution."""
    firewall = make_shield()
    session = firewall.session()
    firewall.inspect_turn([CALL], session=session)
    guard = firewall.guard(CALL, session=session)
    guard.__enter__()
    guard.suspend()
    guard.__exit__(Signal, Signal(), None)
    before = session.executed
    with firewall.guard(CALL, session=session) as guard:
        guard.value = "done"

    assert () == before
    assert ["done"] == [call.value for call in session.executed]
    assert ["c1"] == [decision.call_id for decision in about_calls(firewall.store)]
