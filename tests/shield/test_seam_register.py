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
