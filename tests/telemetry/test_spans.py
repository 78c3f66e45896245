"""Spans: one per check; a framework's own span is annotated, and no execution counted twice."""

from __future__ import annotations

import pytest
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.sampling import ALWAYS_OFF
from opentelemetry.trace import StatusCode

from abs_shield.core import Action, Mode, Subject, Verdict
from abs_shield.telemetry import Otel


def test_a_clean_call_has_a_span(backend, decide):
    """The span of a CLEAN decision has all attributes, except those of a threat."""
    backend.otel()(decide())

    assert dict(backend.span("abs_shield.check refund").attributes) == {
        "abs_shield.subject": "call",
        "abs_shield.verdict": "CLEAN",
        "abs_shield.action": "allow",
        "abs_shield.mode": "strict",
        "abs_shield.blocked": False,
        "abs_shield.would_block": False,
        "abs_shield.policy.revision": "4f1c",
        "abs_shield.decision.id": "d-1",
        "abs_shield.session.id": "s-1",
        "gen_ai.tool.name": "refund",
        "gen_ai.tool.type": "function",
        "gen_ai.tool.call.id": "c-1",
        "gen_ai.conversation.id": "s-1",
    }


def test_the_span_lasts_as_long_as_the_check(backend, decide):
    """The span begins at the decision's time and ends `elapsed_ms` later."""
    backend.otel()(decide())
    span = backend.span()

    assert (
        span.start_time,
        span.end_time - span.start_time,
    ) == (1_767_225_600_000_000_000, 2_000_000)


def test_a_threat_names_its_layers(backend, decide, finding):
    """`threat.*` names only the checks whose findings count, each once."""
    ignored = finding(check="confidence_drop", counted=False)
    worse = finding(check="phantom_tool", verdict=Verdict.HALLUCINATED)

    backend.otel()(decide(finding(), finding(), ignored, worse))

    attributes = backend.span().attributes
    assert (
        attributes["threat.type"],
        attributes["threat.verdict"],
        attributes["threat.layers"],
    ) == ("hallucination", "HALLUCINATED", ("phantom_target", "phantom_tool"))


@pytest.mark.parametrize("counts", [{"counted": False}, {"suppressed": True}])
def test_a_finding_that_does_not_count_is_not_a_threat(backend, decide, finding, counts):
    """A CLEAN decision has no `threat.*` on its span or on its findings."""
    backend.otel()(decide(finding(**counts)))

    attributes = [*backend.span().attributes, *backend.events[0].log_record.attributes]
    assert [name for name in attributes if name.startswith("threat.")] == []


def test_an_unknown_tool_is_not_in_the_name_of_the_span(backend, decide, finding):
    """A name that the model invented is in one attribute, escaped and cut at 64 characters."""
    name = "refnud\x1b[31m\n" + "x" * 200
    unknown = finding(check="phantom_tool", code="unknown_tool", where="/name")

    backend.otel()(decide(unknown, tool=name))

    span = backend.span()
    shown = span.attributes["gen_ai.tool.name"]
    assert span.name == "abs_shield.check _unregistered"
    assert shown.startswith(r"refnud\x1b[31m\nxxx")
    assert len(shown) == 64


def test_a_note_makes_a_tool_unregistered(backend, decide):
    """Without a `phantom_tool` finding, the Shield's note marks the tool as unregistered."""
    backend.otel()(decide(tool="whatever", notes=("unregistered",)))

    assert backend.span().name == "abs_shield.check _unregistered"


def test_names_of_tools_are_bounded(backend, decide):
    """Beyond 1,000 registered tools the rest shares one name, which differs from unknown tools'."""
    otel = backend.otel()
    for i in range(1_010):
        otel(decide(tool=f"tool_{i}"))

    names = {span.name for span in backend.spans}
    assert len(names) == 1_001
    assert "abs_shield.check _other" in names
    assert "abs_shield.check _unregistered" not in names


def test_an_answer_has_no_tool(backend, decide):
    """The span of a decision that is not about a tool has no tool name."""
    backend.otel()(decide(subject=Subject.ANSWER, tool="", call_id=None))

    span = backend.span()
    assert span.name == "abs_shield.check"
    assert "gen_ai.tool.name" not in span.attributes


def test_a_framework_span_is_annotated(backend, decide, finding):
    """The framework's `execute_tool` span gets the same tags and a child."""
    framework = backend.tracers.get_tracer("framework")
    attributes = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "refund"}
    with framework.start_as_current_span("execute_tool refund", attributes=attributes) as outer:
        backend.otel()(decide(finding()))

    check = backend.span()
    assert check.parent.span_id == outer.get_span_context().span_id
    assert "gen_ai.operation.name" not in check.attributes
    ours = {k: v for k, v in check.attributes.items() if not k.startswith("gen_ai.")}
    assert ours.items() <= outer.attributes.items()


def test_a_span_of_no_execution_is_not_annotated(backend, decide, finding):
    """A current span that does not execute a tool is the parent, without attributes."""
    with backend.tracers.get_tracer("host").start_as_current_span("work") as outer:
        backend.otel()(decide(finding()))

    assert dict(outer.attributes) == {}
    assert backend.span().parent.span_id == outer.get_span_context().span_id


def test_dispatch_opens_an_execute_tool_span(backend, decide):
    """Without a framework, dispatch opens the span and the check is its child."""
    otel = backend.otel()
    with otel.execute_tool("refund", "c-1"):
        otel(decide())

    run = backend.span("execute_tool refund")
    attributes = {k: v for k, v in run.attributes.items() if k.startswith("gen_ai.")}
    assert attributes == {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "refund",
        "gen_ai.tool.type": "function",
        "gen_ai.tool.call.id": "c-1",
        "gen_ai.conversation.id": "s-1",
    }
    assert backend.span().parent.span_id == run.context.span_id


def test_a_framework_span_is_not_doubled(backend):
    """Inside an `execute_tool` span no second one is opened."""
    framework = backend.tracers.get_tracer("framework")
    attributes = {"gen_ai.operation.name": "execute_tool"}
    outer = framework.start_as_current_span("execute_tool refund", attributes=attributes)
    with outer, backend.otel().execute_tool("refund"):
        pass

    assert [span.name for span in backend.spans] == ["execute_tool refund"]


def test_a_failed_execution_has_only_the_error_type(backend):
    """The exception's text can contain values, so only its type is exported."""
    with pytest.raises(ValueError, match="tx_99999"), backend.otel().execute_tool("refund"):
        raise ValueError("tx_99999")

    run = backend.span("execute_tool")
    assert (run.status.status_code, run.status.description) == (StatusCode.ERROR, "ValueError")
    assert run.events == ()
    assert "tx_99999" not in backend.everything()


def test_without_an_sdk_no_span_is_opened():
    """The shared null context is returned, and the current span stays current."""
    otel = Otel(tracer_provider=trace.NoOpTracerProvider())
    before = trace.get_current_span()

    with otel.execute_tool("refund"):
        assert trace.get_current_span() is before

    assert otel.execute_tool("refund") is otel.execute_tool("transfer")


def test_without_an_sdk_a_host_span_stays_current(backend, decide):
    """A tracer that records nothing neither ends nor replaces the current span."""
    otel = Otel(tracer_provider=trace.NoOpTracerProvider())
    with backend.tracers.get_tracer("host").start_as_current_span("work") as span:
        with otel.execute_tool("refund"):
            assert trace.get_current_span() is span
        otel(decide())

        assert span.is_recording()


def test_a_sampled_out_run_stays_sampled_out(backend, decide):
    """The check of an execution that was sampled out does not start a new trace."""
    otel = Otel(tracer_provider=TracerProvider(sampler=ALWAYS_OFF, shutdown_on_exit=False))
    with otel.execute_tool("refund"):
        context = trace.get_current_span().get_span_context()

    assert context.is_valid
    assert not context.trace_flags.sampled


def test_audit_and_strict_spans_differ_in_blocked(backend, decide, finding):
    """The action is the same in both modes; `blocked` is true in strict mode only."""
    otel = backend.otel()
    request = {"action": Action.BLOCK, "would_block": True}
    otel(decide(finding(), mode=Mode.AUDIT, **request))
    otel(decide(finding(), mode=Mode.STRICT, blocked=True, **request))

    rows = [
        (s.attributes["abs_shield.action"], s.attributes["abs_shield.blocked"])
        for s in backend.spans
    ]
    assert rows == [("block", False), ("block", True)]


def run_of(framework: TracerProvider, otel: Otel, ours: bool):
    """Return a context that opens an execution span: abs_shield's own, or a framework's."""
    if ours:
        return otel.execute_tool("refund", "c-1")
    attributes = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "refund"}
    tracer = framework.get_tracer("framework")
    return tracer.start_as_current_span("execute_tool refund", attributes=attributes)


@pytest.mark.parametrize("ours", [True, False])
def test_a_clean_result_is_on_the_execution_span(backend, decide, ours):
    """A clean result has no check span; the execution span has its verdict."""
    otel = backend.otel()
    with run_of(backend.tracers, otel, ours):
        otel(decide())
        otel(decide(subject=Subject.RESULT, id="d-2"))

    assert ["abs_shield.check refund", "execute_tool refund"] == [
        span.name for span in backend.spans
    ]
    run = backend.span("execute_tool refund").attributes
    assert ("CLEAN", "d-2") == (
        run["abs_shield.result.verdict"],
        run["abs_shield.result.decision.id"],
    )
    assert ("d-1", "call") == (run["abs_shield.decision.id"], run["abs_shield.subject"])


@pytest.mark.parametrize("fields", [{"errors": ("verification: broke",)}, {"findings": ()}])
def test_a_result_with_findings_or_errors_has_a_check_span(backend, decide, finding, fields):
    """A result with an uncounted finding, or one that could not be checked, has its own span."""
    otel = backend.otel()
    findings = () if "errors" in fields else (finding(counted=False),)
    with otel.execute_tool("refund"):
        otel(
            decide(
                *findings,
                subject=Subject.RESULT,
                **(fields if "errors" in fields else {}),
            )
        )

    assert "result" == backend.span("abs_shield.check refund").attributes["abs_shield.subject"]
    run = backend.span("execute_tool refund").attributes
    assert "CLEAN" == run["abs_shield.result.verdict"]
    assert "threat.type" not in run


def test_a_flagged_result_is_also_on_the_execution_span(backend, decide, finding):
    """The execution span gets the result's threat, and keeps the decision of its call."""
    otel = backend.otel()
    with otel.execute_tool("refund"):
        otel(decide())
        otel(decide(finding(check="verification"), subject=Subject.RESULT, id="d-2"))

    run = backend.span("execute_tool refund").attributes
    assert ("SUSPICIOUS", "d-2", "hallucination", "d-1") == (
        run["abs_shield.result.verdict"],
        run["abs_shield.result.decision.id"],
        run["threat.type"],
        run["abs_shield.decision.id"],
    )


def test_a_clean_result_outside_of_a_run_is_counted(backend, decide):
    """Without an execution span no span is annotated, and the metrics count the result."""
    with backend.tracers.get_tracer("host").start_as_current_span("work") as outer:
        backend.otel()(decide(subject=Subject.RESULT))

    assert dict(outer.attributes) == {}
    assert ["work"] == [span.name for span in backend.spans]
    (point,) = backend.points("abs_shield.decisions")
    assert ("result", 1) == (point.attributes["abs_shield.subject"], point.value)
