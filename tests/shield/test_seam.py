"""What all adapters share: whose session a step belongs to, its tools, what was said."""

from __future__ import annotations

from typing import Any

import pytest

from abs_shield import Session, Shield, Tool, ToolCall, shield
from abs_shield.shield.seam import Seam

REFUND = {"name": "refund", "parameters": {"properties": {"amount": {"type": "number"}}}}
LOOK_UP = {"name": "look_up", "parameters": {"properties": {"order_id": {"type": "string"}}}}


@pytest.fixture
def seam() -> Seam:
    return Seam(Shield(shield.configure(mode="strict")))


def test_a_given_session_is_every_steps(seam):
    """It comes before the current one, and before the conversation's."""
    given, current = Session(), Session()
    with current:
        assert given is Seam(seam.firewall, given).session("conversation")
        assert current is seam.session("conversation")
    assert seam.session("conversation") is seam.session("conversation")
    assert seam.session() is not seam.session()


def test_a_step_carries_the_frameworks_ids(seam):
    """What a step does not say stays as it was."""
    seam.session("c", run="run_1", agent="clerk", model="m")
    session = seam.session("c", agent="boss")
    assert ("c", "run_1", "boss", "m") == (session.id, session.run_id, session.agent, session.model)


def test_a_run_inside_a_tool_has_a_session_of_its_own():
    """It knows what its parent saw, whether the parent's session was given, or is current."""
    given = Session()
    seam = Seam(Shield(shield.configure()), given)
    with given:
        inner = seam.session("inner", parent=given)

    assert ("inner", given) == (inner.id, inner.parent)
    assert inner is seam.session("inner", parent=given)


def test_only_what_is_offered_may_be_called(seam):
    """Another agent of the same run is offered other tools."""
    session = seam.session("c")
    seam.offer(session, [REFUND, LOOK_UP])
    seam.offer(session, [LOOK_UP])
    decision = seam.firewall.check_call(ToolCall("refund", {"amount": 1}), session=session)
    assert ["unavailable_tool"] == [finding.code for finding in decision.findings]


def test_a_tool_is_compiled_once_a_schema(seam):
    """Steps come by the thousand; a schema that changes is taken in."""
    session = seam.session("c")
    seam.offer(session, [REFUND])
    first = seam.firewall.registry["refund"].plan
    seam.offer(session, [dict(REFUND)])
    assert first is seam.firewall.registry["refund"].plan

    seam.offer(session, [{**REFUND, "parameters": {"properties": {"sum": {"type": "number"}}}}])
    assert first is not seam.firewall.registry["refund"].plan


def test_the_policys_words_about_an_offered_tool_win():
    """A framework knows the schema, the author the danger."""
    tool = Tool(name="refund", destructive=True)
    seam = Seam(Shield(shield.configure(tools=[tool])))
    seam.offer(seam.session("c"), [REFUND])
    assert seam.firewall.registry["refund"].plan.tool.destructive


@pytest.mark.parametrize("odd", [None, 7, {}, {"name": ""}, {"type": "web_search"}, object()])
def test_what_is_no_tool_is_not_judged(seam, odd):
    """Hosted tools have no schema of ours."""
    session = seam.session("c")
    seam.offer(session, [odd, REFUND])
    assert frozenset({"refund"}) == session.tools


@pytest.mark.parametrize("odd", [None, 7, {}, {"role": "narrator"}, {"role": "user", "content": 7}])
def test_what_cannot_be_read_was_not_seen(seam, odd):
    """The rest of the conversation is taken in, once."""
    said: list[Any] = [odd, {"role": "user", "content": "Refund tx_1."}]
    session = seam.session("c")
    seam.hear(session, said)
    seam.hear(session, said)
    assert 1 == session.turns
    assert 1 == len(session.opaque_reasons)
    assert session.origin("tx_9").source == "unknown"


def test_a_tool_without_a_schema_keeps_the_one_it_has(seam):
    """What a framework cannot describe, the host may have registered itself."""
    session = seam.session("c")
    seam.firewall.register(REFUND)
    seam.offer(session, [{"name": "refund"}])
    decision = seam.firewall.check_call(ToolCall("refund", {"amount": "much"}), session=session)
    assert ["wrong_type"] == [finding.code for finding in decision.findings]


def test_what_the_host_narrowed_stays_narrow():
    """A framework offers more than this session may call."""
    firewall = Shield(shield.configure(mode="strict"))
    seam = Seam(firewall, firewall.session(tools=["look_up"]))
    for _ in range(2):
        seam.offer(seam.session(), [REFUND, LOOK_UP])
    assert frozenset({"look_up"}) == seam.session().tools


@pytest.mark.parametrize(
    ("odd", "code"),
    [
        ({"name": "refund", "parameters": 5}, None),
        ({"name": "refund", "parameters": ["amount"]}, None),
        ({"name": "x" * 600, "parameters": {}}, "unavailable"),
        ({"name": "refund\ud800", "parameters": {}}, "unavailable"),
    ],
)
def test_a_tool_that_cannot_be_declared_stops_no_run(seam, caplog, odd, code):
    """Tools come from servers that nobody controls; our failure is told once."""
    session = seam.session("c")
    for _ in range(2):
        seam.offer(session, [odd, LOOK_UP])
    assert 1 == len([r for r in caplog.records if "cannot judge an offered tool" in r.message])

    assert seam.firewall.check_call(ToolCall("look_up", {}), session=session).blocked is False
    decision = seam.firewall.check_call(ToolCall(odd["name"], {}), session=session)
    assert decision.blocked is (code is not None)
