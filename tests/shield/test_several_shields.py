"""Several Shields judge one call of a session: each of them logs its own decision, once."""

from __future__ import annotations

from typing import Any

import pytest

from abs_shield import Decision, Shield, Tool, ToolCall, shield
from abs_shield.stores import MemoryStore

PAY = Tool(name="pay", parameters={"type": "object", "properties": {"amount": {}}})
CALL = ToolCall("pay", {"amount": 50}, id="c1")


def make(told: list[Decision], store: MemoryStore, **policy: Any) -> Shield:
    """Make a Shield whose hook appends to *told*."""
    tools = policy.pop("tools", [PAY])
    configured = shield.configure(tools=tools, verification=False, **policy)
    return Shield(configured, hooks=[told.append], store=store)


@pytest.mark.parametrize("shared", [True, False], ids=["one store", "two stores"])
def test_each_shield_logs_its_decision(shared: bool) -> None:
    """The record of the first policy says nothing about the second."""
    told: tuple[list[Decision], list[Decision]] = ([], [])
    stores = [MemoryStore(), MemoryStore()]
    stores = [stores[0], stores[0]] if shared else stores
    first, second = (make(hook, store) for hook, store in zip(told, stores, strict=True))
    session = first.session()
    session.user("Please pay 50.")
    for guarding in (first, second, second, first):
        assert not guarding.check_call(CALL, session=session).blocked
    with second.guard(CALL, session=session) as guard:
        guard.value = "done"

    assert (1, 1) == (len(told[0]), len(told[1]))
    assert [2, 2] == [len(session.decisions), sum(len([*one.decisions()]) for one in {*stores})]
    assert ["done"] == [one.value for one in session.executed]


def test_a_block_of_the_second_ends_the_call() -> None:
    """It is logged, and the call of the first is open no more."""
    told: tuple[list[Decision], list[Decision]] = ([], [])
    store = MemoryStore()
    first = make(told[0], store)
    small = {"type": "object", "properties": {"amount": {"maximum": 10}}}
    second = make(told[1], store, tools=[Tool(name="pay", parameters=small)])
    session = first.session()
    session.user("Please pay 50.")
    first.check_call(CALL, session=session)

    assert second.check_call(CALL, session=session).blocked
    assert (1, 1) == (len(told[0]), len(told[1]))
    assert not first.check_call(CALL, session=session).blocked
    assert 2 == len(told[0])


def test_one_shield_logs_a_call_once() -> None:
    """A guard of what `check_call` let pass has the record already."""
    told: list[Decision] = []
    firewall = make(told, MemoryStore())
    with firewall.session() as session:
        session.user("Please pay 50.")
        firewall.check_call(CALL)
        with firewall.guard(CALL) as guard:
            guard.value = "done"

    assert 1 == len(told)
