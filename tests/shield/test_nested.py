"""A tool that calls another shielded tool from code: the call is not a proposal of the model."""

from __future__ import annotations

import asyncio
import contextvars
from contextlib import suppress
from threading import Thread
from typing import Annotated

import pytest

from abs_shield import CallBlocked, Free, Shield, Target, ToolCall, rule, shield, shielded
from abs_shield.shield.adapter_session import AdapterSession
from tests.subjects import about_calls


@rule(tool="inner")
def small(amount):
    """An inner amount is at most 500."""
    return amount <= 500


@pytest.fixture
def firewall(suspect):
    """Return a Shield with a custom layer that suspects negative amounts."""
    layers = ["phantom_tool", "parameter_mismatch", "impossible_state", "confidence_drop", suspect]
    return Shield(shield.configure(layers=layers, rules=[small]))


@pytest.fixture
def tools(firewall):
    """Return two tools; ``outer`` calls ``inner`` with its own argument."""

    @shielded(firewall)
    def inner(amount: float) -> float:
        return amount

    @shielded(firewall)
    def outer(amount: float) -> float:
        return inner(amount) + 1

    return outer, inner


def test_an_inner_call_is_judged_by_schema_and_rules_only(firewall, tools):
    """The other layers are unavailable, with the reason `nested`."""
    with firewall.session() as session:
        tools[0](5)
    inner = next(d for d in session.decisions if d.tool == "inner")

    assert {"phantom_tool", "confidence_drop", "suspect"} == {
        name for name, coverage in inner.coverage.items() if coverage.reason == "nested"
    }
    assert {"ran"} == {
        inner.coverage[n].outcome for n in ("parameter_mismatch", "impossible_state")
    }


def test_a_rule_stops_an_inner_call(tools):
    """A rule applies to every caller."""
    with pytest.raises(CallBlocked, match="at most 500") as blocked:
        tools[0](600)

    assert "inner" == blocked.value.decision.tool


def test_a_nested_call_is_executed_and_its_result_not_read(firewall, tools):
    """It is in the history as nested; the model did not read its result."""
    with firewall.session() as session:
        tools[0](5)

    assert [("inner", True), ("outer", False)] == [(e.tool, e.nested) for e in session.executed]
    assert ["outer"] == [e.event.name for e in session.entries() if hasattr(e.event, "value")]


def test_a_call_after_the_outer_call_is_not_nested(firewall, tools):
    """The context is unmarked when the tool ends or raises."""
    with firewall.session() as session:
        with pytest.raises(CallBlocked):
            tools[0](600)
        tools[1](-1)

    assert ["suspect"] == [f.check for f in session.decisions[-1].findings]


def test_a_nested_call_does_not_consume_the_proposal_of_another(firewall, tools):
    """A proposal of ``inner`` with other arguments stays pending."""
    with firewall.session() as session:
        firewall.inspect_turn([ToolCall("outer", {"amount": 5}), ToolCall("inner", {"amount": 7})])
        tools[0](5)
        tools[1](7)

    assert ["outer", "inner", "inner"] == [d.tool for d in session.decisions]
    assert [False, True] == [e.nested for e in session.executed if e.tool == "inner"][::-1]


def test_an_async_tool_nests(firewall):
    """A task that a tool starts is inside the tool."""

    @shielded(firewall)
    async def inner(amount: float) -> float:
        return amount

    @shielded(firewall)
    async def outer(amount: float) -> float:
        return sum(await asyncio.gather(inner(amount), inner(amount)))

    async def run():
        async with firewall.session() as session:
            await outer(-1)
        return session

    decisions = asyncio.run(run()).decisions

    assert [("outer", 1), ("inner", 0), ("inner", 0)] == [
        (d.tool, len(d.findings)) for d in decisions
    ]


def test_a_step_of_a_generator_is_inside_the_tool(firewall, tools):
    """Calls of the host between its steps are not nested."""

    @shielded(firewall)
    def stream(amount: float):
        yield tools[1](amount)
        yield tools[1](amount)

    with firewall.session() as session:
        items = stream(-1)
        next(items)
        tools[1](-2)
        list(items)

    findings = [len(d.findings) for d in session.decisions if d.tool == "inner"]

    assert [0, 1, 0] == findings


def test_a_sub_agent_inside_a_tool_is_judged_in_full(firewall, tools):
    """An agent inside a tool has its own session; its calls are proposals."""

    @shielded(firewall)
    def delegate() -> str:
        with firewall.session() as sub:
            tools[1](-1)
        return sub.decisions[0].verdict

    assert "SUSPICIOUS" == delegate()


def test_a_sub_agent_with_an_explicit_session_is_judged_in_full(firewall):
    """``session=child`` inside a tool belongs to the sub-agent."""
    parent = firewall.session()

    @shielded(firewall)
    def delegate() -> bool:
        return firewall.check_call(ToolCall("invented", {}), session=parent.child()).blocked

    with parent:
        assert delegate() is True


def test_a_thread_with_its_own_context_is_not_inside(firewall, tools):
    """A thread that a tool starts without its context is not part of the tool."""
    calls = []

    @shielded(firewall)
    def starts_a_thread() -> None:
        def work():
            with firewall.session() as session:
                tools[1](-1)
            calls.append(session.decisions[0].verdict)

        thread = Thread(target=contextvars.Context().run, args=(work,))
        thread.start()
        thread.join()

    starts_a_thread()

    assert ["SUSPICIOUS"] == calls


def test_without_a_session_an_inner_call_is_nested_too(firewall, tools):
    """Without a shared session, the inner call is still not a proposal."""
    tools[0](-1)
    inner = next(d for d in about_calls(firewall.store) if d.tool == "inner")

    assert "nested" == inner.coverage["suspect"].reason


def test_a_nested_run_counts_beside_a_run_of_its_own(make_shield):
    """A nested call is recorded in addition to an earlier call of the same tool."""
    firewall = make_shield()

    @shielded(firewall)
    def look(n: int) -> int:
        return n

    @shielded(firewall)
    def act(n: int) -> int:
        return look(n)

    with firewall.session() as session:
        look(1)
        act(2)

    assert [("look", False), ("look", True), ("act", False)] == [
        (call.tool, call.nested) for call in session.executed
    ]
    assert session.did("look", n=2)


# A tool that only a framework describes, around a decorated function ------------------------------

OFFERED = {"type": "object", "properties": {"to": {"type": "string"}, "note": {"type": "string"}}}


def offer_session(firewall, session, name="send_money"):
    """Return a session in which a framework offers a tool of that name."""
    session.user("Please pay Bob Miller.")
    AdapterSession(firewall).offer(session, [{"name": name, "inputSchema": OFFERED}])


@pytest.fixture
def payments():
    """Return a Shield, its decorated tool, and the list of payees."""
    firewall, paid = Shield(shield.configure(mode="strict")), []

    @shielded(firewall)
    def pay(payee: Annotated[str, Target(must_be_seen=True)], rows: int = 0) -> str:
        paid.append(payee)
        return "paid"

    return firewall, pay, paid


@pytest.mark.parametrize("name", ["send_money", "pay"])
def test_values_of_the_model_are_judged_in_a_nested_decorated_tool(payments, name):
    """The mark applies even if the framework renames the tool or its argument."""
    firewall, pay, paid = payments
    session = firewall.session()
    offer_session(firewall, session, name)
    call = ToolCall(name, {"to": "Mallory Jones"}, "c1")
    with pytest.raises(CallBlocked) as blocked, firewall.guard(call, session=session):
        pay("Mallory Jones")

    assert [] == paid
    assert (name, ["unseen"]) == (
        blocked.value.decision.tool,
        [finding.code for finding in blocked.value.decision.findings],
    )
    assert [True] == [executed.error for executed in session.executed]


@pytest.mark.parametrize("parameter", ["account_id", "recipient"])
def test_a_suspicion_of_the_outer_call_does_not_replace_the_mark_of_the_function(
    payments, parameter
):
    """The value is SUSPICIOUS by the framework's schema, and HALLUCINATED by the author's mark."""
    firewall, pay, paid = payments
    session = firewall.session()
    session.user("Please pay Bob Miller.")
    schema = {"type": "object", "properties": {parameter: {"type": "string"}}}
    AdapterSession(firewall).offer(session, [{"name": "send_money", "inputSchema": schema}])
    call = ToolCall("send_money", {parameter: "tx_99999"}, "c1")

    with pytest.raises(CallBlocked), firewall.guard(call, session=session):
        pay("tx_99999")

    outer = session.decisions[0]
    assert ("SUSPICIOUS", ["unseen"]) == (outer.verdict, [one.code for one in outer.findings])
    assert [] == paid


def test_a_tool_that_swallows_the_block_is_answered_with_it(payments):
    """The model receives the feedback instead of the tool's result."""
    firewall, pay, _ = payments
    session = firewall.session()
    offer_session(firewall, session)
    guard = firewall.guard(ToolCall("send_money", {"to": "Mallory Jones"}, "c1"), session=session)
    guard.__enter__()
    with suppress(CallBlocked):
        pay("Mallory Jones")
    guard.value = "an error happened"

    with pytest.raises(CallBlocked) as blocked:
        guard.__exit__(None, None, None)

    assert "Mallory" in blocked.value.decision.explain()


def test_values_of_the_tools_own_code_are_not_judged(payments):
    """A payee that the tool looked up was not written by the model."""
    firewall, pay, paid = payments
    session = firewall.session()
    offer_session(firewall, session)
    with firewall.guard(ToolCall("send_money", {"to": "Bob Miller"}, "c1"), session=session):
        pay("Robert Miller, account 4711")
    inner = next(d for d in session.decisions if d.tool == "pay")

    assert ["Robert Miller, account 4711"] == paid
    assert "nested" == inner.coverage["phantom_target"].reason


def test_calls_of_a_declared_tool_are_not_proposals(payments):
    """The nested calls of a decorated or registered function are the host's."""
    firewall, pay, paid = payments

    @shielded(firewall)
    def send_money(to: Annotated[str, Free()]) -> str:
        return pay(to)

    with firewall.session() as session:
        session.user("Please pay Bob Miller.")
        send_money("Mallory Jones")

    assert ["Mallory Jones"] == paid


def test_one_finding_is_not_reported_twice():
    """The outer call already has an equal finding."""
    firewall = Shield(shield.configure(mode="strict"))

    @shielded(firewall)
    def refund(transaction_id: str) -> str:
        return transaction_id

    session = firewall.session()
    session.user("Please refund tx_12345.")
    schema = {"type": "object", "properties": {"transaction_id": {"type": "string"}}}
    AdapterSession(firewall).offer(session, [{"name": "give_back", "inputSchema": schema}])
    call = ToolCall("give_back", {"transaction_id": "tx_99999"}, "c1")
    with firewall.guard(call, session=session):
        refund("tx_99999")

    assert [("give_back", 1), ("refund", 0)] == [
        (decision.tool, len(decision.findings)) for decision in session.decisions
    ]


def test_tools_of_a_session_do_not_narrow_what_a_tool_calls(firewall, tools):
    """The model may call only one tool; a rule still judges the nested call."""
    with firewall.session(tools=["outer"]), pytest.raises(CallBlocked, match="at most 500"):
        tools[0](600)


def test_a_tool_decorated_without_a_shield_has_that_of_the_running_call():
    """The session of a framework's run is used, even if none is current."""
    firewall = Shield(shield.configure(mode="strict"))

    @shielded
    def pay_without_a_shield(payee: Annotated[str, Target(must_be_seen=True)]) -> str:
        return "paid"

    session = firewall.session()
    offer_session(firewall, session)
    call = ToolCall("send_money", {"to": "Mallory Jones"}, "c1")
    with pytest.raises(CallBlocked) as blocked, firewall.guard(call, session=session):
        pay_without_a_shield("Mallory Jones")

    assert "Mallory" in blocked.value.decision.explain()


def test_a_call_of_the_model_in_a_task_of_a_tool_that_ended_is_judged(payments):
    """The task has the tool's context; calls of its own code are still nested."""
    firewall, pay, paid = payments
    session = firewall.session()
    tasks = []

    async def later(payee, call_id):
        await asyncio.sleep(0)
        if call_id is None:
            return pay(payee)
        return await firewall.adispatch("pay", {"payee": payee}, call_id=call_id, session=session)

    @shielded(firewall)
    async def start(payee: Annotated[str, Free()], call_id: str | None = None) -> str:
        tasks.append(asyncio.create_task(later(payee, call_id)))
        return "started"

    async def run():
        async with session:
            session.user("Start it.")
            await start("Robert Miller, account 4711")
            await tasks.pop()
            await start("Mallory Jones", "c2")
            await tasks.pop()

    with pytest.raises(CallBlocked):
        asyncio.run(run())
    assert ["Robert Miller, account 4711"] == paid
