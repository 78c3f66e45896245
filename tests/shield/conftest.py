"""Tools that the tests of the Shield share, and a clean registry of bare `@shielded` tools."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from abs_shield import Finding, Shield, Tool, Verdict, shield
from abs_shield.shield.shared_tools import SHARED

AMOUNT = {"type": "object", "properties": {"amount": {"type": "number"}}}


@pytest.fixture(autouse=True)
def no_shared_tools() -> Iterator[None]:
    """Remove the tools that a test decorates without a Shield."""
    before = dict(SHARED.bindings)
    SHARED.bindings.clear()
    yield
    SHARED.bindings.clear()
    SHARED.bindings.update(before)


@pytest.fixture
def suspect() -> Callable:
    """Return a custom layer that reports every negative amount as SUSPICIOUS."""

    def suspect(proposal, session):
        amount = proposal.arguments.get("amount")
        if isinstance(amount, (int, float)) and amount < 0:
            yield Finding(
                check="suspect",
                verdict=Verdict.SUSPICIOUS,
                strength=0.5,
                where="/arguments/amount",
                detail="the amount is odd",
                code="odd",
            )

    return suspect


@pytest.fixture
def make_shield() -> Callable[..., Shield]:
    """Return a function that creates a Shield with `refund` and `transfer`."""

    def make(*, store=None, hooks=(), approver=None, record=None, **declared) -> Shield:
        tools = [Tool(name=name, parameters=AMOUNT) for name in ("refund", "transfer")]
        policy = shield.configure(**{"tools": tools, **declared})
        return Shield(policy, store=store, hooks=hooks, approver=approver, record=record)

    return make
