"""Sessions with many calls, threads and tasks, and with ids of other sessions."""

from __future__ import annotations

import asyncio
import json
import os
from collections import Counter, deque
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from abs_shield import Session, Shield, Tool, ToolCall, rule, shield, shielded
from abs_shield.replay import replay
from abs_shield.session import Limits
from abs_shield.session.session_record import record_of
from abs_shield.stores import MemoryStore
from tests.hostile.entry_points import written
from tests.subjects import about_calls

LONG = os.environ.get("HYPOTHESIS_PROFILE") == "long"
TOOLS = [
    Tool(name=name, parameters={"type": "object", "properties": {"order_id": {"type": "string"}}})
    for name in ("get_order", "update_order")
]


def make_shield(mode: str = "strict", **declared: Any) -> Shield:
    return Shield(shield.configure(mode=mode, tools=TOOLS, **declared), hooks=None)


def verdict(firewall: Shield, session: Session, order: str) -> str:
    call = ToolCall("get_order", {"order_id": order})
    return firewall.check_call(call, session=session).verdict


# Ids of other sessions ----------------------------------------------------------------------------


def test_an_id_seen_in_one_session_is_unseen_in_another() -> None:
    """A call with an id that only another session mentions is SUSPICIOUS."""
    firewall = make_shield()
    mine, other = firewall.session("mine"), firewall.session("other")
    mine.user("Look at order tx_111111.")
    other.user("Look at order tx_222222.")
    mine.tool_result("get_order", {"order_id": "tx_333333"})

    assert ["CLEAN", "CLEAN"] == [verdict(firewall, mine, f"tx_{n}") for n in (111111, 333333)]
    assert ["SUSPICIOUS"] * 2 == [verdict(firewall, other, f"tx_{n}") for n in (111111, 333333)]


def test_feedback_contains_no_value_of_another_session() -> None:
    """The decision suggests no similar value that only another session mentions."""
    firewall = make_shield()
    secret, other = firewall.session("secret"), firewall.session("other")
    secret.user("Look at order tx_111111.")
    other.user("Look at something.")
    decision = firewall.check_call(
        ToolCall("get_order", {"order_id": "tx_111112"}), session=other
    ).to_json()

    assert "unseen" in decision
    assert "tx_111111" not in decision


def test_a_decorated_tool_is_judged_in_the_current_session() -> None:
    """An id that the user mentioned in another session is SUSPICIOUS."""
    firewall = Shield(shield.configure(tools=TOOLS), hooks=None)

    @shielded(firewall)
    def get_order(order_id: str) -> str:
        """Get an order."""
        return "it is there"

    with firewall.session() as first:
        first.user("Look at order tx_111111.")
        get_order("tx_111111")
    with firewall.session() as second:
        second.user("Look at an order.")
        get_order("tx_111111")
    verdicts = [decision.verdict for run in (first, second) for decision in run.decisions]

    assert ["CLEAN", "SUSPICIOUS"] == verdicts


def test_replay_keeps_the_sessions_of_a_file_apart(tmp_path: Path) -> None:
    """An id is known in its own run and in later runs of the same session only."""
    call = {"function": {"name": "get_order", "arguments": {"order_id": "tx_111111"}}}
    tools = [{"name": "get_order", "parameters": TOOLS[0].parameters}]

    def run(session_id: str, user_text: str) -> dict[str, Any]:
        said_so = {"role": "user", "content": user_text}
        messages = [said_so, {"role": "assistant", "tool_calls": [call]}]
        return {"session_id": session_id, "run_id": user_text, "tools": tools, "messages": messages}

    file = written(
        tmp_path / "runs.jsonl",
        run("a", "Look at order tx_111111."),
        run("b", "Look at an order."),
        run("a", "Look at it again."),
    )

    assert ["CLEAN", "SUSPICIOUS", "CLEAN"] == [each.decision.verdict for each in replay([file])]


# Many calls --------------------------------------------------------------------------------------

SMALL = Limits(keys=800, text=4_000, message=4_000, executed=50, decisions=50)


def container_sizes(root: Any) -> Counter[str]:
    """Return the size of each container in a session, by its path."""
    counts: Counter[str] = Counter()
    calls, left = set(), [(root, "")]
    while left:
        item, way = left.pop()
        if id(item) in calls or isinstance(item, (str, int, float, Shield, type)) or callable(item):
            continue
        calls.add(id(item))
        if isinstance(item, (dict, list, tuple, set, frozenset, deque)):
            counts[way] += len(item)
            inside = item.values() if isinstance(item, dict) else item
            left += [(each, f"{way}[]") for each in inside]
        elif type(item).__module__.startswith("abs_shield"):
            slots = [slot for kind in type(item).__mro__ for slot in getattr(kind, "__slots__", ())]
            names = {*slots, *getattr(item, "__dict__", ())}
            left += [(getattr(item, name, None), f"{way}.{name}") for name in sorted(names)]
    return counts


def after(calls: int, limits: Limits) -> tuple[int, int, tuple[int, ...]]:
    """Return the size of a session after half of *calls* and after all, and its bounded lengths."""
    firewall = Shield(
        shield.configure(tools=TOOLS, limits=limits), hooks=None, store=MemoryStore(100)
    )
    sizes = []
    with firewall.session() as session:
        session.user("Look at all orders.")
        for n in range(1, calls + 1):
            name = ("get_order", "update_order", "no_order")[n % 3]
            call = ToolCall(name, {"order_id": f"tx_{n}"}, f"c{n}" if n % 2 else None, [-0.1])
            if not firewall.check_call(call).blocked:
                firewall.check_result(call, {"order_id": f"or_{n}"}, elapsed_ms=0)
            if n in (calls // 2, calls):
                sizes.append(container_sizes(session).total())
    kept = (len(session.executed), len(session.decisions), len(firewall.store))
    return sizes[0], sizes[1], kept


@pytest.mark.slow
def test_the_size_of_a_session_is_bounded() -> None:
    """After the bounds are reached, twice as many calls make a session at most 10 % larger."""
    half, whole, kept = after(3_000, SMALL)

    assert whole <= 1.1 * half
    assert (50, 50, 100) == kept


TIGHT = Limits(executed=100, decisions=100, keys=500, text=4_096)
"""Bounds that are all reached before 1,000 calls."""


class LargestSizes:
    """
    The largest size of each container of a session in the 250 calls up to each mark.

    In 250 calls, a container that is emptied by half at its bound is full at least once.
    """

    def __init__(self, *marks: int) -> None:
        self.most: dict[int, Counter[str]] = {mark: Counter() for mark in marks}

    def record(self, session: Session, calls: int) -> None:
        for mark, most in self.most.items():
            if mark - 250 < calls <= mark:
                most |= container_sizes(session)


@pytest.mark.slow
@pytest.mark.release
def test_a_session_does_not_grow_after_1_000_decorated_calls() -> None:
    """No container of the session is larger after 2,000 calls than after 1,000."""
    firewall = Shield(
        shield.configure(tools=TOOLS, limits=TIGHT), hooks=None, store=MemoryStore(100)
    )
    scales = LargestSizes(1_000, 2_000)

    @shielded(firewall)
    def get_order(order_id: str) -> dict[str, str]:
        """Get an order."""
        return {"order_id": order_id.replace("tx", "or")}

    with firewall.session() as session:
        for n in range(1, 2_001):
            session.user(f"Look at order tx_{n:06}.")
            get_order(f"tx_{n:06}")
            scales.record(session, n)

    assert scales.most[1_000] == scales.most[2_000]
    assert (100, 100, 100) == (
        len(session.executed), len(session.decisions), len(firewall.store)
    )  # fmt: skip


@pytest.mark.slow
@pytest.mark.release
def test_a_session_does_not_grow_after_1_000_replayed_calls(tmp_path: Path) -> None:
    """No container of the session of a recorded run is larger after 2,000 calls."""
    received: list[Session] = []

    @rule(tool="get_order")
    def sees(session: Session) -> bool:
        """The session is looked at."""
        received[:] = [session]
        return True

    messages: list[dict[str, Any]] = []
    for n in range(1, 2_001):
        call = {"name": "get_order", "arguments": {"order_id": f"tx_{n:06}"}}
        messages += [
            {"role": "user", "content": f"Look at order tx_{n:06}."},
            {"role": "assistant", "tool_calls": [{"id": f"c{n}", "function": call}]},
            {"role": "tool", "tool_call_id": f"c{n}", "content": f"or_{n:06}"},
        ]
    file = written(tmp_path / "r.jsonl", {"run_id": "long", "messages": messages})
    policy = shield.configure(tools=TOOLS, rules=[sees], limits=TIGHT)
    scales = LargestSizes(1_000, 2_000)
    for judged in replay([file], policy=policy):
        scales.record(received[0], judged.call_index + 1)

    assert scales.most[1_000] == scales.most[2_000]
    assert (100, 100) == (len(received[0].executed), len(received[0].decisions))


@pytest.mark.slow
@pytest.mark.skipif(not LONG, reason="takes a minute; set HYPOTHESIS_PROFILE=long")
def test_the_default_bounds_limit_a_session_of_20_000_calls(request: pytest.FixtureRequest) -> None:
    """Twice as many calls make a session at most 50 % larger."""
    half, whole, kept = after(20_000, Limits())

    assert whole <= 1.5 * half < 400_000
    assert (1_000, 1_000, 100) == kept


# Many at once ------------------------------------------------------------------------------------

CALLS = 40


def make_calls(firewall: Shield, session: Session, who: int) -> list[str]:
    """Make some calls for one worker; return the ids of their decisions."""
    ids = []
    for n in range(CALLS):
        call = ToolCall("get_order", {"order_id": f"tx_{who}000{n}"}, f"{who}-{n}")
        decision = firewall.check_call(call, session=session)
        assert (f"{who}-{n}", session.id) == (decision.call_id, decision.session_id)
        firewall.check_result(call, {"order_id": f"or_{who}000{n}"}, elapsed_ms=0, session=session)
        ids.append(decision.id)
    return ids


def user_request(who: int) -> str:
    return "Look at " + ", ".join(f"tx_{who}000{n}" for n in range(CALLS))


@pytest.mark.parametrize("shared", [False, True], ids=["own sessions", "one session"])
def test_8_threads_lose_no_decision_and_mix_no_sessions(shared: bool) -> None:
    """The store has one decision for each call, and every call is CLEAN in its session."""
    firewall = make_shield()
    one = firewall.session("one")
    sessions = [one if shared else firewall.session(f"s{who}") for who in range(8)]
    for who, session in enumerate(sessions):
        session.user(user_request(who))
    with ThreadPoolExecutor(8) as pool:
        ids = [*pool.map(make_calls, [firewall] * 8, sessions, range(8))]
    stored = about_calls(firewall.store)

    assert {each for of_one in ids for each in of_one} == {decision.id for decision in stored}
    assert 8 * CALLS == len(stored) == sum(len(s.executed) for s in {*sessions})
    assert {"CLEAN"} == {decision.verdict for decision in stored}


@pytest.mark.parametrize("shared", [False, True], ids=["own sessions", "one session"])
def test_500_tasks_lose_no_decision_and_mix_no_sessions(shared: bool) -> None:
    """An async tool is judged in the session of its task."""
    firewall = make_shield()

    @shielded(firewall)
    async def get_order(order_id: str) -> str:
        """Get an order."""
        await asyncio.sleep(0)
        return order_id

    async def task(who: int) -> tuple[str, str]:
        session = firewall.session("one" if shared else f"s{who}")
        with session:
            session.user(f"Look at tx_{who}000.")
            await asyncio.sleep(0)
            await get_order(f"tx_{who}000")
            return session.id, await firewall.adispatch(
                "get_order", json.dumps({"order_id": f"tx_{who}000"}), call_id=f"c{who}"
            )

    async def every() -> list[tuple[str, str]]:
        return await asyncio.gather(*map(task, range(500)))

    done = asyncio.run(every())
    stored = about_calls(firewall.store)

    assert [f"tx_{who}000" for who in range(500)] == [value for _, value in done]
    assert 1_000 == len(stored) == len({decision.id for decision in stored})
    assert Counter({name: 2 for name, _ in done} if not shared else {"one": 1_000}) == Counter(
        decision.session_id for decision in stored
    )
    assert {"CLEAN"} == {decision.verdict for decision in stored}


# Many in one turn --------------------------------------------------------------------------------


@pytest.mark.slow
def test_every_call_of_a_turn_of_2_000_calls_is_judged() -> None:
    """Each call has a decision; the number of calls that wait for their dispatch is bounded."""
    firewall = make_shield()
    calls = [ToolCall("update_order", {"order_id": f"tx_{n}"}, f"c{n}") for n in range(2_000)]
    with firewall.session() as session:
        session.user("Update the orders.")
        decisions = firewall.inspect_turn(calls)

        assert 2_000 == len({decision.id for decision in decisions})
        assert 1_000 == len([*record_of(session).pending.decisions()])
    assert 2_000 == len(firewall.store)


def test_a_value_of_the_first_call_is_known_to_the_whole_turn() -> None:
    """A file name that the first call creates is CLEAN in all later calls of the turn."""
    tools = [Tool(name="create_file", parameters={}), Tool(name="read_file", parameters={})]
    firewall = Shield(shield.configure(tools=tools), hooks=None)
    calls = [ToolCall("create_file", {"filename": "plan_x91.md"})]
    calls += [ToolCall("read_file", {"filename": f"plan_x{n}.md"}) for n in (91, 92) * 300]
    with firewall.session() as session:
        session.user("Make a plan.")
        results = [decision.verdict for decision in firewall.inspect_turn(calls)]

    assert ["CLEAN", *(["CLEAN", "SUSPICIOUS"] * 300)] == results
