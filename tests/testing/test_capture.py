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


def test_capture_records_every_shield(make_shield):
    """Without an argument `capture_decisions` records all Shields in order."""
    one, two = make_shield(), make_shield(mode="audit")
    with capture_decisions() as decisions:
        one.check_call(PHANTOM)
        two.check_call(LOOKUP)

    assert ["refnud", "find_order"] == [decision.tool for decision in decisions]


def test_capture_of_one_shield_ignores_others(make_shield):
    """With a Shield `capture_decisions` records no decision of another one."""
    one, two = make_shield(), make_shield()
    with capture_decisions(one) as decisions:
        two.check_call(PHANTOM)
        one.check_call(LOOKUP)

    assert "find_order" == decisions.only().tool


def test_capture_of_a_policy_records_its_tools():
    """With a policy `capture_decisions` records the tools decorated with it."""
    policy = shield.configure(threshold=0.75)

    @shielded(policy)
    def greet(name: str) -> str:
        return f"hello {name}"

    with capture_decisions(policy) as decisions:
        greet("ann")

    assert "greet" == decisions.only().tool


def test_capture_records_bare_shielded_tools():
    """A tool decorated without a Shield is recorded under the Shield of the session."""

    @shielded
    def wave(name: str) -> str:
        return name

    firewall = Shield(shield.configure(), hooks=None)
    with capture_decisions(firewall) as decisions, firewall.session():
        wave("ann")

    assert "wave" == decisions.only().tool


def test_recording_ends_with_the_block(firewall):
    """Nothing is recorded after the block, even if the block raised."""
    with suppress(KeyError), capture_decisions() as decisions:
        firewall.check_call(PHANTOM)
        raise KeyError
    firewall.check_call(PHANTOM)

    assert (1, ()) == (len(decisions), LISTENERS.all)


def test_captures_nest(firewall):
    """A nested capture does not remove decisions from the outer one."""
    with capture_decisions() as outer:
        firewall.check_call(LOOKUP)
        with capture_decisions() as inner:
            firewall.check_call(PHANTOM)

    assert (["refnud"], 2) == ([decision.tool for decision in inner], len(outer))


def test_threads_are_recorded(firewall):
    """All decisions of eight threads are recorded."""
    with capture_decisions(firewall) as decisions, ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda _: firewall.check_call(LOOKUP), range(200)))

    assert 200 == len(decisions.of("find_order"))


def test_tasks_are_recorded(firewall):
    """Decisions of asyncio tasks that run inside the block are recorded."""

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


def test_list_has_blocked_flagged_and_allowed_calls(make_shield):
    """The list returns blocked, flagged and allowed calls separately, in audit mode too."""
    strict, audit = make_shield(), make_shield(mode="audit")
    with capture_decisions() as decisions:
        strict.check_call(PHANTOM)
        audit.check_call(PHANTOM)
        strict.check_call(LOOKUP)

    assert ([decisions[0]], [decisions[1]], [decisions[2]]) == (
        decisions.blocked, decisions.flagged, decisions.allowed,
    )  # fmt: skip
    assert ["unknown_tool"] * 2 == [finding.code for finding in decisions.findings]


def test_repr_is_one_line(firewall):
    """The repr names the tool, outcome and finding of each decision on one line."""
    with capture_decisions() as decisions:
        firewall.check_call(PHANTOM)
        firewall.check_call(LOOKUP)

    expected = "[refnud: blocked (phantom_tool unknown_tool at /name); find_order: allowed]"
    assert expected == repr(decisions)


def test_repr_escapes_and_shortens_a_name(firewall):
    """The repr escapes control characters of a tool's name and shortens it."""
    with capture_decisions() as decisions:
        firewall.check_call(ToolCall("\x1b[31m\n" * 1_000, {}))

    assert repr(decisions).isprintable()
    assert 600 > len(repr(decisions))


def test_only_lists_other_decisions_on_failure(firewall):
    """`only` fails if there is no decision, and its message lists those on other tools."""
    with capture_decisions() as decisions:
        firewall.check_call(LOOKUP)

    with pytest.raises(
        AssertionError, match=r"of `refund`; got none, among \[find_order: allowed\]"
    ):
        decisions.of("refund").only()


def test_capture_refuses_a_mapping():
    """`capture_decisions` raises a PolicyError for a mapping."""
    with pytest.raises(PolicyError, match="give a Shield or a policy"), capture_decisions({}):
        pass
