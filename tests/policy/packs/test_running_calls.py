"""Rules about earlier calls, with concurrent calls: limits count them, requirements do not."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import AsyncIterator
from contextvars import copy_context
from threading import Barrier, Thread
from typing import Any

import pytest

from abs_shield import CallBlocked, Shield, ToolCall, shield, shielded
from abs_shield.policy import Rule
from abs_shield.policy.packs import cloud, customer_service, money
from abs_shield.session.session_context import stop_running
from abs_shield.session.session_record import record_of

ONCE = customer_service.once(tool="refund", same="order")
PAID = customer_service.refund_at_most_what_was_paid(
    "get_order", tool="refund", same={"order": "id"}
)
LIMIT = money.in_all_at_most(10, tool="refund")


def firewall(*rules: Rule, mode: str = "strict") -> Shield:
    """Return a Shield whose tools wait, so that calls of one message overlap; amount 0 fails."""
    made = Shield(shield.configure(mode=mode, rules=rules), hooks=None)

    async def refund(order: str, amount: float) -> str:
        """Refund an order."""
        await asyncio.sleep(0)
        if not amount:
            raise OSError("no connection")
        return "done"

    async def get_order(id: str) -> dict[str, Any]:
        """Look an order up."""
        await asyncio.sleep(0)
        return {"total": 10}

    async def apply(plan: str, dry_run: bool) -> str:
        """Apply a plan."""
        await asyncio.sleep(0)
        return "done"

    for tool in (refund, get_order, apply):
        made.register(tool)
    return made


def refund(amount: float = 10, order: str = "o1") -> tuple[str, dict[str, Any]]:
    return "refund", {"order": order, "amount": amount}


ORDER = ("get_order", {"id": "o1"})


def run_turns(
    made: Shield, *turns: list[tuple[str, dict[str, Any]]], ids: bool = True
) -> list[bool]:
    """Return for each call whether it was admitted; the calls of one turn run concurrently."""

    async def dispatch(number: int, name: str, arguments: dict[str, Any]) -> bool:
        try:
            await made.adispatch(name, arguments, call_id=f"c{number}" if ids else None)
        except CallBlocked:
            return False
        except OSError:
            return True
        return True

    async def run() -> list[bool]:
        answers: list[bool] = []
        async with made.session() as session:
            session.user("Please refund order o1 and o2, 10 dollars each.")
            for turn in turns:
                calls = [dispatch(len(answers) + n, *call) for n, call in enumerate(turn)]
                answers += await asyncio.gather(*calls)
        return answers

    return asyncio.run(run())


@pytest.mark.parametrize("ids", [True, False])
@pytest.mark.parametrize("rule", [ONCE, PAID, LIMIT], ids=lambda rule: rule.name)
def test_a_limit_counts_the_calls_that_run(rule: Rule, ids: bool) -> None:
    """Of three concurrent refunds one passes, and later ones are blocked as well."""
    made = firewall(rule)

    assert [True, True, False, False, False] == run_turns(made, [ORDER], [refund()] * 3, [refund()])


def test_a_limit_counts_calls_about_the_same_entity() -> None:
    """Another order is another refund."""
    assert [True, True] == run_turns(firewall(ONCE), [refund(), refund(order="o2")])
    assert [True, True, False] == run_turns(firewall(LIMIT), [refund(4), refund(6), refund(1)])


@pytest.mark.parametrize("rule", [ONCE, PAID, LIMIT], ids=lambda rule: rule.name)
def test_a_retry_passes_after_a_failure(rule: Rule) -> None:
    """Neither the failed call counts, nor the one that was blocked at the same time."""
    turns = [ORDER], [refund(0), refund()], [refund()], [refund()]
    beside = rule is not ONCE  # the one that fails moves nothing, but it is a refund

    assert [True, True, beside, not beside, False] == run_turns(firewall(rule), *turns)


@pytest.mark.parametrize(
    ("rule", "calls"),
    [
        (customer_service.verified_first("get_order", tool="refund"), [ORDER, refund()]),
        (
            cloud.not_production_without("get_order", tool="apply", parameter="plan"),
            [ORDER, ("apply", {"plan": "prod", "dry_run": False})],
        ),
        (
            cloud.dry_run_first(tool="apply"),
            [("apply", {"plan": "p", "dry_run": flag}) for flag in (True, False)],
        ),
    ],
    ids=lambda value: getattr(value, "name", ""),
)
def test_a_requirement_is_met_by_a_call_that_returned(rule: Rule, calls: list[Any]) -> None:
    """A call that is still running has not verified anything."""
    assert [True, False, True] == run_turns(firewall(rule), calls, calls[1:])


def test_audit_blocks_none_of_them() -> None:
    """Every call runs, and strict mode would block all but the first."""
    made = firewall(ONCE, mode="audit")
    would_block: list[bool] = []
    made.lifecycle.hooks = (lambda decision: would_block.append(decision.would_block),)

    assert [True] * 3 == run_turns(made, [refund()] * 3)
    assert [False, True, True] == would_block[:3]


def test_the_reason_mentions_the_running_call() -> None:
    """The model learns that the call may succeed later."""
    made, beside = firewall(ONCE), copy_context()
    with made.session() as session, made.guard(ToolCall(*refund())):
        decision = beside.run(made.check_call, ToolCall(*refund()), session=session)

    assert "once for each `order`. It is running." in decision.explain()
    assert () == session.running


def test_a_call_does_not_count_against_itself() -> None:
    """The decorated function of a call is called from Python, as frameworks do."""
    made = Shield(shield.configure(rules=[ONCE]), hooks=None)

    @shielded(made)
    def refund(order: str, amount: float) -> str:
        """Refund an order."""
        return "done"

    call = ToolCall("refund", {"order": "o1", "amount": 10}, "c1")
    with made.session() as session, made.guard(call) as guard:
        running = session.running
        guard.value = refund("o1", 10)

    assert () == running
    assert "done" == guard.value


def test_nested_calls_count_each_other() -> None:
    """A nested call counts as well."""
    made = Shield(shield.configure(rules=[ONCE]), hooks=None)

    @shielded(made)
    async def refund(order: str) -> str:
        """Refund an order."""
        await asyncio.sleep(0)
        return "done"

    @shielded(made)
    async def refund_all(orders: list[str]) -> list[str]:
        """Refund several orders."""
        answers = await asyncio.gather(*map(refund, orders), return_exceptions=True)
        return [type(answer).__name__ for answer in answers]

    async def run() -> list[str]:
        async with made.session():
            return await refund_all(["o1", "o2", "o1"])

    assert ["str", "str", "CallBlocked"] == asyncio.run(run())


def test_threads_count_each_other() -> None:
    """A call is judged and started in one step, so that two threads cannot both be first."""
    made = Shield(shield.configure(rules=[ONCE]), hooks=None)
    blocked: list[bool] = []
    gate = Barrier(4)

    def refund(order: str) -> str:
        """Refund an order."""
        return "done"

    made.register(refund)
    session = made.session()

    def work() -> None:
        guard = made.guard(ToolCall("refund", {"order": "o1"}), session=session)
        gate.wait()
        try:
            guard.__enter__()
            blocked.append(False)
        except CallBlocked:
            blocked.append(True)
        gate.wait()

    threads = [Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert [False, True, True, True] == sorted(blocked)


def test_a_deleted_guard_does_not_count() -> None:
    """Neither a deleted guard nor a call that waits for an approval is running."""
    made = firewall(ONCE)
    with made.session() as session:
        made.guard(ToolCall(*refund())).__enter__()
        gc.collect()
        dropped = session.running
        with made.guard(ToolCall(*refund(order="o2"), "c2")) as guard:
            guard.suspend()

    assert ((), ()) == (dropped, session.running)


def test_a_paused_call_goes_on() -> None:
    """A call is not running while a framework asks for an approval."""
    made = firewall(ONCE)
    with made.session():
        guard = made.guard(ToolCall(*refund(), "c1"))
        guard.__enter__()
        guard.pause()
        paused = made.check_call(ToolCall(*refund()))
        stop_running(guard.resume())
        resumed = made.check_call(ToolCall(*refund()))
        guard.__exit__(None, None, None)

    assert [False, True] == [paused.blocked, resumed.blocked]


def test_a_stream_runs_until_it_ends() -> None:
    """The call of a generator runs until the generator ends."""
    made = Shield(shield.configure(), hooks=None)

    @shielded(made)
    async def quotes(of: str) -> AsyncIterator[str]:
        """Quotes."""
        yield "1"
        yield "2"

    async def run() -> list[list[str]]:
        seen = []
        async with made.session() as session:
            async for _ in quotes("ACME"):
                seen.append([call.tool for call in session.running])
            seen.append([call.tool for call in session.running])
        return seen

    assert [["quotes"], ["quotes"], []] == asyncio.run(run())


def test_an_approved_call_is_running() -> None:
    """A call that a person approves counts as running."""
    made = Shield(
        shield.configure(on_suspicious="approve"), hooks=None, approver=lambda decision: True
    )
    made.register({"name": "refund", "parameters": {"properties": {"order_id": {}}}})
    beside, session = copy_context(), made.session()
    session.user("Please refund my order.")
    with made.guard(ToolCall("refund", {"order_id": "ord_99999"}), session=session) as guard:
        running = beside.run(lambda: session.running)

    assert ("granted", "refund") == (guard.decision.approval, *[call.tool for call in running])


def test_the_calls_of_dropped_guards_are_forgotten() -> None:
    """A guard that is never left keeps nothing in its session, however many there are."""
    made = firewall()
    with made.session() as session:
        for n in range(200):
            # In a context of its own, as the context of a call refers to it.
            copy_context().run(made.guard(ToolCall(*refund(order=f"o{n}"), f"c{n}")).__enter__)
        gc.collect()
        made.guard(ToolCall(*refund(order="o"), "c")).__enter__()

        assert 200 > len(record_of(session).running._calls)
