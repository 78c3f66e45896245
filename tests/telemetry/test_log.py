"""The log line: flat and escaped, without changes to the host's configuration."""

from __future__ import annotations

import json
import logging
import re
from pathlib import Path

import pytest
import structlog

from abs_shield import Session
from abs_shield.core import Verdict
from abs_shield.telemetry import StructLog, emit

PAGE = (Path(__file__).parents[2] / "docs" / "telemetry.md").read_text(encoding="utf-8")


@pytest.fixture
def lines(caplog):
    caplog.set_level(logging.INFO, "abs_shield")
    return lambda: [json.loads(record.message) for record in caplog.records]


def test_a_clean_decision_is_one_line(lines, decide):
    """The line is flat and has no `threat.type`."""
    StructLog()(decide(run_id="r-1"))

    assert lines() == [
        {
            "event": "abs_shield.decision",
            "level": "info",
            "decision_id": "d-1",
            "subject": "call",
            "tool": "refund",
            "verdict": "CLEAN",
            "action": "allow",
            "mode": "strict",
            "blocked": False,
            "would_block": False,
            "layers": [],
            "codes": [],
            "policy_revision": "4f1c",
            "elapsed_ms": 2.0,
            "session_id": "s-1",
            "run_id": "r-1",
            "call_id": "c-1",
            "conversation_id": "s-1",
            "tool_type": "function",
        }
    ]


def test_the_docs_name_every_key(lines, backend, decide, finding):
    """A line with everything in it has exactly the documented keys."""
    with backend.tracers.get_tracer("host").start_as_current_span("work"):
        named = {"agent": "clerk", "model": "gpt-5", "approval": "required", "run_id": "r-1"}
        StructLog()(decide(finding(), errors=("phantom_tool: broke",), **named))

    assert set(lines()[0]) == set(re.findall(r"^\| log key \| `([^`]+)` \|", PAGE, re.MULTILINE))


def test_a_threat_is_tagged(lines, decide, finding):
    """Layers, codes and `threat.type` are those of the findings that count."""
    StructLog()(decide(finding(), finding(check="confidence_drop", code="low", counted=False)))

    (line,) = lines()
    assert (
        line["layers"],
        line["codes"],
        line["threat.type"],
    ) == (["phantom_target"], ["unseen_identifier"], "hallucination")


@pytest.mark.parametrize(
    ("verdict", "level"),
    [(Verdict.CLEAN, "INFO"), (Verdict.SUSPICIOUS, "WARNING"), (Verdict.HALLUCINATED, "ERROR")],
)
def test_the_level_follows_the_verdict(caplog, decide, verdict, level):
    """CLEAN is information, HALLUCINATED an error."""
    caplog.set_level(logging.INFO, "abs_shield")

    StructLog()(decide(verdict=verdict))

    assert [(r.name, r.levelname) for r in caplog.records] == [("abs_shield", level)]


@pytest.mark.parametrize(("blocked", "level"), [(True, "ERROR"), (False, "WARNING")])
def test_an_internal_error_has_level_error(caplog, lines, decide, blocked, level):
    """A call that it blocked is logged as an error, whatever the verdict."""
    StructLog()(decide(errors=("own could not run: KeyError",), blocked=blocked))

    assert [level] == [record.levelname for record in caplog.records]
    assert "layer_error" == lines()[0]["error.type"]


def test_a_generated_session_id_is_not_a_conversation(lines, decide):
    """A conversation has an id that the host chose."""
    StructLog()(decide(session_id=Session().id))

    assert {"conversation_id", "agent", "model"}.isdisjoint(lines()[0])


def test_a_clean_decision_is_not_logged_by_default(caplog, decide):
    """If the host configured nothing, a CLEAN decision writes no line."""
    StructLog()(decide())

    assert caplog.records == []


def test_text_of_the_model_does_not_break_the_line(caplog, lines, decide):
    """Newlines and terminal escapes are escaped, also in the decoded JSON."""
    nasty = "x\n\x1b[31m\u2028%s"
    StructLog()(decide(tool=nasty, call_id=nasty, errors=(nasty,), verdict=Verdict.SUSPICIOUS))

    (line,) = lines()
    assert re.search(r"[\x00-\x1f\x7f-\x9f\u2028]", caplog.records[0].message) is None
    assert line["tool"] == line["call_id"] == line["errors"][0] == r"x\n\x1b[31m\u2028%s"


def test_no_value_of_the_call_is_logged(caplog, decide, finding):
    """The line has no details, hints or values of findings."""
    StructLog()(decide(finding(detail="canary", got="canary", hint="canary", nearest="canary")))

    assert len(caplog.records) == 1
    assert "canary" not in caplog.text


def test_the_line_has_the_ids_of_the_current_span(lines, backend, decide):
    """Trace and span id are those of the current span, in hex."""
    with backend.tracers.get_tracer("host").start_as_current_span("work") as span:
        StructLog()(decide())

    context = span.get_span_context()
    assert (f"{context.trace_id:032x}", f"{context.span_id:016x}") == (
        lines()[0]["trace_id"],
        lines()[0]["span_id"],
    )


def test_the_host_configuration_is_unchanged(decide, finding):
    """Logging configures neither structlog nor the logger."""
    logger = logging.getLogger("abs_shield")
    before = (structlog.is_configured(), list(logger.handlers), logger.level, logger.propagate)

    StructLog()(decide(finding()))

    after = (structlog.is_configured(), list(logger.handlers), logger.level, logger.propagate)
    assert before == after
    assert not structlog.is_configured()


def test_the_host_context_is_merged(lines, decide):
    """The line has the host's bound context; keys of the package have precedence."""
    with structlog.contextvars.bound_contextvars(request_id="q-1", tool="theirs"):
        StructLog()(decide())

    assert (lines()[0]["request_id"], lines()[0]["tool"]) == ("q-1", "refund")


def test_the_line_has_the_ids_of_the_check_span(lines, backend, decide):
    """If the OpenTelemetry hook runs first, the line belongs to its check span."""
    decision = decide()
    emit(decision, [backend.otel(), StructLog()])

    context = backend.span().get_span_context()
    assert (f"{context.trace_id:032x}", f"{context.span_id:016x}") == (
        lines()[0]["trace_id"],
        lines()[0]["span_id"],
    )


def test_a_decision_without_a_span_has_no_span_ids(lines, backend, decide):
    """A decision that is only logged does not have the ids of an earlier decision's span."""
    backend.otel()(decide())

    StructLog()(decide())

    assert "trace_id" not in lines()[0]


def test_an_unknown_tool_name_is_shortened(lines, decide, finding):
    """A name that the model invented is cut to 64 characters, as on the span."""
    StructLog()(decide(finding(check="phantom_tool", code="unknown_tool"), tool="x" * 300))

    assert lines()[0]["tool"] == "x" * 64
