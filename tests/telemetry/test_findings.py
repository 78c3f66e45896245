"""Findings are exported as log events in the check's trace, without values of the call."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import pytest
from opentelemetry._logs import SeverityNumber

from abs_shield import Finding, Shield, Tool, ToolCall, rule, shield, shielded
from abs_shield.core import Subject, Verdict
from abs_shield.core.decision_summary import safe_pointer
from abs_shield.shield.shared_tools import SHARED
from abs_shield.telemetry import Otel, emit

CANARY = "canary_4711@example.com"


def test_a_finding_is_an_event_of_the_check_span(backend, decide, finding):
    """The event names check, code, place and weight, and belongs to the check span."""
    backend.otel()(decide(finding()))

    (event,) = backend.events
    record = event.log_record
    assert (record.event_name, record.span_id, record.severity_number) == (
        "abs_shield.finding",
        backend.span().context.span_id,
        SeverityNumber.WARN,
    )
    assert dict(record.attributes) == {
        "abs_shield.finding.check": "phantom_target",
        "abs_shield.finding.code": "unseen_identifier",
        "abs_shield.finding.verdict": "SUSPICIOUS",
        "abs_shield.finding.strength": 0.95,
        "abs_shield.finding.where": "/arguments/transaction_id",
        "abs_shield.finding.mode": "strict",
        "abs_shield.finding.counted": True,
        "abs_shield.finding.suppressed": False,
        "abs_shield.decision.id": "d-1",
        "gen_ai.tool.name": "refund",
        "threat.type": "hallucination",
    }


def test_an_event_has_a_body_and_a_severity_text(backend, decide, finding):
    """A log viewer shows both; neither contains a value."""
    backend.otel()(decide(finding(), finding(suppressed=True)))

    assert [
        ("phantom_target at /arguments/transaction_id: unseen_identifier", "WARN"),
        ("phantom_target at /arguments/transaction_id: unseen_identifier", "INFO"),
    ] == [(event.log_record.body, event.log_record.severity_text) for event in backend.events]


def test_findings_are_not_span_events(backend, decide, finding):
    """The span has no events, because span events are deprecated."""
    backend.otel()(decide(finding(), finding()))

    assert (len(backend.events), backend.span().events) == (2, ())


def test_severity_follows_the_weight(backend, decide, finding):
    """A finding that does not count has severity INFO, whatever its verdict."""
    grave = Verdict.HALLUCINATED
    backend.otel()(decide(finding(verdict=grave), finding(verdict=grave, suppressed=True)))

    attributes = [event.log_record.severity_number for event in backend.events]
    assert attributes == [SeverityNumber.ERROR, SeverityNumber.INFO]


def test_a_logger_without_an_enabled_method_receives_every_event(decide, finding):
    """`Logger.enabled` is new in OpenTelemetry 1.45."""
    emitted = []
    old = SimpleNamespace(emit=lambda **event: emitted.append(event["event_name"]))
    provider = SimpleNamespace(get_logger=lambda *name, **options: old)
    Otel(logger_provider=provider)(decide(finding()))

    assert ["abs_shield.finding"] == emitted


def _canaries(finding):
    everywhere = {
        "detail": f"got {CANARY}",
        "hint": f"use {CANARY}",
        "got": CANARY,
        "expected": CANARY,
        "allowed": (CANARY,),
        "nearest": CANARY,
        "evidence": {"got": CANARY},
    }
    return [
        finding(**everywhere),
        finding(**everywhere, code="unknown_argument", where=f"/arguments/{CANARY}"),
        finding(**everywhere, where=f"/arguments/mails/{CANARY}/to"),
    ]


def test_no_value_leaves_the_process(backend, decide, finding):
    """A canary in every field that can contain a value is never exported."""
    backend.otel()(decide(*_canaries(finding), errors=(f"KeyError: {CANARY}",), attempts_left=2))

    assert len(backend.events) == 4
    assert "canary" not in backend.everything()


@pytest.mark.parametrize(
    ("word", "in_spans", "in_events"),
    [
        ("NO_CONTENT", False, False),
        ("SPAN_ONLY", True, False),
        ("EVENT_ONLY", False, True),
        ("SPAN_AND_EVENT", True, True),
        ("true", True, True),
    ],
)
def test_the_operator_can_export_details(
    monkeypatch, backend, decide, finding, word, in_spans, in_events
):
    """The standard variable adds details to spans, events or both."""
    monkeypatch.setenv("OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT", word)

    backend.otel()(decide(finding()))

    details = backend.span().attributes.get("abs_shield.details")
    detail = backend.events[0].log_record.attributes.get("abs_shield.finding.detail")
    assert (in_spans, in_events) == (
        details == ("tx_99999 was never seen",),
        detail == "tx_99999 was never seen",
    )


@pytest.mark.parametrize(
    ("where", "code", "shown"),
    [
        ("/name", "unknown_tool", "/name"),
        ("/arguments/items/12/id", "type", "/arguments/items/12/id"),
        ("/arguments/金额", "type", "/arguments/金额"),
        ("/arguments/x", "unknown_argument", "/arguments"),
        ("/arguments/order/x", "unknown_argument", "/arguments/order"),
        ("/arguments/a b/c", "type", "/arguments/*/c"),
        ("/arguments/0123456789", "type", "/arguments/*"),
        ("", "type", ""),
    ],
)
def test_a_pointer_keeps_what_the_schema_names(finding, where, code, shown):
    """It keeps names and short indexes, and replaces parts that the model chose."""
    assert safe_pointer(finding(where=where, code=code)) == shown


@pytest.mark.parametrize(
    ("where", "shown"),
    [
        ("/arguments/lines/canary/sku", "/arguments/lines/*/sku"),
        ("/arguments/lines/0/sku", "/arguments/lines/0/sku"),
        ("/arguments/canary", "/arguments/*"),
        ("/name", "/name"),
        ("/arguments", "/arguments"),
    ],
)
def test_a_pointer_of_a_known_tool_keeps_its_own_names(finding, where, shown):
    """Any other name is the model's and is replaced."""
    assert safe_pointer(finding(where=where), names=frozenset({"lines", "sku"})) == shown


@pytest.mark.parametrize(
    ("where", "shown"), [("/sku", "/sku"), ("/canary", "/*"), ("/lines/7/canary", "/lines/7/*")]
)
def test_a_pointer_into_a_result_keeps_the_tools_own_names(finding, where, shown):
    """A pointer into a result has no fixed first step."""
    names = frozenset({"lines", "sku"})

    assert shown == safe_pointer(finding(where=where), names=names, begin=1)


def test_a_shield_passes_the_names_of_its_tools(backend):
    """A key that the model chose is exported as a star."""
    line = {"type": "object", "properties": {"sku": {"type": "string"}}}
    lines = {"type": "object", "additionalProperties": line}
    tool = Tool(name="order", parameters={"type": "object", "properties": {"lines": lines}})
    firewall = Shield(shield.configure(tools=[tool]), hooks=[backend.otel()])

    firewall.check_call({"name": "order", "arguments": {"lines": {"canary": {"sku": 5}}}})

    (event,) = backend.events
    assert event.log_record.attributes["abs_shield.finding.where"] == "/arguments/lines/*/sku"
    assert "canary" not in backend.everything()


def test_a_sessions_function_is_named_as_a_registered_one(backend):
    """Its spans have its name, and pointers have the names of its parameters."""

    def book(nights: list[dict[str, int]], guest: str) -> str:
        return "booked"

    firewall = Shield(shield.configure(mode="strict"), hooks=[backend.otel()])
    with firewall.session(functions=[book]):
        firewall.dispatch("book", {"nights": [], "guest": "Ann"})
        firewall.check_call({"name": "book", "arguments": {"nights": ["one"], "guest": "Ann"}})

    names = {span.name for span in backend.spans}
    assert {"execute_tool book", "abs_shield.check book"} == names
    (event,) = backend.events
    assert "/arguments/nights/0" == event.log_record.attributes["abs_shield.finding.where"]


def test_a_finding_about_a_tool_whose_rule_does_not_fit_is_exported(backend, caplog, monkeypatch):
    """The names of its parameters are unknown, and the hook continues."""
    monkeypatch.setattr(SHARED, "bindings", {**SHARED.bindings})  # every Shield would know it

    @shielded
    def read_gauge(number: int) -> dict[str, float]:
        """Read a gauge."""
        return {}

    @rule(tool="read_gauge")
    def is_even(numer: int) -> bool:
        """A gauge has an even number."""
        return numer % 2 == 0

    policy = shield.configure(mode="audit", rules=[is_even])
    firewall = Shield(policy, hooks=[backend.otel()])
    call = ToolCall("read_gauge", {"number": 2}, "c1")
    finding = Finding(
        check="schema_mismatch", verdict=Verdict.SUSPICIOUS, strength=1.0, where="/level",
        detail="missing", code="schema_mismatch",
    )  # fmt: skip
    decision = replace(firewall.check_call(call), findings=(finding,), subject=Subject.RESULT)
    emit(decision, firewall.lifecycle.hooks)

    assert "raised" not in caplog.text
    assert "/*" == backend.events[-2].log_record.attributes["abs_shield.finding.where"]
