"""Tools may be made known without being offered: a server's tools are many runs'."""

from __future__ import annotations

import pytest

from abs_shield import Session, Shield, shield
from abs_shield.shield.seam import Seam

LOOK = {"name": "look", "inputSchema": {"type": "object"}}
WIPE = {"name": "wipe", "inputSchema": {"type": "object"}}


@pytest.fixture
def seam() -> Seam:
    """Give the seam of one Shield."""
    return Seam(Shield(shield.configure(mode="strict")))


def test_names_are_given_and_no_session_is_narrowed(seam):
    """What is no tool has no name."""
    session = Session()

    assert frozenset({"look", "wipe"}) == seam.register([LOOK, WIPE, "wipe it", {}])
    assert session.tools is None
    assert {"look", "wipe"} == {*seam.firewall.registry}


def test_hints_that_change_are_taken_in(seam):
    """A server may say later that a tool is destructive; an equal one is compiled once."""
    seam.register([WIPE])
    first = seam.firewall.registry["wipe"]
    seam.register([dict(WIPE)])
    assert first is seam.firewall.registry["wipe"]

    seam.register([{**WIPE, "annotations": {"destructiveHint": True}}])
    assert seam.firewall.registry.tools()["wipe"].destructive is True


def test_a_sessions_own_function_is_not_described_to_others(seam):
    """A framework describes the tools of a step; the functions of one session stay its own."""

    def look(place: str) -> str:
        return place

    firewall = seam.firewall
    with firewall.session(functions=[look]) as session:
        seam.offer(session, [LOOK, WIPE])
        assert "here" == firewall.dispatch("look", {"place": "here"})

    assert frozenset({"look", "wipe"}) == session.tools
    assert {"wipe"} == {*firewall.registry}
