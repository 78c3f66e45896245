"""Names of tools that are made to look like others, or to break what prints them."""

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


def decided(name: str, mode: str = "strict") -> Decision:
    with (firewall := make_shield(mode)).session() as session:
        session.user("Please refund tx_12345.")
        return firewall.check_call(ToolCall(name, {}))


@every_name
def test_no_name_passes_for_another(name: str) -> None:
    """Only the very name is the tool's; what looks like it is unknown."""
    decision = decided(name)

    assert ("HALLUCINATED", True) == (decision.verdict, decision.blocked)
    assert ["phantom_tool"] == [finding.check for finding in decision.findings]
    assert set(LAYER_NAMES) == set(decision.coverage)


@every_name
def test_dispatch_says_so_on_one_plain_line(name: str) -> None:
    """An exception's text holds nothing that a terminal, a log or a page would act on."""
    with pytest.raises(CallBlocked) as blocked:
        make_shield().dispatch(name, {})

    assert RAW.isdisjoint(str(blocked.value))
    assert len(str(blocked.value)) < 1_000


@every_name
def test_what_the_model_is_told_is_plain(name: str) -> None:
    """Feedback is small, and JSON that UTF-8 can encode."""
    feedback = json.dumps(decided(name).feedback(), ensure_ascii=False)

    assert RAW.isdisjoint(feedback)
    assert len(feedback.encode()) < 4_000


@every_name
def test_a_record_is_bounded(name: str) -> None:
    """A decision is text for UTF-8, and keeps a bounded stretch of a name."""
    decision = decided(name)

    assert len(decision.to_json().encode()) < 12 * LONGEST_NAME
    assert decision == Decision.from_dict(decision.to_dict())


@pytest.mark.parametrize("name", NO_NAMES, ids=repr)
@pytest.mark.parametrize("mode", ["strict", "audit"])
def test_what_is_no_name_is_never_clean(name: object, mode: str) -> None:
    """A call whose name is not text has no tool, by every entry point."""
    firewall = make_shield(mode)
    calls = [ToolCall(name, {}), {"name": name, "arguments": {}}]  # type: ignore[arg-type]
    results = [firewall.check_call(call).verdict for call in calls]
    results += [decision.verdict for decision in firewall.inspect_turn(calls)]

    assert ["HALLUCINATED"] * 4 == results


@every_name
def test_the_log_has_one_line_each(name: str, caplog: pytest.LogCaptureFixture) -> None:
    """The structlog line is one line of JSON in plain characters."""
    caplog.set_level(logging.INFO, "abs_shield")
    StructLog()(decided(name))
    (line,) = [record.getMessage() for record in caplog.records]

    assert RAW.isdisjoint(line)
    assert "HALLUCINATED" == json.loads(line)["verdict"]


@every_name
def test_spans_and_metrics_hold_it_plain(name: str) -> None:
    """Exported names are escaped and short; an unknown name is not a metric's label."""
    spans, reader = InMemorySpanExporter(), InMemoryMetricReader()
    traces = TracerProvider(shutdown_on_exit=False)
    traces.add_span_processor(SimpleSpanProcessor(spans))
    meters = MeterProvider([reader], shutdown_on_exit=False)
    Otel(tracer_provider=traces, meter_provider=meters)(decided(name))
    message = "".join(span.to_json(indent=None) for span in spans.get_finished_spans())
    metrics = reader.get_metrics_data().to_json(indent=None)

    assert RAW.isdisjoint(message + metrics)
    assert "_unregistered" in metrics
    assert len(message) < 4_000


def a_run(name: str) -> dict[str, object]:
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
def test_the_command_line_shows_it_plain(
    name: str, format: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A replay prints names, ids, keys and values without acting on them."""
    file = written(tmp_path / "runs.jsonl", a_run(name))
    more = [] if format == "jsonl" else ["--findings", "9"]
    code = main(["replay", str(file), "--format", format, *more])
    printed = capsys.readouterr().out

    assert code == 0
    assert (RAW - {"\n"}).isdisjoint(printed)
    if format == "jsonl":
        assert 2 == len(printed.splitlines()) == len([*map(json.loads, printed.splitlines())])


@every_name
def test_replay_finds_it_too(name: str, tmp_path: Path) -> None:
    """In a recorded run the same is said of a name, and its line is JSON."""
    unknown, ghost = replay([written(tmp_path / "runs.jsonl", a_run(name))])

    assert ["phantom_tool"] == [finding.check for finding in unknown.decision.findings]
    assert "HALLUCINATED" == ghost.decision.verdict
    assert set(LAYER_NAMES) == set(unknown.decision.coverage) == set(ghost.decision.coverage)
    json.dumps(row(unknown), ensure_ascii=True)


def test_a_tool_has_a_name_of_some_length() -> None:
    """A name that is longer than the model's names are read is refused when it is declared."""
    with pytest.raises(PolicyError, match="at most 512"):
        Tool(name="x" * 513)


def test_the_console_takes_nothing_for_markup() -> None:
    """Tables show text on the console, never markup."""
    from abs_shield.cli.console import safe

    out = io.StringIO()
    Console(file=out, force_terminal=True).print(safe(NAMES["markup of the console"]))

    assert NAMES["markup of the console"] in out.getvalue()
