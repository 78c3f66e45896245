"""Inside `no_shield` tools run as if undecorated, and decisions state that nothing was judged."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from threading import Thread

import pytest

from abs_shield import CallBlocked, Shield, ShieldError, ToolCall, shield, shielded
from abs_shield.testing import assert_allowed, capture_decisions, no_shield

WRONG = {"transaction_id": "tx_1", "amount": 9_000}


def test_blocked_calls_run_inside_no_shield(firewall):
    """`dispatch` and `guard` let calls run that they would otherwise block."""
    with no_shield(), firewall.session():
        dispatched = firewall.dispatch("refund", WRONG)
        with firewall.guard(ToolCall("refnud", {})) as guard:
            guard.value = "by hand"

    assert ("refunded 9000.0", "by hand") == (dispatched, guard.value)


def test_decorated_tool_receives_unchanged_arguments():
    """A decorated function receives arguments that do not match its schema unchanged."""
    firewall = Shield(shield.configure(), hooks=None)

    @shielded(firewall)
    def double(n: int) -> int:
        return n * 2

    with no_shield():
        assert "fivefive" == double("five")
    with pytest.raises(CallBlocked):
        double("five")


def test_decision_states_that_the_shield_is_off(firewall):
    """The decision has the note `shield_off`, audit mode and six unavailable layers."""
    with no_shield(), capture_decisions() as decisions:
        firewall.check_call(ToolCall("refnud", {}))
    decision = decisions.only()

    assert (("shield_off",), "audit", ()) == (decision.notes, decision.mode, decision.findings)
    assert {"the shield is off"} == {c.reason for c in decision.coverage.values()}
    assert 6 == len(decision.coverage)


def test_assert_allowed_fails_on_an_unjudged_call(firewall):
    """`assert_allowed` fails on a call that was not judged."""
    with no_shield(), pytest.raises(AssertionError, match="not judged, the shield is off"):
        assert_allowed(firewall.check_call(ToolCall("refnud", {})))


def test_no_layer_and_no_approver_is_called():
    """Neither a custom layer nor the approver is called."""
    requests = []

    def nosy(proposal, session):
        requests.append(proposal)
        yield from ()

    policy = shield.configure(layers=[nosy], on_suspicious="approve")
    firewall = Shield(policy, hooks=None, approver=requests.append)
    with no_shield():
        firewall.check_call(ToolCall("refund", {}))

    assert [] == requests


def test_threads_and_tasks_are_not_judged(firewall):
    """Calls of threads and asyncio tasks inside the block are not judged."""
    values = []

    async def agent():
        return await firewall.adispatch("refund", WRONG)

    with no_shield():
        thread = Thread(target=lambda: values.append(firewall.dispatch("refund", WRONG)))
        thread.start()
        thread.join()
        values.append(asyncio.run(agent()))

    assert ["refunded 9000.0"] * 2 == values


def test_shield_is_on_after_the_outermost_block(firewall):
    """The shield is on again after the outermost block, even if the block raised."""
    with suppress(KeyError), no_shield():
        with no_shield():
            pass
        inside = firewall.check_call(ToolCall("refnud", {}))
        raise KeyError

    assert not inside.blocked
    assert firewall.check_call(ToolCall("refnud", {})).blocked


def test_lost_context_turns_the_shield_on(firewall):
    """A `no_shield` context that is garbage collected turns the shield on again."""
    no_shield().__enter__()

    assert firewall.check_call(ToolCall("refnud", {})).blocked


def test_no_shield_logs_one_warning(caplog):
    """Nested blocks log one warning."""
    with no_shield(), no_shield():
        pass

    assert ["WARNING"] == [record.levelname for record in caplog.records]


def test_no_shield_is_not_callable_and_used_once():
    """A `no_shield` context is not callable and raises if it is entered twice."""
    once = no_shield()
    with once:
        pass

    assert not callable(once)
    with pytest.raises(ShieldError, match="used once"), once:
        pass


def test_session_records_unjudged_calls(firewall):
    """The session records unjudged calls and their results as evidence for later calls."""
    with firewall.session() as session:
        session.user("Refund ann@example.com!")
        with no_shield():
            firewall.dispatch("find_order", {"email": "ann@example.com"})
        refund = ToolCall("refund", {"transaction_id": "tx_12345", "amount": 20})
        decision = firewall.check_call(refund)

    assert session.did("find_order")
    assert_allowed(decision, layer="phantom_target")
