"""Cost of a check with a real OpenTelemetry export: ``python benchmarks/overhead_sdk.py``."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from statistics import median
from time import perf_counter_ns
from typing import Any
from urllib.request import urlopen

from command_line import command_parser, report_progress
from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import PeriodicExportingMetricReader
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor

from abs_shield import Decision, Shield, Tool, ToolCall, Verdict, rule, shield
from abs_shield.telemetry import Otel, StructLog

AT_MOST = 1.4
"""What our clean check may take, over a span and a histogram written by hand."""

COLLECTOR = """
from collections import Counter
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

class Collector(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    seen = Counter()

    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        self.seen[self.path] += 1
        self.answer(b"")

    def do_GET(self):
        self.answer(repr(dict(self.seen)).replace("'", '"').encode())

    def answer(self, body):
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args):
        pass

server = ThreadingHTTPServer(("127.0.0.1", 0), Collector)
print(server.server_port, flush=True)
server.serve_forever()
"""

SCHEMA = {
    "type": "object",
    "properties": {
        "order_id": {"type": "string"},
        "amount": {"type": "number"},
        "date": {"type": "string", "format": "date"},
        "currency": {"type": "string", "enum": ["EUR", "USD"]},
        "notify": {"type": "boolean"},
    },
    "required": ["order_id", "amount", "date"],
    "additionalProperties": False,
}
ARGUMENTS = {
    "order_id": "ord_12345",
    "amount": 20.0,
    "date": "2026-11-20",
    "currency": "EUR",
    "notify": True,
}
ATTRIBUTES = {
    "app.check.subject": "call",
    "app.check.verdict": "clean",
    "app.check.action": "allow",
    "app.check.mode": "strict",
    "app.check.blocked": False,
    "app.check.policy": "a1b2c3d4e5f60718",
    "app.check.id": "k3v9x2-000000000001",
    "app.session.id": "s-000000000001",
    "gen_ai.tool.name": "refund",
    "gen_ai.tool.call.id": "call_000000000001",
}
LABELS = {"subject": "call", "tool": "refund", "verdict": "clean"}

Way = Callable[[], Any]


@rule(tool="refund")
def amount_is_in_bounds(amount: float) -> bool:
    """A refund is above 0 and at most 500."""
    return 0 < amount <= 500


def measure(*, rounds: int = 60, calls: int = 100) -> dict[str, Any]:
    """
    Time *rounds* times *calls* calls of each kind in turn, while exporting to another process.

    All ways share one provider for spans and one for metrics. What a round made is exported
    after it, so nothing is dropped; the exporter's own work stands in no way's time.

    Returns:
        p50 in microseconds by way, what our whole check and our hook alone
        take over the span by hand, and how many exports the collector took in.
    """
    with _collector() as collector:
        tracers = TracerProvider(shutdown_on_exit=False)
        tracers.add_span_processor(BatchSpanProcessor(OTLPSpanExporter(f"{collector}/v1/traces")))
        reader = PeriodicExportingMetricReader(OTLPMetricExporter(f"{collector}/v1/metrics"))
        meters = MeterProvider([reader], shutdown_on_exit=False)
        ways = by_hand(tracers, meters) | ours(tracers, meters)
        took = _took_us(ways, rounds=rounds, calls=calls, after=tracers.force_flush)
        tracers.shutdown()
        meters.shutdown()
        with urlopen(collector) as answer:
            exports = json.load(answer)
    return {
        "rounds": rounds,
        "calls_a_round": calls,
        "p50_us": {name: round(median(us), 2) for name, us in took.items()},
        "check_over_hand": _over(took, "check", "hand"),
        "check_over_hand_at_once": _over(took, "check", "hand_at_once"),
        "hook_over_hand": _over(took, "hook", "hand"),
        "exports": exports,
        "at_most": AT_MOST,
    }


def by_hand(tracers: TracerProvider, meters: MeterProvider) -> dict[str, Way]:
    """Return the equivalent without abs_shield: a span of ten attributes and a histogram."""
    tracer = tracers.get_tracer("by_hand")
    histogram = meters.get_meter("by_hand").create_histogram("app.check.duration", unit="s")

    def hand() -> None:
        span = tracer.start_span("check refund")
        for name, value in ATTRIBUTES.items():
            span.set_attribute(name, value)
        span.end()
        histogram.record(0.000_01, LABELS)

    def hand_at_once() -> None:
        span = tracer.start_span("check refund", attributes=ATTRIBUTES)
        span.end()
        histogram.record(0.000_01, LABELS)

    return {"hand": hand, "hand_at_once": hand_at_once}


def ours(tracers: TracerProvider, meters: MeterProvider) -> dict[str, Way]:
    """Return checks with an SDK, without a listener, and without hooks; and the hooks alone."""
    otel = Otel(tracer_provider=tracers, meter_provider=meters)
    check, decision = _check(hooks=[otel])
    unheard, log = Otel(), StructLog()
    return {
        "check": check,
        "check_unheard": _check(hooks=())[0],
        "check_without_hooks": _check(hooks=None)[0],
        "hook": lambda: otel(decision),
        "hook_unheard": lambda: unheard(decision),
        "log_unheard": lambda: log(decision),
    }


def _check(*, hooks: Any) -> tuple[Way, Decision]:
    tool = Tool(name="refund", parameters=SCHEMA, targets=("order_id",))
    firewall = Shield(shield.configure(tools=[tool], rules=[amount_is_in_bounds]), hooks=hooks)
    session = firewall.session()
    session.user("Please refund order ord_12345, 20 EUR, dated 2026-11-20, and notify me.")
    call = ToolCall("refund", ARGUMENTS)
    decision = firewall.check_call(call, session=session)
    assert decision.verdict is Verdict.CLEAN, decision.explain()
    return lambda: firewall.check_call(call, session=session), decision


def _took_us(
    ways: dict[str, Way], *, rounds: int, calls: int, after: Way
) -> dict[str, list[float]]:
    """p50 of each round's calls, in microseconds, by way; the first round only warms up."""
    took: dict[str, list[float]] = {name: [] for name in ways}
    for _ in report_progress(range(rounds + 1), doing="timing exports", total=rounds + 1):
        for name, way in ways.items():
            took[name].append(_p50_us(way, calls))
            after()
    return {name: us[1:] for name, us in took.items()}


def _p50_us(way: Way, calls: int) -> float:
    took = []
    for _ in range(calls):
        start = perf_counter_ns()
        way()
        took.append(perf_counter_ns() - start)
    return median(took) / 1e3


def _over(took: dict[str, list[float]], mine: str, theirs: str) -> float:
    """The median of the rounds' own ratios: both sides of one round met the same machine."""
    return round(median(a / b for a, b in zip(took[mine], took[theirs], strict=True)), 3)


@contextmanager
def _collector() -> Iterator[str]:
    """A receiver in a process of its own; gives its address."""
    with subprocess.Popen([sys.executable, "-c", COLLECTOR], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        try:
            yield f"http://127.0.0.1:{int(process.stdout.readline())}"
        finally:
            process.kill()


def main(arguments: Sequence[str] | None = None) -> None:
    """Print one JSON object."""
    parser = command_parser(__doc__, example="overhead_sdk.py --rounds 20")
    parser.add_argument("--rounds", type=int, default=60)
    parser.add_argument("--calls", type=int, default=100)
    options = parser.parse_args(arguments)
    print(json.dumps(measure(rounds=options.rounds, calls=options.calls), indent=2))


if __name__ == "__main__":
    main()
