"""Telemetry of an answer: its own span, events with pointers into its report, counts."""

from __future__ import annotations

import json
import logging
import re

from abs_shield import Shield, Tool, shield
from abs_shield.core import Subject, Verdict
from abs_shield.telemetry import StructLog

CALL = {"name": "get_booking", "arguments": {"id": "ABC123"}, "id": "c1"}
INVENTED = "Booking ABC123 costs 4711.00 EUR."


def check_answer_of_run(backend, answer):
    """Check an answer of a run that read one booking."""
    policy = shield.configure(tools=[Tool(name="get_booking", read_only=True)])
    firewall = Shield(policy, hooks=[backend.otel()])
    with firewall.session():
        firewall.check_call(CALL)
        firewall.check_result(CALL, {"id": "ABC123", "price": 420.0}, elapsed_ms=3)
        firewall.check_answer(answer)


def about_answers(backend):
    """The spans of checks of answers."""
    return [s for s in backend.spans if s.attributes.get("abs_shield.subject") == "answer"]


def test_an_answer_has_its_span(backend):
    """It has a duration, and no attributes of a tool or a call."""
    check_answer_of_run(backend, INVENTED)
    [span] = about_answers(backend)

    assert ("abs_shield.check", ("answer",)) == (span.name, span.attributes["threat.layers"])
    assert [] == [name for name in span.attributes if name.startswith("gen_ai.")]
    assert span.end_time > span.start_time


def test_an_event_points_into_the_report(backend):
    """It has the place of the claim, which the model cannot choose, but no value."""
    check_answer_of_run(backend, INVENTED)
    [event] = [e for e in backend.events if "abs_shield.finding.check" in e.log_record.attributes]
    attributes = event.log_record.attributes

    assert "/claims/0" == attributes["abs_shield.finding.where"]
    assert "gen_ai.tool.name" not in attributes
    # as a word: the digits may stand in a time in nanoseconds
    assert re.search(r"\b4711\b", backend.everything()) is None


def test_an_event_points_to_any_claim(backend, decide, finding):
    """Indexes of a hundred and more are not shortened."""
    findings = finding(check="answer", where="/claims/1234", code="unsupported")
    backend.otel()(decide(findings, subject=Subject.ANSWER, tool="", call_id=None))
    [event] = backend.events

    assert "/claims/1234" == event.log_record.attributes["abs_shield.finding.where"]


def test_answers_are_counted_by_subject(backend):
    """They use the counters and the histogram of calls, with another subject."""
    check_answer_of_run(backend, INVENTED)
    counted = [
        dict(point.attributes)
        for name in ("abs_shield.decisions", "abs_shield.check.duration")
        for point in backend.points(name)
        if point.attributes["abs_shield.subject"] == "answer"
    ]

    labels = ("gen_ai.tool.name", "abs_shield.verdict")
    assert [("", "SUSPICIOUS")] * 2 == [tuple(map(one.get, labels)) for one in counted]
    checks = [dict(point.attributes) for point in backend.points("abs_shield.coverage")]
    ran = {"abs_shield.check.name": "answer", "abs_shield.check.outcome": "ran"}
    assert {**ran, "gen_ai.tool.name": ""} in checks


def test_the_span_of_a_tool_has_no_attributes_of_an_answer(backend, decide, finding):
    """A sub-agent is a tool whose run ends with its own answer, which is not about a call."""
    framework = backend.tracers.get_tracer("framework")
    attributes = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "ask_agent"}
    bad = decide(finding(), subject=Subject.ANSWER, tool="", verdict=Verdict.HALLUCINATED)
    with framework.start_as_current_span("execute_tool ask_agent", attributes=attributes) as outer:
        backend.otel()(bad)

    assert attributes == dict(outer.attributes)
    assert backend.span().parent.span_id == outer.get_span_context().span_id


def test_the_log_line_of_an_answer(backend, caplog, decide, finding):
    """It has the name of the check and the status of the claim."""
    findings = finding(check="answer", where="/claims/0", code="contradicted")
    with caplog.at_level(logging.INFO, logger="abs_shield"):
        StructLog()(decide(findings, subject=Subject.ANSWER, tool="", call_id=None))
    line = json.loads(caplog.records[-1].getMessage())

    assert ("answer", "", ["answer"], ["contradicted"]) == (
        line["subject"], line["tool"], line["layers"], line["codes"],
    )  # fmt: skip
