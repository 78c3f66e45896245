"""`firewall.prove()`: the policy of a Shield, compared with its tools."""

from __future__ import annotations

import pytest

from abs_shield import PolicyError, Shield, Suppression, Tool, rule, shield, shielded


@rule(tool="lend")
def lends_few(count: int) -> bool:
    """At most 3 books are lent."""
    return count <= 3


def library(**declared) -> Shield:
    firewall = Shield(shield.configure(layers=["impossible_state"], **declared), hooks=None)

    @shielded(firewall)
    def lend(count: int) -> str:
        """Lend books."""
        return "lent"

    return firewall


def test_a_sound_policy() -> None:
    """The proof of a policy without errors has one line."""
    proof = library(rules=[lends_few]).prove()
    proof.require(warnings=True)

    assert ((), ()) == (proof.errors, proof.warnings)


def test_decorated_tools_are_included() -> None:
    """Decorated, registered and declared tools count, including the policy's own declarations."""
    firewall = library(tools=[Tool(name="lend", destructive=True), Tool(name="scan")])
    firewall.register(Tool(name="sort"))

    assert 3 == firewall.prove().tools


def test_shared_tools_are_included() -> None:
    """A bare `@shielded` tool is compared, too; its errors are returned, not raised."""

    @shielded
    def lend(number: int) -> str:
        """Lend books."""
        return "lent"

    proof = Shield(shield.configure(rules=[lends_few]), hooks=None).prove()

    assert ["unknown_parameter"] == [each.code for each in proof.errors]


def test_require_raises_for_an_error() -> None:
    """`require` raises for a misspelt name, with its file and line."""
    firewall = library(modes={"lned": "audit"})
    with pytest.raises(PolicyError, match=rf"{__file__}:\d+: error: .*did you mean `lend`"):
        firewall.prove().require()


def test_the_time_of_a_proof() -> None:
    """A proof can be made for another day."""
    over = Suppression(check="impossible_state", reason="old client", until="2026-12-31")
    firewall = library(rules=[lends_few], suppress=[over])

    assert [True, False] == [not firewall.prove(at=at).warnings for at in (1.7e9, 1.9e9)]


def test_a_proof_registers_and_records_nothing() -> None:
    """A proof does not change the Shield."""
    firewall = library(rules=[lends_few])
    before = dict(firewall.registry)
    firewall.prove()

    assert (before, []) == (dict(firewall.registry), list(firewall.store.decisions()))
