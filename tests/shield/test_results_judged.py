"""Only part of the model's text may be judged."""

from __future__ import annotations

import pytest

from abs_shield import ResultBlocked, Shield, Tool, ToolCall, ToolProfile, shield

PRICED = ToolProfile(required_fields=["price"], has_network_io=False)
CALL = ToolCall("quote", {}, "c1")


@pytest.fixture
def firewall() -> Shield:
    """Return a strict Shield with a profile that requires a price."""
    tools = [Tool(name="quote", profile=PRICED, read_only=True)]
    return Shield(shield.configure(mode="strict", layers=[], tools=tools), hooks=None)


def test_the_part_is_judged_and_the_whole_is_recorded(firewall) -> None:
    """The session has the whole value."""
    with firewall.session() as session, firewall.guard(CALL) as guard:
        guard.value, guard.judges = ["see ord_777", {"price": 5}], {"price": 5}

    assert [False] == [decision.would_block for decision in session.result_decisions]
    assert "ord_777" in session.executed[0].value[0]
    assert "tool" == session.origin("ord_777").source


def test_a_part_that_is_wrong_withholds_the_whole(firewall) -> None:
    """The other parts do not matter."""
    with firewall.session() as session, pytest.raises(ResultBlocked), firewall.guard(CALL) as guard:
        guard.value, guard.judges = {"price": 5}, {"answer": "ord_777"}

    assert session.origin("ord_777") is None
    assert [None] == [ran.value for ran in session.executed]


def test_without_a_part_the_whole_is_judged(firewall) -> None:
    """Without a part, the whole value is judged."""
    with pytest.raises(ResultBlocked), firewall.guard(CALL) as guard:
        guard.value = ["see ord_777", {"price": 5}]


@pytest.mark.parametrize("elapsed_ms", [-1, -0.5, float("nan"), float("inf"), None])
def test_an_unknown_duration_withholds_nothing(firewall, elapsed_ms) -> None:
    """With an unknown or negative duration, the result is not judged, as its coverage reports."""
    with firewall.session():
        decision = firewall.check_result(CALL, {"price": 5}, elapsed_ms=elapsed_ms)

    assert (False, ()) == (decision.would_block, decision.errors)
    assert ("unavailable", "the duration of the call is unknown") == decision.coverage[
        "verification"
    ]
