"""The judged arguments are the ones that run: containers are copied, objects are shared."""

from __future__ import annotations

import asyncio
import io
import json
from contextlib import suppress
from typing import Annotated, Any
from uuid import UUID

import pytest

from abs_shield import CallBlocked, Injected, Shield, shield, shielded

OBJECTS = [UUID(int=7), {1, 2}, io.BytesIO(b"a"), len, iter([1]), object()]


def changing(box: dict[str, Any]) -> Any:
    """Change what the caller holds, as soon as a decision is told."""

    def hook(decision: Any) -> None:
        box["account_id"] = "acct_66"
        box["parts"][0] = box["more"]["of"][0] = "acct_66"

    return hook


@pytest.fixture
def box() -> dict[str, Any]:
    return {"account_id": "acct_1", "parts": ["acct_1"], "more": {"of": ["acct_1"]}}


@pytest.mark.parametrize("way", ["dispatch", "adispatch", "guard", "decorator", "method"])
def test_a_hook_that_changes_the_callers_arguments_changes_no_call(box, way) -> None:
    """The decision was about `acct_1`; the caller's dict says `acct_66` when the tool runs."""
    firewall = Shield(shield.configure(), hooks=[changing(box)])
    ran: list[Any] = []

    class Bank:
        @shielded(firewall)
        def pay_of(self, account_id: str, parts: Any, more: Any) -> None:
            ran.append([account_id, *parts, *more["of"]])

    @shielded(firewall)
    def pay(account_id: str, parts: Any, more: Any) -> None:
        ran.append([account_id, *parts, *more["of"]])

    with firewall.session() as session:
        session.user("Pay acct_1.")
        if way == "dispatch":
            firewall.dispatch("pay", box)
        elif way == "adispatch":
            asyncio.run(firewall.adispatch("pay", box))
        elif way == "guard":
            with firewall.guard({"name": "pay", "arguments": box}) as guard:
                pay.__wrapped__(**guard.arguments)
        elif way == "method":
            Bank().pay_of(**box)
        else:
            pay(**box)

    assert [["acct_1"] * 3] == ran


@pytest.mark.parametrize("value", OBJECTS, ids=lambda value: type(value).__name__)
@pytest.mark.parametrize("approved", [False, True])
@pytest.mark.parametrize("way", ["dispatch", "decorator"])
def test_an_object_that_is_no_json_arrives_itself(value, approved, way) -> None:
    """An approved call handed the tool texts and lists in its place."""
    policy = shield.configure(on_suspicious="approve")
    firewall = Shield(policy, hooks=None, approver=lambda decision: True)
    got: list[Any] = []

    @shielded(firewall)
    def pay(order_id: str, x: Any = None) -> None:
        got.extend(x)

    with firewall.session() as session:
        session.user("Hello." if approved else "Pay tx_9.")
        if way == "dispatch":
            firewall.dispatch("pay", {"order_id": "tx_9", "x": [value]})
        else:
            pay("tx_9", x=[value])

    assert ("granted" if approved else "") == session.decisions[0].approval
    assert value is got[0]


def test_an_object_that_changes_while_a_person_decides_was_not_approved() -> None:
    """A set is not copied; its contents are compared again."""
    held = {"a"}
    policy = shield.configure(on_suspicious="approve")
    firewall = Shield(policy, hooks=None, approver=lambda decision: not held.add("b"))

    @shielded(firewall)
    def pay(order_id: str, x: Any = None) -> None: ...

    with firewall.session() as session:
        session.user("Hello.")
        with pytest.raises(CallBlocked):
            firewall.dispatch("pay", {"order_id": "tx_9", "x": held})


def test_what_is_the_hosts_is_not_copied() -> None:
    """The host passes a list to be filled, and keeps it."""
    firewall = Shield(shield.configure(), hooks=None)

    @shielded(firewall)
    def note(out: Annotated[list[str], Injected()], words: list[str]) -> None:
        out.extend(words)

    out: list[str] = []
    note(out, ["a"])
    note(out=out, words=["b"])

    assert ["a", "b"] == out


@pytest.mark.release
@pytest.mark.slow
@pytest.mark.parametrize("mode", ["audit", "strict"])
def test_parts_that_are_shared_are_bounded(tmp_path, mode) -> None:
    """Fifty levels that each contain the next one twice are too large to be written as a tree."""
    value: Any = {"a": 1}
    for _ in range(50):
        value = {"a": value, "b": value}
    firewall = Shield(shield.configure(mode=mode), hooks=None, record=tmp_path / "run.jsonl")

    @shielded(firewall)
    def keep(value: dict[str, Any]) -> None: ...

    with firewall.session() as session:
        session.user("Keep it.")
        for call in (lambda: firewall.dispatch("keep", {"value": value}), lambda: keep(value)):
            with suppress(CallBlocked):
                call()

    assert [["too_large"]] * 2 == [[f.code for f in d.findings] for d in session.decisions]
    assert (tmp_path / "run.jsonl").stat().st_size < 3_000_000


@pytest.mark.parametrize("mode", ["audit", "strict"])
def test_what_is_written_down_is_what_was_judged(box, tmp_path, mode) -> None:
    """The caller's dict has changed when the session is recorded."""
    firewall = Shield(
        shield.configure(mode=mode), hooks=[changing(box)], record=tmp_path / "run.jsonl"
    )

    def pay(account_id: str, parts: Any, more: Any) -> None: ...

    firewall.register(pay)
    with firewall.session() as session:
        session.user("Pay acct_1.")
        firewall.dispatch("pay", box)

    written = (tmp_path / "run.jsonl").read_text()
    assert "acct_1" in written
    assert "acct_66" not in written


def test_raw_json_is_written_down_as_it_came(tmp_path) -> None:
    """A replay parses it as strictly as the Shield."""
    firewall = Shield(shield.configure(), hooks=None, record=tmp_path / "run.jsonl")

    def keep(parts: list[int]) -> None: ...

    firewall.register(keep)
    with firewall.session():
        firewall.dispatch("keep", '{"parts":  [1]}')

    run = json.loads((tmp_path / "run.jsonl").read_text())
    calls = [call for message in run["messages"] for call in message.get("tool_calls", ())]
    assert ['{"parts":  [1]}'] == [call["arguments"] for call in calls]


def test_a_deep_value_reaches_the_tool_in_audit_mode() -> None:
    """A value beyond the limits runs unchanged."""
    value: Any = []
    for _ in range(500):
        value = [value]
    firewall = Shield(shield.configure(mode="audit"), hooks=None)

    @shielded(firewall)
    def keep(value: Any) -> bool:
        return bool(value)

    assert keep(value)
