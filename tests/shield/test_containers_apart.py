"""The judged arguments are the ones that run: containers are copied, objects are shared."""

from __future__ import annotations

import asyncio
import io
import json
from contextlib import suppress
from typing import Annotated, Any
from uuid import UUID

import pytest

from abs_shield import CallBlocked, Injected, Shield, Tool, ToolCall, shield, shielded
from abs_shield.core.events import Proposed

OBJECTS = [UUID(int=7), {1, 2}, io.BytesIO(b"a"), len, iter([1]), object()]


def change_hook(box: dict[str, Any]) -> Any:
    """Return a hook that changes the caller's arguments."""

    def hook(decision: Any) -> None:
        box["account_id"] = "acct_66"
        box["parts"][0] = box["more"]["of"][0] = "acct_66"

    return hook


@pytest.fixture
def box() -> dict[str, Any]:
    return {"account_id": "acct_1", "parts": ["acct_1"], "more": {"of": ["acct_1"]}}


@pytest.mark.parametrize("way", ["dispatch", "adispatch", "guard", "decorator", "method"])
def test_a_hook_cannot_change_a_call(box, way) -> None:
    """The decision is about `acct_1`, although the hook changes the caller's dict to `acct_66`."""
    firewall = Shield(shield.configure(), hooks=[change_hook(box)])
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
def test_an_object_without_a_json_form_is_passed_unchanged(value, approved, way) -> None:
    """The tool receives the object itself, also in an approved call."""
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


def test_a_set_that_changes_while_a_person_decides_is_not_approved() -> None:
    """A set is not copied, but compared again."""
    held = {"a"}
    policy = shield.configure(on_suspicious="approve")
    firewall = Shield(policy, hooks=None, approver=lambda decision: not held.add("b"))

    @shielded(firewall)
    def pay(order_id: str, x: Any = None) -> None: ...

    with firewall.session() as session:
        session.user("Hello.")
        with pytest.raises(CallBlocked):
            firewall.dispatch("pay", {"order_id": "tx_9", "x": held})


def test_injected_values_are_not_copied() -> None:
    """The tool fills a list of the host."""
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
    """Fifty levels that each contain the next one twice are too large for JSON."""
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
def test_the_judged_arguments_are_recorded(box, tmp_path, mode) -> None:
    """The run file has the judged arguments, although the caller's dict has changed."""
    firewall = Shield(
        shield.configure(mode=mode), hooks=[change_hook(box)], record=tmp_path / "run.jsonl"
    )

    def pay(account_id: str, parts: Any, more: Any) -> None: ...

    firewall.register(pay)
    with firewall.session() as session:
        session.user("Pay acct_1.")
        firewall.dispatch("pay", box)

    written = (tmp_path / "run.jsonl").read_text()
    assert "acct_1" in written
    assert "acct_66" not in written


def test_raw_json_is_recorded_unchanged(tmp_path) -> None:
    """A replay parses the same text as the Shield."""
    firewall = Shield(shield.configure(), hooks=None, record=tmp_path / "run.jsonl")

    def keep(parts: list[int]) -> None: ...

    firewall.register(keep)
    with firewall.session():
        firewall.dispatch("keep", '{"parts":  [1]}')

    run = json.loads((tmp_path / "run.jsonl").read_text())
    calls = [call for message in run["messages"] for call in message.get("tool_calls", ())]
    assert ['{"parts":  [1]}'] == [call["arguments"] for call in calls]


def test_a_deep_value_reaches_the_tool_in_audit_mode() -> None:
    """A value beyond the limits is passed unchanged."""
    value: Any = []
    for _ in range(500):
        value = [value]
    firewall = Shield(shield.configure(mode="audit"), hooks=None)

    @shielded(firewall)
    def keep(value: Any) -> bool:
        return bool(value)

    assert keep(value)


@pytest.mark.parametrize("value", ["tx_1", ["tx_1"]], ids=["scalar", "container"])
def test_recorded_call_stays_as_it_was_judged(value: Any) -> None:
    guard = Shield(shield.configure(tools=[Tool(name="refund")]), hooks=None)
    session = guard.session()
    session.user("Refund tx_1.")
    arguments = {"tx": value}
    guard.check_call(ToolCall("refund", arguments), session=session)
    arguments["tx"] = "tx_2"
    (recorded,) = [e.event for e in session.entries() if isinstance(e.event, Proposed)]
    assert recorded.calls[0].arguments == {"tx": value}


def test_earlier_call_of_a_turn_stays_as_it_was_judged() -> None:
    """The second call deletes what the first one created, before a host changed its arguments."""
    guard = Shield(
        shield.configure(tools=[Tool(name="create_user"), Tool(name="delete_user")]), hooks=None
    )
    session = guard.session()
    session.user("Register usr_17 and usr_18.")
    arguments = {"user_id": "usr_17"}
    deletion = ToolCall("delete_user", {"user_id": "usr_17"}, "c2")
    guard.inspect_turn([ToolCall("create_user", arguments, "c1"), deletion], session=session)
    arguments["user_id"] = "usr_18"
    decision = guard.check_call(deletion, session=session)
    assert [finding.check for finding in decision.findings] == ["self_contradiction"]
