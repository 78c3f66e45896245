"""A turn whose calls the host runs by itself: the Shield stands before each."""

from __future__ import annotations

import asyncio

from abs_shield import Shield, Tool, ToolCall, shield

PAY = {"type": "object", "properties": {"sum": {"type": "number"}}}


def test_the_hosts_own_dispatch_runs_what_is_admitted():
    """It is given the call as the model wrote it; a blocked one never reaches it."""
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
    """Its exceptions are told to the model."""
    guard = Shield(shield.configure(tools=[Tool(name="pay", parameters=PAY)]))

    async def dispatch(call: ToolCall) -> str:
        raise RuntimeError("no funds")

    ran = guard.arun_tool_calls(
        [ToolCall("pay", {"sum": 5}, "c1")], session=guard.session(), dispatch=dispatch
    )
    (message,) = asyncio.run(ran)
    assert "no funds" in message["content"]
