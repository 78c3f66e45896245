"""The seed document `hallucination-shield`: its scenarios, verdicts, defaults and spelling."""

from __future__ import annotations

from datetime import date

import pytest
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from abs_shield import CallBlocked, PolicyError, Shield, rule, shield, shielded
from abs_shield.core import LAYER_NAMES
from abs_shield.telemetry import Otel


@rule(tool="transfer")
def sum_is_positive(amount):
    """A transfer moves a sum above 0."""
    return amount > 0


def read_database(query: str) -> str:
    """Read rows."""
    return f"rows of {query}"


def book(day: date) -> str:
    """Book a day."""
    return f"booked {day}"


def transfer(amount: float) -> str:
    """Move money."""
    return f"moved {amount}"


def refund(transaction_id: str) -> str:
    """Refund a transaction."""
    return f"refunded {transaction_id}"


def create_user(id: int) -> dict[str, int]:
    """Create a user."""
    return {"id": id}


def delete_user(id: int) -> str:
    """Delete a user."""
    return f"deleted {id}"


TOOLS = (read_database, book, transfer, refund, create_user, delete_user)
SCENARIOS = [
    ("delete_database", {}, None, "phantom_tool", "HALLUCINATED", True),
    ("refund", {"transaction_id": "tx_99999"}, None, "phantom_target", "SUSPICIOUS", False),
    ("book", {"day": "yesterday"}, None, "parameter_mismatch", "HALLUCINATED", True),
    ("delete_user", {"id": 1}, None, "self_contradiction", "SUSPICIOUS", False),
    ("transfer", {"amount": -500}, None, "impossible_state", "HALLUCINATED", True),
    ("read_database", {"query": "users"}, [-2.0], "confidence_drop", "SUSPICIOUS", False),
]
scenarios = pytest.mark.parametrize(
    ("name", "arguments", "logprobs", "layer", "verdict", "blocking"), SCENARIOS
)


def make_shield(*, hooks=(), **declared):
    guard = Shield(shield.configure(rules=[sum_is_positive], **declared), hooks=hooks)
    for function in TOOLS:
        guard.register(function)
    return guard


def judge_call(firewall, name, arguments, logprobs):
    """Judge a call of a run in which user 1 was just created, and tx_12345 was asked about."""
    with firewall.session() as session:
        session.user("Create user 1, and refund tx_12345.")
        firewall.dispatch("create_user", {"id": 1})
        return firewall.check_call({"name": name, "arguments": arguments, "logprobs": logprobs})


@scenarios
def test_the_verdict_of_each_scenario(name, arguments, logprobs, layer, verdict, blocking):
    """Each scenario has the verdict of its layer: HALLUCINATED is blocked, SUSPICIOUS flagged."""
    decision = judge_call(make_shield(), name, arguments, logprobs)

    assert (verdict, blocking) == (decision.verdict, decision.blocked)
    assert [layer] == [f.check for f in decision.findings]


@scenarios
def test_audit_writes_down_and_stops_nothing(name, arguments, logprobs, layer, verdict, blocking):
    """In audit mode the verdict and the action are the same, and nothing is blocked."""
    decision = judge_call(make_shield(mode="audit"), name, arguments, logprobs)

    assert (verdict, False, blocking) == (decision.verdict, decision.blocked, decision.would_block)
    assert ("block" if blocking else "flag") == decision.action


@scenarios
def test_one_layer_finds_its_own_scenario(name, arguments, logprobs, layer, verdict, blocking):
    """A scenario is found by its layer alone and not by the other layers."""
    others = [other for other in LAYER_NAMES if other != layer]

    assert verdict == judge_call(make_shield(layers=[layer]), name, arguments, logprobs).verdict
    assert "CLEAN" == judge_call(make_shield(layers=others), name, arguments, logprobs).verdict


def test_the_target_that_was_asked_about_is_clean():
    """The other half of the scenario: the user only asked about ``tx_12345``."""
    request = {"transaction_id": "tx_12345"}

    assert "CLEAN" == judge_call(make_shield(), "refund", request, None).verdict


def test_another_user_is_deleted_without_contradiction():
    """The other half of the scenario: user 2 was not created a moment ago."""
    decision = judge_call(
        make_shield(layers=["self_contradiction"]), "delete_user", {"id": 2}, None
    )

    assert "CLEAN" == decision.verdict


def test_an_exposed_tool_is_clean():
    """The other half of the scenario: ``read_database`` is exposed."""
    decision = judge_call(make_shield(), "read_database", {"query": "users"}, None)

    assert ("CLEAN", "allow", False) == (decision.verdict, decision.action, decision.blocked)


def test_an_iso_date_is_a_date():
    """The valid form of "yesterday"."""
    assert "CLEAN" == judge_call(make_shield(), "book", {"day": "2025-06-30"}, None).verdict


def test_the_configuration_of_the_document():
    """The documented call declares a strict policy of two layers and sensitivity 0.8."""
    policy = shield.configure(
        mode="strict", threshold=0.8, layers=["phantom_tool", "impossible_state"]
    )

    assert ("strict", 0.8) == (policy.mode, policy.threshold)
    assert ["phantom_tool", "impossible_state"] == policy.layer_names


def test_the_configuration_as_one_mapping():
    """The document's object literal declares the same policy."""
    declared = {"mode": "strict", "threshold": 0.8, "layers": ["phantom_tool"]}

    assert shield.configure(**declared).revision == shield.configure(declared).revision


def test_the_defaults():
    """Strict, sensitivity 0.8, all six layers."""
    policy = shield.configure()

    assert ("strict", 0.8, None) == (policy.mode, policy.threshold, policy.layers)
    assert list(LAYER_NAMES) == policy.layer_names


@pytest.mark.parametrize(
    "declared",
    [
        {"mode": "stirct"},
        {"mode": "observe"},
        {"threshold": 1.1},
        {"threshold": -0.1},
        {"threshold": float("nan")},
        {"treshold": 0.8},
        {"layers": ["phantom_tol"]},
        {"layers": "phantom_tool"},
        {"layers": ["phantom_tool", "phantom_tool"]},
    ],
)
def test_a_wrong_configuration_fails_when_declared(declared):
    """A misspelt name and a value out of range are one-line errors, by keyword and mapping."""
    with pytest.raises(PolicyError) as by_keyword:
        shield.configure(**declared)
    with pytest.raises(PolicyError):
        shield.configure(declared)

    assert "\n" not in str(by_keyword.value)


def test_all_layers_run_on_every_call():
    """If two layers have a finding on one call, both are in the decision."""
    decision = judge_call(make_shield(), "transfer", {"amount": -500}, [-2.0])

    assert {"impossible_state", "confidence_drop"} == {f.check for f in decision.findings}
    assert set(LAYER_NAMES) == set(decision.coverage)


def test_a_blocked_action_does_not_execute():
    """The decorated tool raises before its first line."""
    ran = []
    firewall = Shield(shield.configure(rules=[sum_is_positive]))

    @shielded(firewall)
    def transfer(amount: float) -> None:
        ran.append(amount)

    with pytest.raises(CallBlocked, match="A transfer moves a sum above 0"):
        transfer(-500)
    transfer(500)

    assert [500] == ran


def spans_of(name, arguments, **declared):
    """The attributes of the check span of one call."""
    exporter, provider = InMemorySpanExporter(), TracerProvider(shutdown_on_exit=False)
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    judge_call(
        make_shield(hooks=[Otel(tracer_provider=provider)], **declared), name, arguments, None
    )
    provider.shutdown()
    *_, span = exporter.get_finished_spans()
    return dict(span.attributes)


@pytest.mark.parametrize("mode", ["strict", "audit"])
def test_an_event_carries_the_threat_tag(mode):
    """The event has ``threat.type: hallucination`` in both modes."""
    attributes = spans_of("transfer", {"amount": -500}, mode=mode)

    assert ("hallucination", "HALLUCINATED") == (
        attributes["threat.type"],
        attributes["threat.verdict"],
    )
    assert ("impossible_state",) == attributes["threat.layers"]
    assert (mode, mode == "strict") == (
        attributes["abs_shield.mode"],
        attributes["abs_shield.blocked"],
    )


def test_a_clean_call_carries_none():
    """Only hallucinations are tagged."""
    attributes = spans_of("transfer", {"amount": 500})

    assert [] == [name for name in attributes if name.startswith("threat.")]
