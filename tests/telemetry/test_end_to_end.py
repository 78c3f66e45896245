"""An agent exports over OTLP to another process: all telemetry arrives, and no argument value."""

from __future__ import annotations

import gzip
import re
from collections import Counter
from collections.abc import Iterable
from typing import Any

import pytest

from tests.telemetry.canaries import CANARY, INVENTED
from tests.telemetry.processes import Story, environment, receiver, run_agent
from tests.telemetry.receiver.arrivals import Arrivals, TelemetryRecord

WAYS = {
    "grpc": {},
    "http": {},
    "grpc, gzip": {"OTEL_EXPORTER_OTLP_COMPRESSION": "gzip"},
    "http, gzip": {"OTEL_EXPORTER_OTLP_COMPRESSION": "gzip"},
}


QUICK = "grpc"
"""The way that is tried in the quick run."""


@pytest.fixture(
    scope="module",
    params=[
        pytest.param(way, marks=[] if way == QUICK else [pytest.mark.slow, pytest.mark.release])
        for way in WAYS
    ],
)
def story(request: Any, tmp_path_factory: Any) -> Story:
    """Run the same agent once for each protocol and compression."""
    folder = tmp_path_factory.mktemp("end_to_end")
    over = request.param.partition(",")[0]
    with receiver(folder / "arrived") as ports:
        env = environment(ports[over], over=over, **WAYS[request.param])
        output = run_agent(folder / "said", env)
    return Story(output, Arrivals(folder / "arrived"))


def checks(story: Story) -> dict[str, TelemetryRecord]:
    """Return the check spans by decision id."""
    results = [s for s in story.arrived.spans if s.name.startswith("abs_shield.check")]
    return {span.attributes["abs_shield.decision.id"]: span for span in results}


def runs(story: Story) -> list[TelemetryRecord]:
    """Return the spans of tool executions, opened by abs_shield or by a framework."""
    name = "gen_ai.operation.name"
    return [s for s in story.arrived.spans if s.attributes.get(name) == "execute_tool"]


def counter_sums(story: Story, metric: str) -> Counter[Any]:
    """Return each series of a counter with its sum."""
    points = story.arrived.points(metric)
    return Counter({labels: point.as_int for labels, point in points.items()})


def findings(story: Story) -> list[TelemetryRecord]:
    """Return the events about findings; those about internal errors have another name."""
    return [event for event in story.arrived.events if event.name == "abs_shield.finding"]


def errors(story: Story) -> list[TelemetryRecord]:
    """Return the events about internal errors."""
    return [event for event in story.arrived.events if event.name == "abs_shield.error"]


NAMES = {
    "tool": "gen_ai.tool.name",
    "check": "abs_shield.check.name",
    "outcome": "abs_shield.check.outcome",
}
"""Names of metric attributes where they are not those of a decision behind `abs_shield.`."""


def labels_of(row: dict[str, Any], *keys: str) -> dict[str, Any]:
    """Return the metric attributes for these fields of a decision."""
    return {NAMES.get(key, f"abs_shield.{key}"): row[key] for key in keys}


def series(rows: Iterable[dict[str, Any]]) -> Counter[Any]:
    """Count the rows of labels by series."""
    return Counter(frozenset(row.items()) for row in rows)


@pytest.mark.slow
def test_the_agent_covers_every_kind_of_decision(story: Story) -> None:
    """The run has each verdict, mode and approval, an internal error, and an empty stderr."""
    text = story.messages

    assert {d["verdict"] for d in text.decisions} == {"CLEAN", "SUSPICIOUS", "HALLUCINATED"}
    assert {d["mode"] for d in text.decisions} == {"audit", "strict"}
    assert {d["approval"] for d in text.decisions} == {"", "required", "granted", "refused"}
    assert {d["mode"] for d in text.decisions if d["blocked"]} == {"strict"}
    assert max(d["errors"] for d in text.decisions) == 1
    assert (text.in_time, text.stderr) == (True, "")


@pytest.mark.slow
def test_every_decision_except_a_clean_result_has_one_check_span(story: Story) -> None:
    """The span's attributes equal the decision's subject, verdict, action, mode and approval."""
    spans = [s for s in story.arrived.spans if s.name.startswith("abs_shield.check")]
    attributes = {
        span.attributes["abs_shield.decision.id"]: {
            key: span.attributes[f"abs_shield.{key}"]
            for key in ("subject", "verdict", "action", "mode", "blocked", "would_block")
        }
        | {"approval": span.attributes.get("abs_shield.approval", "")}
        for span in spans
    }

    assert len(spans) == len(story.messages.spanned) < len(story.messages.decisions)
    assert attributes == {
        d["id"]: {key: d[key] for key in next(iter(attributes.values()))}
        for d in story.messages.spanned
    }


def test_every_result_verdict_is_on_the_span_of_its_execution(story: Story) -> None:
    """A generator's result is excluded: its span has ended when the result is checked."""
    attributes = {
        run.attributes["abs_shield.result.decision.id"]: run.attributes["abs_shield.result.verdict"]
        for run in runs(story)
        if "abs_shield.result.verdict" in run.attributes
    }
    results = [d for d in story.messages.decisions if d["subject"] == "result"]

    assert {d["id"]: d["verdict"] for d in results if d["tool"] != "pages"} == attributes
    assert {"CLEAN", "SUSPICIOUS"} <= {*attributes.values()}


def test_a_check_span_has_session_and_call_id(story: Story) -> None:
    """A check span has the session id of its decision, and the call id if there is one."""
    sessions = {d["id"]: (d["session_id"], d["call_id"]) for d in story.messages.spanned}
    names = ("abs_shield.session.id", "gen_ai.tool.call.id")
    attributes = {key: tuple(map(s.attributes.get, names)) for key, s in checks(story).items()}

    assert attributes == sessions


def test_only_threats_have_threat_attributes(story: Story) -> None:
    """`threat.type` is on the spans of exactly the decisions that are not CLEAN."""
    tagged = {
        key for key, span in checks(story).items()
        if span.attributes.get("threat.type") == "hallucination"
    }  # fmt: skip
    named = {
        key for key, span in checks(story).items()
        if any(name.startswith("threat.") for name in span.attributes)
    }  # fmt: skip

    assert tagged == named == story.messages.threats != set()


def test_every_finding_is_one_event(story: Story) -> None:
    """Each finding arrives as one log event; it has `threat.type` if it counts."""
    attributes = Counter(
        (
            event.attributes["abs_shield.decision.id"],
            event.attributes["abs_shield.finding.check"],
            event.attributes["abs_shield.finding.code"],
            event.attributes["abs_shield.finding.verdict"],
            event.attributes.get("threat.type") == "hallucination",
        )
        for event in findings(story)
    )

    assert {event.name for event in story.arrived.events} == {
        "abs_shield.error",
        "abs_shield.finding",
    }
    assert attributes == Counter(
        (d["id"], f["check"], f["code"], f["verdict"], f["counted"] and not f["suppressed"])
        for d in story.messages.decisions
        for f in d["findings"]
    )


def test_every_internal_error_is_one_event(story: Story) -> None:
    """The event has the name of the check that failed and the type of the exception."""
    attributes = Counter(event.attributes["abs_shield.decision.id"] for event in errors(story))
    kinds = {
        (event.attributes["abs_shield.check.name"], event.attributes["error.type"])
        for event in errors(story)
    }

    assert attributes == Counter(
        {d["id"]: d["errors"] for d in story.messages.decisions if d["errors"]}
    )
    assert {("impossible_state", "LookupError")} == kinds


def test_every_event_has_a_body_and_a_severity(story: Story) -> None:
    """No event arrives with an empty body or without a severity text."""
    attributes = [event.message for event in story.arrived.events]

    assert all(message.body.string_value and message.severity_text for message in attributes)


def test_agent_and_conversation_arrive(story: Story) -> None:
    """Spans and log lines have the agent name and conversation id that the host set."""
    lines = {line["decision_id"]: line for line in story.messages.lines}
    for key, span in checks(story).items():
        session_id = story.messages.by_id[key]["session_id"]
        agent = "clerk" if session_id == "s-1" else None
        line, attributes = lines[key], span.attributes

        assert session_id == attributes["gen_ai.conversation.id"] == line["conversation_id"]
        assert agent == attributes.get("gen_ai.agent.name") == line.get("agent")


def test_an_event_is_in_its_check_span(story: Story) -> None:
    """An event has the trace and span id of its decision's check span."""
    spans = {key: (span.trace, span.span) for key, span in checks(story).items()}
    events = {
        (event.attributes["abs_shield.decision.id"], (event.trace, event.span))
        for event in story.arrived.events
    }

    assert events <= {*spans.items()}


def test_decisions_are_counted(story: Story) -> None:
    """The counters of decisions and retries equal the decisions that the process made."""
    labels = ("subject", "tool", "verdict", "action", "mode", "blocked")
    spent = [d for d in story.messages.decisions if d["blocked"] and d["attempts_left"] is not None]

    assert counter_sums(story, "abs_shield.decisions") == series(
        labels_of(d, *labels) for d in story.messages.decisions
    )
    assert counter_sums(story, "abs_shield.blocked.retries") == series(
        labels_of(d, "tool") for d in spent
    )


def test_findings_are_counted(story: Story) -> None:
    """The counter of findings equals the process's findings by check, tool and verdict."""
    assert counter_sums(story, "abs_shield.findings") == series(
        {
            "abs_shield.finding.check": f["check"],
            "abs_shield.finding.verdict": f["verdict"],
            "gen_ai.tool.name": d["tool"],
        }
        for d in story.messages.decisions
        for f in d["findings"]
    )


def test_coverage_is_counted(story: Story) -> None:
    """The counter of coverage equals the process's checks by outcome and tool."""
    assert counter_sums(story, "abs_shield.coverage") == series(
        labels_of({"check": check, "outcome": outcome, **d}, "check", "outcome", "tool")
        for d in story.messages.decisions
        for check, outcome in d["coverage"].items()
    )


def test_durations_are_counted(story: Story) -> None:
    """The duration histogram counts each decision once."""
    labels = ("subject", "tool", "verdict")
    points = story.arrived.points("abs_shield.check.duration")

    assert Counter({key: point.count for key, point in points.items()}) == series(
        labels_of(d, *labels) for d in story.messages.decisions
    )


def test_all_unknown_tools_share_one_name(story: Story) -> None:
    """More than 200 unknown tool names create no series and no span name of their own."""
    invented = [d for d in story.messages.decisions if d["tool"] == "_unregistered"]
    spans = checks(story)
    names = {span.name for span in story.arrived.spans}
    tools = {
        dict(labels).get("gen_ai.tool.name")
        for metric in story.arrived.metrics
        for labels in story.arrived.points(metric)
    }

    assert len(invented) > 200
    assert [name for name in names if INVENTED in name] == []
    assert {spans[d["id"]].name for d in invented} == {"abs_shield.check _unregistered"}
    assert tools <= {
        "refund",
        "order",
        "wire",
        "pages",
        "label",
        "gauge",
        "search",
        "_unregistered",
        None,
    }


def test_an_unknown_tool_name_is_in_one_attribute_only(story: Story) -> None:
    """`gen_ai.tool.name` has it, escaped and cut at 64 characters; no metric contains it."""
    attributes = [
        (name, value)
        for item in (*story.arrived.spans, *story.arrived.events)
        for name, value in item.attributes.items()
        if INVENTED in str(value)
    ]

    assert {name for name, _ in attributes} == {"gen_ai.tool.name"}
    assert max(len(value) for _, value in attributes) == 64
    assert [value for _, value in attributes if not value.isprintable()] == []
    metrics = [data for name, data in story.arrived.files.items() if ".metrics." in name]
    assert [data for data in metrics if INVENTED.encode() in data] == []


def test_no_argument_value_is_in_the_exported_bytes(story: Story) -> None:
    """No request header or body, compressed or decompressed, contains a canary."""
    files = story.arrived.files
    opened = {
        name: gzip.decompress(data) for name, data in files.items() if data[:2] == b"\x1f\x8b"
    }
    canary = re.compile(CANARY.encode(), re.IGNORECASE)

    assert len(files) >= 9
    assert [name for name, data in (*files.items(), *opened.items()) if canary.search(data)] == []


def test_a_pointer_has_declared_names_only(story: Story) -> None:
    """A name from the tool's schema arrives; a name that the model chose arrives as `*`."""
    attributes = {event.attributes["abs_shield.finding.where"] for event in findings(story)}

    assert {"/arguments/amount", "/arguments/lines/*/amount", "/arguments/*", "/name"} <= attributes
    assert {"/pressure", "/*"} <= attributes  # of results


def test_a_framework_span_is_annotated(story: Story) -> None:
    """A framework's execution span gets the threat attributes and is the check span's parent."""
    here = [
        d for d in story.messages.decisions if d["session_id"] == "s-3" and d["subject"] == "call"
    ]
    runs = {
        span.attributes.get("abs_shield.decision.id"): span
        for span in story.arrived.spans
        if span.scope == "framework"
    }

    assert {*runs} == {d["id"] for d in here}
    for decision in here:
        run, check = runs[decision["id"]], checks(story)[decision["id"]]
        assert check.message.parent_span_id == run.message.span_id
        assert ("threat.type" in run.attributes) == (decision["verdict"] != "CLEAN")


def test_a_check_span_has_no_operation_name(story: Story) -> None:
    """Without the attribute, a check is not counted as a second execution of the tool."""
    attributes = [span.attributes for span in checks(story).values()]

    assert [names for names in attributes if "gen_ai.operation.name" in names] == []


def test_a_log_line_is_in_its_check_span(story: Story) -> None:
    """Each decision has one line, with the ids of its check span, or of its execution if CLEAN."""
    spans = {key: (span.trace, span.span) for key, span in checks(story).items()}
    for run in runs(story):
        spans.setdefault(run.attributes.get("abs_shield.result.decision.id"), (run.trace, run.span))
    lines = {line["decision_id"]: line for line in story.messages.lines}

    assert len(story.messages.lines) == len(story.messages.decisions)
    assert {d["id"] for d in story.messages.decisions} == {*lines}
    attributes = {key: (x["trace_id"], x["span_id"]) for key, x in lines.items() if "trace_id" in x}
    assert attributes == {key: spans[key] for key in attributes}
    assert {"pages"} == {d["tool"] for d in story.messages.decisions if d["id"] not in attributes}


def test_a_log_line_has_the_threat_and_verdict_of_its_span(story: Story) -> None:
    """The line's verdict is the decision's, and the line contains no canary."""
    tagged = {line["decision_id"] for line in story.messages.lines if "threat.type" in line}
    verdicts = {line["decision_id"]: line["verdict"] for line in story.messages.lines}

    assert tagged == story.messages.threats
    assert verdicts == {d["id"]: d["verdict"] for d in story.messages.decisions}
    assert [line for line in story.messages.lines if CANARY in str(line)] == []


def test_the_host_keeps_its_configuration(story: Story) -> None:
    """The host's configuration of structlog and logging is unchanged after the run."""
    assert story.messages.untouched
