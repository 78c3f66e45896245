"""The outcome of a tool's run: blocked, failed or withheld."""

from __future__ import annotations

from contextlib import suppress

import pytest
from opentelemetry.trace import StatusCode

from abs_shield import Shield, Tool, ToolCall, ToolProfile, shield, shielded

OUTCOME = "abs_shield.execution.outcome"


class OutOfStock(Exception):
    """An error of the host's code."""


def order(firewall):
    @shielded(firewall)
    def order(sku: str) -> dict[str, str]:
        """Order."""
        if sku == "none":
            raise OutOfStock
        if sku == "bad":
            raise ValueError
        return {"sku": sku}

    return order


@pytest.fixture
def strict(backend):
    profile = ToolProfile(required_fields=["price"], has_network_io=False)
    policy = shield.configure(mode="strict", tools=[Tool(name="order", profile=profile)])
    return Shield(policy, hooks=[backend.otel()])


@pytest.mark.parametrize(
    ("sku", "outcome", "status", "error"),
    [
        (5, "blocked", StatusCode.UNSET, None),
        ("none", "failed", StatusCode.ERROR, f"{__name__}.OutOfStock"),
        ("bad", "failed", StatusCode.ERROR, "ValueError"),
        ("a", "withheld", StatusCode.UNSET, None),
    ],
)
def test_the_outcome_of_a_run(backend, strict, sku, outcome, status, error):
    """It is blocked, failed (with the qualified type of the error) or withheld."""
    with suppress(Exception):
        order(strict)(sku)

    run = backend.span("execute_tool")
    assert (outcome, error) == (run.attributes.get(OUTCOME), run.attributes.get("error.type"))
    assert status == run.status.status_code


def test_a_successful_run_has_no_outcome(backend):
    """It has no error, either."""
    order(Shield(shield.configure(mode="strict"), hooks=[backend.otel()]))("a")

    run = backend.span("execute_tool")
    assert {OUTCOME, "error.type"}.isdisjoint(run.attributes)


def test_a_framework_span_has_the_outcome_too(backend, strict):
    """The framework's own status, agent and model are unchanged."""
    attributes = {"gen_ai.operation.name": "execute_tool", "gen_ai.agent.name": "theirs"}
    tracer = backend.tracers.get_tracer("framework")
    with (
        tracer.start_as_current_span("execute_tool order", attributes=attributes) as run,
        strict.session("chat-1", agent="ours"),
        suppress(Exception),
    ):
        order(strict)(5)

    assert ("blocked", "theirs") == (run.attributes[OUTCOME], run.attributes["gen_ai.agent.name"])
    assert StatusCode.UNSET == run.status.status_code
    assert "ours" == backend.span().attributes["gen_ai.agent.name"]


def test_a_tool_whose_nested_call_is_blocked_has_failed(backend, strict):
    """The tool ran, but the nested tool did not."""
    inner = order(strict)

    @shielded(strict)
    def buy() -> str:
        """Buy."""
        return str(inner(5))

    with suppress(Exception):
        buy()

    outcomes = {s.name: s.attributes.get(OUTCOME) for s in backend.spans}
    assert ("failed", "blocked") == (outcomes["execute_tool buy"], outcomes["execute_tool order"])


@pytest.mark.parametrize("session_id", ["chat-1", None])
def test_the_span_of_a_run_has_agent_and_conversation(backend, strict, session_id):
    """It has them if the host set them; a generated session id is not a conversation."""
    with strict.session(session_id, agent="clerk") as session, suppress(Exception):
        session.model = "gpt-5"
        order(strict)("a")

    for span in (backend.span("execute_tool"), backend.spans[0]):
        assert ("clerk", "gpt-5", session_id, "function") == tuple(
            map(
                span.attributes.get,
                (
                    "gen_ai.agent.name",
                    "gen_ai.request.model",
                    "gen_ai.conversation.id",
                    "gen_ai.tool.type",
                ),
            )
        )


@pytest.mark.parametrize(
    ("approval_state", "approval"), [(True, "granted"), (False, "refused"), (None, "required")]
)
def test_an_approval_is_on_span_and_event(backend, approval_state, approval):
    """The span and the event of the finding say required, granted or refused."""
    tool = Tool(
        name="pay", parameters={"type": "object", "properties": {"to_id": {"type": "string"}}}
    )
    policy = shield.configure(mode="strict", on_suspicious="approve", tools=[tool])
    firewall = Shield(policy, hooks=[backend.otel()], approver=lambda decision: approval_state)
    with firewall.session() as session:
        session.user("Pay my last bill.")
        firewall.check_call(ToolCall("pay", {"to_id": "acc_99999"}))

    assert approval == backend.span().attributes["abs_shield.approval"]
    assert approval == backend.events[0].log_record.attributes["abs_shield.approval"]
