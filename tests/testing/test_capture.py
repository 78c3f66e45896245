"""The decisions that `capture_decisions` records, and the methods of its list."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

import pytest

from abs_shield import PolicyError, Shield, ToolCall, shield, shielded
from abs_shield.shield.listeners import LISTENERS
from abs_shield.testing import capture_decisions

PHANTOM = ToolCall("refnud", {})
LOOKUP = ToolCall("find_order", {"email": "ann@example.com"})


def test_it_hears_every_shield(make_shield):
    """Without a Shield, decisions of all of them come in their order."""
    one, two = make_shield(), make_shield(mode="audit")
    with capture_decisions() as decisions:
        one.check_call(PHANTOM)
        two.check_call(LOOKUP)

    assert ["refnud", "find_order"] == [decision.tool for decision in decisions]


def test_it_hears_one_shield_alone(make_shield):
    """With a Shield, the others are not heard."""
    one, two = make_shield(), make_shield()
    with capture_decisions(one) as decisions:
        two.check_call(PHANTOM)
        one.check_call(LOOKUP)

    assert "find_order" == decisions.only().tool


def test_it_hears_the_tools_of_a_policy():
    """A policy stands for the Shield that its decorated tools share."""
    policy = shield.configure(threshold=0.75)

    @shielded(policy)
    def greet(name: str) -> str:
        return f"hello {name}"

    with capture_decisions(policy) as decisions:
        greet("ann")

    assert "greet" == decisions.only().tool


def test_it_hears_bare_shielded_tools():
    """A tool without a Shield of its own is heard like any other."""

    @shielded
    def wave(name: str) -> str:
        return name

    firewall = Shield(shield.configure(), hooks=None)
    with capture_decisions(firewall) as decisions, firewall.session():
        wave("ann")

    assert "wave" == decisions.only().tool


def test_nothing_is_recorded_afterwards(firewall):
    """The list is as long as the block was, also where the block raised."""
    with suppress(KeyError), capture_decisions() as decisions:
        firewall.check_call(PHANTOM)
        raise KeyError
    firewall.check_call(PHANTOM)

    assert (1, ()) == (len(decisions), LISTENERS.all)


def test_captures_nest(firewall):
    """An inner capture takes nothing from the outer one."""
    with capture_decisions() as outer:
        firewall.check_call(LOOKUP)
        with capture_decisions() as inner:
            firewall.check_call(PHANTOM)

    assert (["refnud"], 2) == ([decision.tool for decision in inner], len(outer))


def test_threads_are_recorded(firewall):
    """No decision of eight threads is lost."""
    with capture_decisions(firewall) as decisions, ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda _: firewall.check_call(LOOKUP), range(200)))

    assert 200 == len(decisions.of("find_order"))


def test_tasks_are_recorded(firewall):
    """Tasks of an event loop that runs inside the block are heard."""

    async def agent():
        await asyncio.gather(
            *(firewall.adispatch("find_order", {"email": "a@b.example"}) for _ in range(5))
        )

    with capture_decisions() as decisions:
        asyncio.run(agent())

    assert 5 == len(decisions)


def test_a_proposal_is_recorded_when_its_turn_ends(firewall):
    """An undispatched proposal is recorded once, at the end of its turn."""
    with capture_decisions() as decisions:
        with firewall.session() as session:
            firewall.inspect_turn([PHANTOM], session=session)
            before = len(decisions)

        assert (0, "refnud") == (before, decisions.only().tool)


def test_the_list_sorts_by_what_became_of_a_call(make_shield):
    """Blocked, flagged and allowed calls are told apart, in audit mode too."""
    strict, audit = make_shield(), make_shield(mode="audit")
    with capture_decisions() as decisions:
        strict.check_call(PHANTOM)
        audit.check_call(PHANTOM)
        strict.check_call(LOOKUP)

    assert ([decisions[0]], [decisions[1]], [decisions[2]]) == (
        decisions.blocked, decisions.flagged, decisions.allowed,
    )  # fmt: skip
    assert ["unknown_tool"] * 2 == [finding.code for finding in decisions.findings]


def test_it_shows_itself_in_one_line(firewall):
    """A failing assertion names each tool, what became of it, and why."""
    with capture_decisions() as decisions:
        firewall.check_call(PHANTOM)
        firewall.check_call(LOOKUP)

    expected = "[refnud: blocked (phantom_tool unknown_tool at /name); find_order: allowed]"
    assert expected == repr(decisions)


def test_a_hostile_name_is_shown_escaped(firewall):
    """Text of the model cannot control a terminal, nor fill it."""
    with capture_decisions() as decisions:
        firewall.check_call(ToolCall("\x1b[31m\n" * 1_000, {}))

    assert repr(decisions).isprintable()
    assert 600 > len(repr(decisions))


def test_only_says_what_else_there_was(firewall):
    """No decision about a tool is a failure that names the calls there were."""
    with capture_decisions() as decisions:
        firewall.check_call(LOOKUP)

    with pytest.raises(
        AssertionError, match=r"of `refund`; got none, among \[find_order: allowed\]"
    ):
        decisions.of("refund").only()


def test_a_wrong_firewall_is_reported():
    """A policy's mapping is not a Shield."""
    with pytest.raises(PolicyError, match="give a Shield or a policy"), capture_decisions({}):
        pass
