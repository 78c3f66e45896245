"""A turn whose calls the host runs itself, each under a guard."""

from __future__ import annotations

import asyncio

import pytest

from abs_shield import CallBlocked, Shield, Tool, ToolCall, rule, shield, shielded
from abs_shield.session.session_record import record_of
from abs_shield.stores import SqliteStore

PAY = {"type": "object", "properties": {"sum": {"type": "number"}}}


def test_the_hosts_own_dispatch_runs_what_is_admitted():
    """It receives the call as the model wrote it; a blocked call does not reach it."""
    guard = Shield(shield.configure(mode="strict", tools=[Tool(name="pay", parameters=PAY)]))
    ran: list[ToolCall] = []

    def dispatch(call: ToolCall) -> str:
        ran.append(call)
        return "paid"

    calls = [ToolCall("pay", '{"sum": 5}', "c1"), ToolCall("pay", '{"sum": "much"}', "c2")]
    messages = guard.run_tool_calls(calls, session=guard.session(), dispatch=dispatch)

    assert [('{"sum": 5}', "c1")] == [(call.arguments, call.id) for call in ran]
    assert "paid" == messages[0]["content"]
    assert '"blocked"' in messages[1]["content"]


def test_an_async_dispatch_is_awaited():
    """Its exceptions become messages for the model."""
    guard = Shield(shield.configure(tools=[Tool(name="pay", parameters=PAY)]))

    async def dispatch(call: ToolCall) -> str:
        raise RuntimeError("no funds")

    ran = guard.arun_tool_calls(
        [ToolCall("pay", {"sum": 5}, "c1")], session=guard.session(), dispatch=dispatch
    )
    (message,) = asyncio.run(ran)
    assert "no funds" in message["content"]


@pytest.mark.parametrize("call_id", ["c1", None])
def test_a_block_after_an_allowed_check_is_recorded(call_id, tmp_path):
    """A rule's state may change before the dispatch; the block is in log, hooks and session."""
    is_open, events = [True], []

    @rule(tool="pay")
    def till_is_open(amount: float) -> str | None:
        """The till is open."""
        return None if is_open else "the till is closed"

    store = SqliteStore(tmp_path / "log.db")
    guard = Shield(shield.configure(rules=[till_is_open]), store=store, hooks=[events.append])

    @shielded(guard)
    def pay(amount: float) -> str:
        return "paid"

    with guard.session() as session:
        guard.check_call(ToolCall("pay", {"amount": 5.0}, call_id))
        is_open.clear()
        with pytest.raises(CallBlocked):
            guard.dispatch("pay", {"amount": 5.0}, call_id=call_id)
        store.flush(10)

        logs = [session.decisions, events, [*store.decisions()]]
        assert [True] * 3 == [[d.blocked for d in log][-1] for log in logs]
        assert not record_of(session).calls.open_calls
    store.close()
