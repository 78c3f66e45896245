"""Behaviour common to all adapters: the session of a step, its tools, its messages."""

from __future__ import annotations

from typing import Annotated, Any

import pytest
from pydantic import Field
from typing_extensions import TypedDict

from abs_shield import CallBlocked, Session, Shield, Target, Tool, ToolCall, shield, shielded
from abs_shield.plan import ToolPlan
from abs_shield.session.session_record import record_of
from abs_shield.shield.adapter_session import AdapterSession

REFUND = {"name": "refund", "parameters": {"properties": {"amount": {"type": "number"}}}}
LOOK_UP = {"name": "look_up", "parameters": {"properties": {"order_id": {"type": "string"}}}}


@pytest.fixture
def adapter() -> AdapterSession:
    return AdapterSession(Shield(shield.configure(mode="strict")))


def test_a_fixed_session_is_used_at_every_step(adapter):
    """It takes precedence over the current session and that of the conversation."""
    session, current = Session(), Session()
    with current:
        assert session is AdapterSession(adapter.firewall, session).session("conversation")
        assert current is adapter.session("conversation")
    assert adapter.session("conversation") is adapter.session("conversation")
    assert adapter.session() is not adapter.session()


def test_a_step_sets_the_ids_of_the_framework(adapter):
    """Ids that a step does not pass are unchanged."""
    adapter.session("c", run="run_1", agent="clerk", model="m")
    session = adapter.session("c", agent="boss")
    assert ("c", "run_1", "boss", "m") == (session.id, session.run_id, session.agent, session.model)


def test_a_run_inside_a_tool_has_a_session_of_its_own():
    """It reads the values of its parent, whether that session is fixed or current."""
    session = Session()
    adapter = AdapterSession(Shield(shield.configure()), session)
    with session:
        inner = adapter.session("inner", parent=session)

    assert ("inner", session) == (inner.id, inner.parent)
    assert inner is adapter.session("inner", parent=session)


def test_only_what_is_offered_may_be_called(adapter):
    """Another agent of the same run is offered other tools."""
    session = adapter.session("c")
    adapter.offer(session, [REFUND, LOOK_UP])
    adapter.offer(session, [LOOK_UP])
    decision = adapter.firewall.check_call(ToolCall("refund", {"amount": 1}), session=session)
    assert ["unavailable_tool"] == [finding.code for finding in decision.findings]


def test_a_tool_is_compiled_once_a_schema(adapter):
    """A tool is compiled again only if its schema changes."""
    session = adapter.session("c")
    first = plan_after_offer(adapter, session, REFUND)
    assert first is plan_after_offer(adapter, session, dict(REFUND))
    assert first is plan_after_offer(adapter, adapter.session("another"), dict(REFUND))

    changed = {**REFUND, "parameters": {"properties": {"sum": {"type": "number"}}}}
    assert first is not plan_after_offer(adapter, session, changed)


def plan_after_offer(
    adapter: AdapterSession, session: Session, tool: dict[str, Any]
) -> ToolPlan | None:
    """Return the plan by which a session is judged after one tool was offered."""
    adapter.offer(session, [tool])
    return adapter.firewall.registry.of(session).plan(tool["name"])


def test_changed_hints_apply(adapter):
    """A server may mark a tool as destructive later."""
    session = adapter.session("c")
    assert not plan_after_offer(adapter, session, REFUND).tool.destructive

    changed = plan_after_offer(
        adapter, session, {**REFUND, "annotations": {"destructiveHint": True}}
    )
    assert changed.tool.destructive


def test_two_models_are_offered_tools_of_one_name(adapter):
    """Each session is judged by the description that its own model read."""
    text, number = ({"name": "find", "parameters": schema("query", kind)} for kind in KINDS)
    one, other = adapter.session("one"), adapter.session("other")
    for _ in range(3):
        adapter.offer(one, [text])
        adapter.offer(other, [number])
        assert [] == finding_codes(adapter, one, {"query": "x"})
        assert [] == finding_codes(adapter, other, {"query": 4})
        assert ["wrong_type"] == finding_codes(adapter, other, {"query": "x"})


def test_feedback_does_not_contain_schemas_of_other_sessions(adapter):
    """A schema may contain a tenant's accounts; feedback to another tenant does not."""
    sessions = {}
    for tenant in ("ACME", "GLOBEX"):
        accounts = [f"{tenant}-{n}" for n in range(3)]
        sessions[tenant] = adapter.session(tenant)
        tool = {"name": "pay", "parameters": {"properties": {"account": {"enum": accounts}}}}
        adapter.offer(sessions[tenant], [tool])

    decision = adapter.firewall.check_call(
        ToolCall("pay", {"account": "ACME-9"}), session=sessions["ACME"]
    )
    assert ["ACME-0", "ACME-1", "ACME-2"] == decision.feedback()["problems"][0]["allowed"]
    assert [] == finding_codes(adapter, sessions["GLOBEX"], {"account": "GLOBEX-1"}, tool="pay")


def test_an_offer_never_loosens_a_declaration(adapter):
    """A framework's description has neither the marks nor the constraints of the function."""

    @shielded(adapter.firewall)
    def pay(account: Annotated[str, Target(must_be_seen=True)], amount: Annotated[int, LIMIT]):
        return "paid"

    loose = {"account": {"type": "string"}, "amount": {"type": "integer"}}
    session = adapter.session("c")
    bob = {"account": "acct_bob", "amount": 5}
    session.user("Pay acct_bob 5.")
    adapter.offer(session, [{"name": "pay", "parameters": {"properties": loose}}])

    assert ["unseen"] == finding_codes(
        adapter, session, {"account": "acct_eve", "amount": 5}, tool="pay"
    )
    assert ["out_of_range"] == finding_codes(adapter, session, bob | {"amount": 50}, tool="pay")
    assert [] == finding_codes(adapter, session, bob, tool="pay")
    with session, pytest.raises(CallBlocked):
        pay("acct_eve", 5)


def test_injected_and_added_parameters_are_accepted(adapter):
    """A framework hides a context parameter, and adds a parameter for a reason."""

    @shielded(adapter.firewall)
    def find(query: str, runtime: str, limit: int):
        return query

    described = {"query": {"type": "string"}, "why": {"type": "string"}, "limit": {"default": 3}}
    session = adapter.session("c")
    adapter.offer(session, [{"name": "find", "parameters": {"properties": described}}])

    assert [] == finding_codes(adapter, session, {"query": "x", "why": "asked"})


def test_a_flattened_argument_is_accepted_inside(adapter):
    """A framework may offer the fields of a function's only argument as parameters."""

    @shielded(adapter.firewall)
    def book(order: Order) -> str:
        return order["hotel"]

    session = adapter.session("c")
    session.user("Book the Alder.")
    adapter.offer(session, [{"name": "book", "parameters": schema("hotel", "string")}])
    with session, adapter.firewall.guard(ToolCall("book", {"hotel": "Alder"})) as guard:
        guard.value = book({"hotel": "Alder"})

    assert "Alder" == guard.value


KINDS = ("string", "integer")
LIMIT = Field(le=10)


class Order(TypedDict):
    """The only argument of a tool."""

    hotel: str


def schema(name: str, kind: str) -> dict[str, Any]:
    """Return the schema of one required argument."""
    return {"type": "object", "properties": {name: {"type": kind}}, "required": [name]}


def finding_codes(
    adapter: AdapterSession, session: Session, arguments: dict[str, Any], *, tool: str = "find"
) -> list[str]:
    """Return the codes of the findings about a call."""
    decision = adapter.firewall.check_call(ToolCall(tool, arguments), session=session)
    return [finding.code for finding in decision.findings]


def test_the_policy_refines_an_offered_tool():
    """The framework has the schema, and the policy marks the tool as destructive."""
    tool = Tool(name="refund", destructive=True)
    adapter = AdapterSession(Shield(shield.configure(tools=[tool])))
    adapter.offer(adapter.session("c"), [REFUND])
    session = adapter.session("c")
    assert adapter.firewall.registry.of(session).plan("refund").tool.destructive


@pytest.mark.parametrize("odd", [None, 7, {}, {"name": ""}, {"type": "web_search"}, object()])
def test_an_object_that_is_not_a_tool_is_skipped(adapter, odd):
    """Hosted tools have no schema."""
    session = adapter.session("c")
    adapter.offer(session, [odd, REFUND])
    assert frozenset({"refund"}) == session.tools


@pytest.mark.parametrize("odd", [None, 7, {}, {"role": "narrator"}, {"role": "user", "content": 7}])
def test_unreadable_messages_are_recorded_as_not_read(adapter, odd):
    """The rest of the conversation is recorded once."""
    state: list[Any] = [odd, {"role": "user", "content": "Refund tx_1."}]
    session = adapter.session("c")
    adapter.add_messages(session, state)
    adapter.add_messages(session, state)
    assert 1 == session.turns
    assert 1 == len(record_of(session).opaque_reasons)
    assert session.origin("tx_9").source == "unknown"


def test_a_tool_without_a_schema_keeps_the_one_it_has(adapter):
    """A tool that the framework offers without a schema has its registered schema."""
    session = adapter.session("c")
    adapter.firewall.register(REFUND)
    adapter.offer(session, [{"name": "refund"}])
    decision = adapter.firewall.check_call(ToolCall("refund", {"amount": "much"}), session=session)
    assert ["wrong_type"] == [finding.code for finding in decision.findings]


def test_an_offer_does_not_extend_the_hosts_grant():
    """A framework may offer more tools than the session may call."""
    firewall = Shield(shield.configure(mode="strict"))
    adapter = AdapterSession(firewall, firewall.session(tools=["look_up"]))
    for _ in range(2):
        adapter.offer(adapter.session(), [REFUND, LOOK_UP])
    assert frozenset({"look_up"}) == adapter.session().tools


@pytest.mark.parametrize(
    ("odd", "code"),
    [
        ({"name": "refund", "parameters": 5}, None),
        ({"name": "refund", "parameters": ["amount"]}, None),
        ({"name": "x" * 600, "parameters": {}}, "unavailable"),
        ({"name": "refund\ud800", "parameters": {}}, "unavailable"),
    ],
)
def test_an_invalid_tool_does_not_stop_a_run(adapter, caplog, odd, code):
    """The error is logged once."""
    session = adapter.session("c")
    for _ in range(2):
        adapter.offer(session, [odd, LOOK_UP])
    assert 1 == len(
        [r for r in caplog.records if "cannot use the declaration of an offered tool" in r.message]
    )

    assert adapter.firewall.check_call(ToolCall("look_up", {}), session=session).blocked is False
    decision = adapter.firewall.check_call(ToolCall(odd["name"], {}), session=session)
    assert decision.blocked is (code is not None)


def test_a_sessions_own_function_is_not_described_to_others(adapter):
    """The functions of a session are available only in that session."""

    def look_up(order_id: str) -> str:
        return order_id

    firewall = adapter.firewall
    with firewall.session(functions=[look_up]) as session:
        adapter.offer(session, [LOOK_UP, REFUND])
        session.user("Order W1?")
        assert "W1" == firewall.dispatch("look_up", {"order_id": "W1"})

    assert frozenset({"look_up", "refund"}) == session.tools
    assert set() == {*firewall.registry}
