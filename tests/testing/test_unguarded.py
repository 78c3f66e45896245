"""With the shield off, tools run as if undecorated, and the record states it."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from threading import Thread

import pytest

from abs_shield import CallBlocked, Shield, ShieldError, ToolCall, shield, shielded
from abs_shield.testing import assert_allowed, capture_decisions, no_shield

WRONG = {"transaction_id": "tx_1", "amount": 9_000}


def test_a_forbidden_call_runs(firewall):
    """`dispatch`, `guard` and a decorated function let pass what they would block."""
    with no_shield(), firewall.session():
        dispatched = firewall.dispatch("refund", WRONG)
        with firewall.guard(ToolCall("refnud", {})) as guard:
            guard.value = "by hand"

    assert ("refunded 9000.0", "by hand") == (dispatched, guard.value)


def test_a_decorated_tool_gets_what_it_was_given():
    """Arguments that match no schema arrive as they are."""
    firewall = Shield(shield.configure(), hooks=None)

    @shielded(firewall)
    def double(n: int) -> int:
        return n * 2

    with no_shield():
        assert "fivefive" == double("five")
    with pytest.raises(CallBlocked):
        double("five")


def test_the_record_says_so(firewall):
    """Every layer is unavailable, the mode is audit, and the note stands there."""
    with no_shield(), capture_decisions() as decisions:
        firewall.check_call(ToolCall("refnud", {}))
    decision = decisions.only()

    assert (("shield_off",), "audit", ()) == (decision.notes, decision.mode, decision.findings)
    assert {"the shield is off"} == {c.reason for c in decision.coverage.values()}
    assert 6 == len(decision.coverage)


def test_an_unjudged_call_is_not_allowed(firewall):
    """An unjudged call counts neither as allowed nor as blocked."""
    with no_shield(), pytest.raises(AssertionError, match="not judged, the shield is off"):
        assert_allowed(firewall.check_call(ToolCall("refnud", {})))


def test_no_layer_and_no_approver_is_asked():
    """Neither a user's layer nor a person hears of the call."""
    requests = []

    def nosy(proposal, session):
        requests.append(proposal)
        yield from ()

    policy = shield.configure(layers=[nosy], on_suspicious="approve")
    firewall = Shield(policy, hooks=None, approver=requests.append)
    with no_shield():
        firewall.check_call(ToolCall("refund", {}))

    assert [] == requests


def test_threads_and_tasks_inside_are_off(firewall):
    """Whatever runs in the process while the block is open is unjudged."""
    values = []

    async def agent():
        return await firewall.adispatch("refund", WRONG)

    with no_shield():
        thread = Thread(target=lambda: values.append(firewall.dispatch("refund", WRONG)))
        thread.start()
        thread.join()
        values.append(asyncio.run(agent()))

    assert ["refunded 9000.0"] * 2 == values


def test_it_is_on_again_afterwards(firewall):
    """Blocks nest; the last to be left, also by an exception, turns it on."""
    with suppress(KeyError), no_shield():
        with no_shield():
            pass
        inside = firewall.check_call(ToolCall("refnud", {}))
        raise KeyError

    assert not inside.blocked
    assert firewall.check_call(ToolCall("refnud", {})).blocked


def test_a_block_that_is_lost_turns_it_on(firewall):
    """An unreferenced context does not keep the shield off."""
    no_shield().__enter__()

    assert firewall.check_call(ToolCall("refnud", {})).blocked


def test_the_log_warns_of_it(caplog):
    """It is said once when the shield goes off, not again by a block inside."""
    with no_shield(), no_shield():
        pass

    assert ["WARNING"] == [record.levelname for record in caplog.records]


def test_it_is_no_decorator_and_used_once():
    """Around an async function a decorator would end before the function began."""
    once = no_shield()
    with once:
        pass

    assert not callable(once)
    with pytest.raises(ShieldError, match="used once"), once:
        pass


def test_the_session_goes_on(firewall):
    """Executed calls and what they returned are known afterwards."""
    with firewall.session() as session:
        session.user("Refund ann@example.com!")
        with no_shield():
            firewall.dispatch("find_order", {"email": "ann@example.com"})
        refund = ToolCall("refund", {"transaction_id": "tx_12345", "amount": 20})
        decision = firewall.check_call(refund)

    assert session.did("find_order")
    assert_allowed(decision, layer="phantom_target")
