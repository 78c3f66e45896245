"""The user's own code in a call: rules, layers, hooks, stores, approvers."""

from __future__ import annotations

import logging
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import Full, Queue
from threading import Event
from typing import Any

import pytest

from abs_shield import Decision, Policy, Shield, Tool, ToolCall, rule, shield, shielded
from abs_shield.core import LAYER_NAMES
from abs_shield.replay import replay
from abs_shield.stores import MemoryStore
from tests.hostile.entry_points import written

GIVE_UP = 20


def judge_act(firewall: Shield, arguments: dict[str, Any] | None = None) -> Decision:
    with firewall.session() as session:
        session.user("Please act.")
        return firewall.check_call(ToolCall("act", arguments or {}))


def make_shield(mode: str = "strict", *, hooks: Any = None, **declared: Any) -> Shield:
    policy = shield.configure(mode=mode, tools=[Tool(name="act")], **declared)
    return Shield(policy, hooks=hooks)


def make_layer(raised: BaseException | None, said: Any = ()) -> Any:
    def mine(proposal: Any, session: Any) -> Any:
        if raised is not None:
            raise raised
        return said

    return mine


BROKEN = {
    "it raises": make_layer(RuntimeError("x" * 1_000_000)),
    "it recurses": make_layer(RecursionError()),
    "it has no memory": make_layer(MemoryError()),
    "it gives a number": make_layer(None, 5),
    "it gives texts": make_layer(None, ["bad"]),
}


@pytest.mark.parametrize("layer", BROKEN.values(), ids=BROKEN)
@pytest.mark.parametrize(("mode", "blocked"), [("strict", True), ("audit", False)])
def test_a_broken_layer_is_an_error_in_the_coverage(layer: Any, mode: str, blocked: bool) -> None:
    """Strict mode blocks the call and audit mode allows it; the other layers still run."""
    decision = judge_act(make_shield(mode, layers=[*LAYER_NAMES, layer]))

    assert ("CLEAN", blocked, True) == (decision.verdict, decision.blocked, decision.would_block)
    assert {*LAYER_NAMES, "mine"} == set(decision.coverage)
    assert "error" == decision.coverage["mine"].outcome
    assert len(decision.to_json()) < 10_000


def test_replay_reports_a_broken_layer(tmp_path: Path) -> None:
    """The decision of every replayed call has the error."""
    policy = make_shield(layers=[*LAYER_NAMES, BROKEN["it raises"]]).policy
    call = {"function": {"name": "act", "arguments": {}}}
    run = {"run_id": "r", "messages": [{"role": "assistant", "tool_calls": [call, call]}]}
    decisions = [
        each.decision for each in replay([written(tmp_path / "r.jsonl", run)], policy=policy)
    ]

    assert [1, 1] == [len(decision.errors) for decision in decisions]


def test_a_hanging_rule_blocks_only_its_own_session() -> None:
    """While the rule of one session waits, calls of another session are judged."""
    go, waits = Event(), Event()

    @rule(tool="act")
    def patient(value: int) -> bool:
        """This rule waits for somebody."""
        if value:
            waits.set()
            return go.wait(GIVE_UP)
        return True

    firewall = make_shield(rules=[patient])
    with ThreadPoolExecutor(1) as pool:
        slow = pool.submit(judge_act, firewall, {"value": 1})
        assert waits.wait(GIVE_UP)
        quick = judge_act(firewall, {"value": 0})
        assert not slow.done()
        go.set()

    assert ("CLEAN", "CLEAN") == (quick.verdict, slow.result().verdict)


def waiting_policy(mode: str) -> tuple[Policy, Event, Event]:
    """Return a policy with a rule that waits, the event it waits for, and one set at its start."""
    go, waits = Event(), Event()

    @rule(tool="act")
    def patient(value: int) -> bool:
        """This rule waits for somebody."""
        waits.set()
        return not value or go.wait(GIVE_UP)

    tools = [Tool(name="act", parameters={"properties": {"value": {"type": "integer"}}})]
    return shield.configure(mode=mode, tools=tools, rules=[patient]), go, waits


def call_in_own_session(firewall: Shield, act: Any, value: int) -> Decision:
    """Call a decorated tool in a new session; return the decision."""
    with firewall.session() as session:
        session.user("Please act.")
        assert value == act(value)
        return session.decisions[0]


@pytest.mark.parametrize("mode", ["strict", "audit"])
def test_a_decorated_tool_waits_only_for_its_own_rule(mode: str) -> None:
    """The tool runs after its rule returns; a call of another session completes meanwhile."""
    policy, go, waits = waiting_policy(mode)
    firewall, ran = Shield(policy, hooks=None), []

    @shielded(firewall)
    def act(value: int) -> int:
        """Act."""
        ran.append(value)
        return value

    with ThreadPoolExecutor(1) as pool:
        slow = pool.submit(call_in_own_session, firewall, act, 1)
        assert waits.wait(GIVE_UP)
        quick = call_in_own_session(firewall, act, 0)
        assert ([0], False) == (ran, slow.done())
        go.set()

    assert ("CLEAN", "CLEAN", [0, 1]) == (quick.verdict, slow.result().verdict, ran)


def test_a_waiting_rule_in_a_replay_does_not_block_live_calls(tmp_path: Path) -> None:
    """A recorded call is decided after its rule returns; live calls are judged meanwhile."""
    policy, go, waits = waiting_policy("strict")
    call = {"function": {"name": "act", "arguments": {"value": 1}}}
    run = {"run_id": "r", "messages": [{"role": "assistant", "tool_calls": [call]}]}
    file = written(tmp_path / "r.jsonl", run)
    with ThreadPoolExecutor(1) as pool:
        slow = pool.submit(lambda: [each.decision for each in replay([file], policy=policy)])
        assert waits.wait(GIVE_UP)
        quick = judge_act(Shield(policy, hooks=None), {"value": 0})
        assert not slow.done()
        go.set()

    assert ["CLEAN", "CLEAN"] == [quick.verdict, *(each.verdict for each in slow.result())]


def test_a_hanging_hook_blocks_only_its_own_session() -> None:
    """While a hook waits in a call of one session, calls of another session are judged."""
    go, waits = Event(), Event()

    def patient(decision: Decision) -> None:
        if decision.tool == "slow":
            waits.set()
            go.wait(GIVE_UP)

    firewall = make_shield(hooks=[patient])
    with ThreadPoolExecutor(1) as pool:
        slow = pool.submit(firewall.check_call, ToolCall("slow", {}))
        assert waits.wait(GIVE_UP)
        quick = judge_act(firewall)
        assert not slow.done()
        go.set()

    assert ("CLEAN", "HALLUCINATED") == (quick.verdict, slow.result().verdict)


@pytest.mark.parametrize("mode", ["strict", "audit"])
def test_a_hook_that_raises_does_not_change_the_decision(
    mode: str, caplog: pytest.LogCaptureFixture
) -> None:
    """The error is logged once, and the next hook is still called."""

    def broken(decision: Decision) -> None:
        raise RuntimeError("\x1b[31mno")

    messages: list[Decision] = []
    firewall = make_shield(mode, hooks=[broken, messages.append])
    decisions = [judge_act(firewall), judge_act(firewall)]

    assert decisions == messages
    assert 1 == sum("raised RuntimeError" in r.getMessage() for r in caplog.records)


def test_a_full_queue_of_a_hook_does_not_affect_calls(caplog: pytest.LogCaptureFixture) -> None:
    """The queue drops what does not fit, the error is logged, and every call is CLEAN."""
    queue: Queue[Decision] = Queue(maxsize=2)
    firewall = make_shield(hooks=[queue.put_nowait])
    verdicts = [judge_act(firewall).verdict for _ in range(4)]

    assert ["CLEAN"] * 4 == verdicts
    assert 2 == queue.qsize()
    assert any(record.exc_info and record.exc_info[0] is Full for record in caplog.records)


class BrokenStore(MemoryStore):
    """A store that raises on every append."""

    def append(self, decision: Decision) -> None:
        raise OSError("no space left")


def test_a_store_that_raises_does_not_change_the_decision(caplog: pytest.LogCaptureFixture) -> None:
    """The failure is logged."""
    caplog.set_level(logging.ERROR)
    firewall = Shield(make_shield().policy, hooks=None, store=BrokenStore())

    assert "CLEAN" == judge_act(firewall).verdict
    assert any("could not store" in record.getMessage() for record in caplog.records)


def test_a_call_stays_blocked_if_its_approver_raises() -> None:
    """The call stays blocked."""

    def broken(decision: Decision) -> bool:
        raise RuntimeError

    policy = shield.configure(on_suspicious="approve", tools=[Tool(name="act")])
    firewall = Shield(policy, hooks=None, approver=broken)
    with firewall.session():
        decision = firewall.check_call(ToolCall("act", {}, logprobs=[-2.0]))

    assert ("SUSPICIOUS", True) == (decision.verdict, decision.blocked)
