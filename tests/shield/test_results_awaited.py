"""A plain function that returns a coroutine: its result is judged when it is awaited."""

from __future__ import annotations

import asyncio
from contextvars import copy_context

import pytest

from abs_shield import ResultBlocked, Shield, Tool, ToolProfile, shield, shielded

PRICED = ToolProfile(required_fields=["price"], has_network_io=False)
GOOD, MADE_UP = {"price": 1.0}, {"answer": "one"}


def tool_of(value: object, on_block: str):
    """Return a plain function that returns a coroutine."""
    tools = [Tool(name="quote", profile=PRICED, read_only=True)]
    firewall = Shield(shield.configure(mode="strict", layers=[], tools=tools), hooks=None)

    @shielded(firewall, on_block=on_block)
    def quote():
        async def later():
            return value

        return later()

    return quote


def result_of(value: object, on_block: str) -> object:
    async def run() -> object:
        return await tool_of(value, on_block)()

    return asyncio.run(run())


def test_the_awaited_value_is_the_feedback() -> None:
    """It is the feedback, like that of an async function."""
    outcome = result_of(MADE_UP, "return")

    assert ("withheld", "quote") == (outcome["status"], outcome["tool"])


def test_awaiting_raises_without_on_block() -> None:
    """The caller does not receive the value."""
    with pytest.raises(ResultBlocked):
        result_of(MADE_UP, "raise")


@pytest.mark.parametrize("on_block", ["raise", "return"])
def test_a_clean_value_is_returned_unchanged(on_block) -> None:
    """It is unchanged with any `on_block`."""
    assert GOOD is result_of(GOOD, on_block)


class Query:
    """A query, which can be refined, and awaited several times."""

    def __init__(self, most: int = 9) -> None:
        self.most = most

    def limit(self, most: int) -> Query:
        return Query(most)

    def __await__(self):
        yield from asyncio.sleep(0).__await__()
        return [{"id": f"ord_{n}"} for n in range(self.most)]


@pytest.mark.parametrize("mode", ["audit", "strict"])
def test_an_awaitable_object_stays_as_it_is(mode) -> None:
    """Its result is unknown, so the session records it as not read."""
    firewall = Shield(shield.configure(mode=mode), hooks=None)

    @shielded(firewall)
    def get_orders(user_id: str):
        return Query()

    async def run(session) -> list:
        with session:
            query = get_orders("u_1")
            return [await query, await query.limit(1)]

    session = firewall.session()
    session.user("The orders of u_1?")
    every, one = asyncio.run(run(session))

    assert (9, 1) == (len(every), len(one))
    assert "awaitable object" in session.origin("ord_3").reason
    assert ["get_orders"] == [ran.tool for ran in session.executed]


def test_a_coroutine_may_go_on_in_another_context() -> None:
    """Each step of a coroutine may run in another context."""
    firewall = Shield(shield.configure(mode="audit"), hooks=None)

    @shielded(firewall)
    async def wait(user_id: str) -> str:
        await asyncio.sleep(0)
        return user_id

    call = wait("u_1")
    copy_context().run(call.send, None)
    with pytest.raises(StopIteration) as end:
        copy_context().run(call.send, None)

    assert "u_1" == end.value.value
