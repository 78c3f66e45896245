"""Tool names that imitate other names, or contain control characters and markup."""

from __future__ import annotations

import io
import json
import logging
from pathlib import Path

import pytest
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from rich.console import Console

from abs_shield import CallBlocked, Decision, PolicyError, Shield, Tool, ToolCall, shield
from abs_shield.cli import main
from abs_shield.core import LAYER_NAMES
from abs_shield.replay import replay, row
from abs_shield.telemetry import Otel, StructLog
from abs_shield.text.safe_display import LONGEST_NAME
from tests.hostile.entry_points import written

NAMES = {
    "Cyrillic е": "rеfund",
    "Greek ο": "refοund",
    "full width": "ｒｅｆｕｎｄ",
    "zero-width space": "ref\u200bund",
    "zero-width joiner": "refund\u200d",
    "right to left": "\u202edrefun",
    "soft hyphen": "re\u00adfund",
    "capitals": "REFUND",
    "a blank": "refund ",
    "a null byte": "refund\x00",
    "nothing": "",
    "a terminal escape": "\x1b[2J\x1b[31mrefund",
    "a title escape": "\x1b]0;owned\x07",
    "a log line": 'x\nERROR abs_shield {"verdict": "CLEAN"}',
    "a carriage return": "x\rrefund",
    "other line ends": "x\x85y\u2028z\u2029",
    "HTML": "<img src=x onerror=alert(1)>",
    "markup of the console": "[red]refund[/red][link=file:///etc/passwd]",
    "a lone surrogate": "refund\ud800",
    "one megabyte": "refund" * 175_000,
    "a path": "../../refund",
    "a format": "{0.__class__}%s%n",
}
NO_NAMES = [
    None,
    True,
    7,
    1.5,
    ["refund"],
    {"name": "refund"},
    b"refund",
    # its `repr` holds an address, which would differ between the processes of pytest-xdist
    pytest.param(object(), id="object()"),
]
RAW = set(map(chr, (*range(32), *range(127, 160), 0x2028, 0x2029, 0x202E, 0x200B, 0xD800)))

NOTHING = {"type": "object", "properties": {}, "additionalProperties": False}

every_name = pytest.mark.parametrize("name", NAMES.values(), ids=NAMES)


def make_shield(mode: str = "strict", **more: object) -> Shield:
    policy = shield.configure(mode=mode, tools=[Tool(name="refund", parameters={})])
    return Shield(policy, hooks=more.get("hooks"))


def decision_about(name: str, mode: str = "strict") -> Decision:
    with (firewall := make_shield(mode)).session() as session:
        session.user("Please refund tx_12345.")
        return firewall.check_call(ToolCall(name, {}))


@every_name
def test_a_name_that_looks_like_a_tool_is_unknown(name: str) -> None:
    """Only the exact name is the tool's; a call of a similar name is HALLUCINATED."""
    decision = decision_about(name)

    assert ("HALLUCINATED", True) == (decision.verdict, decision.blocked)
    assert ["phantom_tool"] == [finding.check for finding in decision.findings]
    assert set(LAYER_NAMES) == set(decision.coverage)


@every_name
def test_the_error_of_dispatch_has_no_control_characters(name: str) -> None:
    """The message is short and on one line, safe for a terminal, a log or a page."""
    with pytest.raises(CallBlocked) as blocked:
        make_shield().dispatch(name, {})

    assert RAW.isdisjoint(str(blocked.value))
    assert len(str(blocked.value)) < 1_000


@every_name
def test_feedback_has_no_control_characters(name: str) -> None:
    """The feedback is less than 4,000 bytes of JSON that UTF-8 can encode."""
    feedback = json.dumps(decision_about(name).feedback(), ensure_ascii=False)

    assert RAW.isdisjoint(feedback)
    assert len(feedback.encode()) < 4_000


@every_name
def test_the_size_of_a_decision_is_bounded(name: str) -> None:
    """A decision has a bounded part of the name, and can be serialised and read again."""
    decision = decision_about(name)

    assert len(decision.to_json().encode()) < 12 * LONGEST_NAME
    assert decision == Decision.from_dict(decision.to_dict())


@pytest.mark.parametrize("name", NO_NAMES, ids=repr)
@pytest.mark.parametrize("mode", ["strict", "audit"])
def test_a_name_that_is_not_text_is_hallucinated(name: object, mode: str) -> None:
    """This applies to `check_call` and `inspect_turn`, and to calls as objects and as dicts."""
    firewall = make_shield(mode)
    calls = [ToolCall(name, {}), {"name": name, "arguments": {}}]  # type: ignore[arg-type]
    results = [firewall.check_call(call).verdict for call in calls]
    results += [decision.verdict for decision in firewall.inspect_turn(calls)]

    assert ["HALLUCINATED"] * 4 == results


@every_name
def test_the_log_has_one_line_per_decision(name: str, caplog: pytest.LogCaptureFixture) -> None:
    """The line of structlog is JSON without control characters."""
    caplog.set_level(logging.INFO, "abs_shield")
    StructLog()(decision_about(name))
    (line,) = [record.getMessage() for record in caplog.records]

    assert RAW.isdisjoint(line)
    assert "HALLUCINATED" == json.loads(line)["verdict"]


@every_name
def test_spans_and_metrics_have_no_control_characters(name: str) -> None:
    """Exported names are escaped and short; an unknown name is no label of a metric."""
    spans, reader = InMemorySpanExporter(), InMemoryMetricReader()
    traces = TracerProvider(shutdown_on_exit=False)
    traces.add_span_processor(SimpleSpanProcessor(spans))
    meters = MeterProvider([reader], shutdown_on_exit=False)
    Otel(tracer_provider=traces, meter_provider=meters)(decision_about(name))
    message = "".join(span.to_json(indent=None) for span in spans.get_finished_spans())
    metrics = reader.get_metrics_data().to_json(indent=None)

    assert RAW.isdisjoint(message + metrics)
    assert "_unregistered" in metrics
    assert len(message) < 4_000


def make_run(name: str) -> dict[str, object]:
    call = {"id": name, "function": {"name": name, "arguments": json.dumps({name: name})}}
    return {
        "run_id": name,
        "session_id": name,
        "source": name,
        "tools": [{"name": "refund", "parameters": NOTHING}],
        "messages": [
            {"role": "user", "content": name},
            {"role": "assistant", "tool_calls": [call]},
            {"role": "assistant", "tool_calls": [{**call, "function": {"name": "refund", 
                "arguments": json.dumps({name: name})}}]},
        ],
    }  # fmt: skip


@every_name
@pytest.mark.parametrize("format", ["table", "json", "jsonl"])
def test_replay_prints_no_control_characters(
    name: str, format: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The command escapes names, ids, keys and values in every output format."""
    file = written(tmp_path / "runs.jsonl", make_run(name))
    more = [] if format == "jsonl" else ["--findings", "9"]
    code = main(["replay", str(file), "--format", format, *more])
    printed = capsys.readouterr().out

    assert code == 0
    assert (RAW - {"\n"}).isdisjoint(printed)
    if format == "jsonl":
        assert 2 == len(printed.splitlines()) == len([*map(json.loads, printed.splitlines())])


@every_name
def test_replay_finds_a_name_that_looks_like_a_tool(name: str, tmp_path: Path) -> None:
    """In a recorded run, `phantom_tool` finds the name, and the row is JSON."""
    unknown, ghost = replay([written(tmp_path / "runs.jsonl", make_run(name))])

    assert ["phantom_tool"] == [finding.check for finding in unknown.decision.findings]
    assert "HALLUCINATED" == ghost.decision.verdict
    assert set(LAYER_NAMES) == set(unknown.decision.coverage) == set(ghost.decision.coverage)
    json.dumps(row(unknown), ensure_ascii=True)


def test_a_tool_name_of_more_than_512_characters_is_rejected() -> None:
    """Names of calls are only read up to this length."""
    with pytest.raises(PolicyError, match="at most 512"):
        Tool(name="x" * 513)


def test_the_console_does_not_interpret_markup() -> None:
    """A name with markup of rich is printed as text."""
    from abs_shield.cli.console import safe

    out = io.StringIO()
    Console(file=out, force_terminal=True).print(safe(NAMES["markup of the console"]))

    assert NAMES["markup of the console"] in out.getvalue()
