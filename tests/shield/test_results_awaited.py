"""A plain function that returns a coroutine: its result is judged when it is awaited."""

from __future__ import annotations

import asyncio

import pytest

from abs_shield import ResultBlocked, Shield, Tool, ToolProfile, shield, shielded

PRICED = ToolProfile(required_fields=["price"], has_network_io=False)
GOOD, MADE_UP = {"price": 1.0}, {"answer": "one"}


def tool_of(value: object, on_block: str):
    """A tool that begins now and is back later."""
    tools = [Tool(name="quote", profile=PRICED, read_only=True)]
    firewall = Shield(shield.configure(mode="strict", layers=[], tools=tools), hooks=None)

    @shielded(firewall, on_block=on_block)
    def quote():
        async def later():
            return value

        return later()

    return quote


def given(value: object, on_block: str) -> object:
    async def run() -> object:
        return await tool_of(value, on_block)()

    return asyncio.run(run())


def test_the_awaited_value_is_the_feedback() -> None:
    """As that of an async function."""
    told = given(MADE_UP, "return")

    assert ("withheld", "quote") == (told["status"], told["tool"])


def test_without_it_awaiting_raises() -> None:
    """The caller never holds the value."""
    with pytest.raises(ResultBlocked):
        given(MADE_UP, "raise")


@pytest.mark.parametrize("on_block", ["raise", "return"])
def test_a_good_value_is_given_as_it_is(on_block) -> None:
    """Neither way changes it."""
    assert GOOD is given(GOOD, on_block)
