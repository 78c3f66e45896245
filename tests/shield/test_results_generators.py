"""Generators: the caller already has the items, so a fabricated result is only flagged."""

from __future__ import annotations

import asyncio

import pytest

from abs_shield import Shield, Tool, ToolProfile, shield, shielded
from abs_shield.core import Subject

PRICED = ToolProfile(required_fields=["price"], has_network_io=False)


@pytest.fixture
def firewall() -> Shield:
    """Return a strict Shield that rejects every result of `quotes`."""
    tools = [Tool(name="quotes", profile=PRICED, read_only=True)]
    return Shield(shield.configure(mode="strict", layers=[], tools=tools), hooks=None)


def about_results(firewall: Shield) -> list[tuple[str, bool]]:
    """Return the action on each result, and whether it was withheld."""
    messages = [d for d in firewall.store.decisions() if d.subject is Subject.RESULT]
    return [(d.action.value, d.blocked) for d in messages]


def steps_of(firewall: Shield):
    @shielded(firewall)
    def quotes():
        yield "one"
        yield "two"

    return quotes


def asteps_of(firewall: Shield):
    @shielded(firewall)
    async def quotes():
        yield "one"
        yield "two"

    return quotes


def test_a_generator_gives_all_its_items(firewall) -> None:
    """Nothing is raised after the last item."""
    assert ["one", "two"] == list(steps_of(firewall)())
    assert [("flag", False)] == about_results(firewall)


def test_an_async_generator_gives_all_its_items(firewall) -> None:
    """The async generator behaves alike."""

    async def read() -> list[str]:
        return [item async for item in asteps_of(firewall)()]

    assert ["one", "two"] == asyncio.run(read())
    assert [("flag", False)] == about_results(firewall)


def test_a_generator_that_is_left_early_is_not_judged(firewall) -> None:
    """A partial result is not judged; the session has the item that was read."""
    with firewall.session() as session:
        items = steps_of(firewall)()
        first = next(items)
        items.close()

    assert ("one", [["one"]]) == (first, [ran.value for ran in session.executed])
    assert [] == about_results(firewall)


def test_an_async_generator_that_is_left_early_is_not_judged(firewall) -> None:
    """The async generator behaves alike."""

    async def read() -> list[object]:
        with firewall.session() as session:
            items = asteps_of(firewall)()
            first = await anext(items)
            await items.aclose()
        return [first, *(ran.value for ran in session.executed)]

    assert ["one", ["one"]] == asyncio.run(read())
    assert [] == about_results(firewall)


def test_a_generator_is_dispatched_by_name(firewall) -> None:
    """It runs under its guard."""
    steps_of(firewall)

    assert ["one", "two"] == list(firewall.dispatch("quotes", {}))
    assert [("flag", False)] == about_results(firewall)


def test_an_async_generator_is_dispatched_by_name(firewall) -> None:
    """The async generator behaves alike."""
    asteps_of(firewall)

    async def read() -> list[str]:
        return [item async for item in await firewall.adispatch("quotes", {})]

    assert ["one", "two"] == asyncio.run(read())
    assert [("flag", False)] == about_results(firewall)


def test_a_generator_that_is_not_started_has_no_result(firewall) -> None:
    """Its call was judged, but it did not run."""
    steps_of(firewall)().close()

    assert [] == about_results(firewall)


def test_an_async_generator_that_is_not_started_has_no_result(firewall) -> None:
    """The async generator behaves alike."""
    asyncio.run(asteps_of(firewall)().aclose())

    assert [] == about_results(firewall)
