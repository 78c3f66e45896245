"""Cost of reporting a clean call to OpenTelemetry, over the same by hand."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from itertools import count
from statistics import median, quantiles
from time import perf_counter_ns
from typing import Any

from command_line import report_progress
from opentelemetry.exporter.otlp.proto.grpc._log_exporter import OTLPLogExporter
from opentelemetry.exporter.otlp.proto.grpc.metric_exporter import OTLPMetricExporter
from opentelemetry.exporter.otlp.proto.grpc.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk._logs import LoggerProvider
from opentelemetry.sdk._logs.export import BatchLogRecordProcessor
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import PeriodicExportingMetricReader
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.sdk.trace.sampling import ALWAYS_OFF, ALWAYS_ON, Sampler
from telemetry_receiver import receiver

from abs_shield import Decision, Shield, Tool, shield
from abs_shield.telemetry import Otel

AT_MOST = 1.3
"""What the hook may take, over a span and a histogram by hand."""

Way = Callable[[Decision], None]


def measure(*, rounds: int = 60, calls: int = 100) -> dict[str, Any]:
    """
    Time *rounds* times *calls* calls of each way, call by call in turn.

    Both ways export over OTLP/gRPC to a receiver in another process. What a round made is
    exported after it, so nothing is dropped; what the calling thread pays is what is timed.

    Returns:
        p50 and p99 in microseconds by way, and the hook's p50 over the hand's: the median of the
        rounds' own ratios. ``sampled_out`` is the same where no span is recorded, ``flagged`` the
        same for decisions with a finding, which the hook alone tells as a log event as well.
    """
    with receiver() as collector:
        endpoint = f"http://127.0.0.1:{collector.ports['grpc']}"
        results = _compared(endpoint, ALWAYS_ON, rounds=rounds, calls=calls)
        results["flagged"] = _compared(
            endpoint, ALWAYS_ON, rounds=rounds, calls=calls, flagged=True
        )
        results["sampled_out"] = _compared(endpoint, ALWAYS_OFF, rounds=rounds, calls=calls)
    return {"rounds": rounds, "calls_a_round": calls, "at_most": AT_MOST} | results


def _compared(
    endpoint: str, sampler: Sampler, *, rounds: int, calls: int, flagged: bool = False
) -> dict[str, Any]:
    with _providers(endpoint, sampler) as (tracers, meters, loggers):
        hook = Otel(tracer_provider=tracers, meter_provider=meters, logger_provider=loggers)
        ways: dict[str, Way] = by_hand(tracers, meters) | {"hook": hook}
        took: dict[str, list[list[float]]] = {name: [] for name in ways}
        kind = "flagged" if flagged else "clean"
        doing = f"timing the hook on {kind} decisions"
        for _ in report_progress(range(rounds + 1), doing=doing, total=rounds + 1):
            decisions = list(_decisions(calls, flagged=flagged))
            for name, us in _round(ways, decisions).items():
                took[name].append(us)
            tracers.force_flush()
    warm = {name: us[1:] for name, us in took.items()}
    return {
        "us": {name: _percentiles(us) for name, us in warm.items()},
        "hook_over_hand": _over(warm["hook"], warm["hand"]),
        "hook_over_hand_and_counter": _over(warm["hook"], warm["hand_and_counter"]),
    }


@contextmanager
def _providers(
    endpoint: str, sampler: Sampler
) -> Iterator[tuple[TracerProvider, MeterProvider, LoggerProvider]]:
    tracers = TracerProvider(sampler=sampler, shutdown_on_exit=False)
    spans = OTLPSpanExporter(endpoint=endpoint, insecure=True)
    tracers.add_span_processor(BatchSpanProcessor(spans))
    points = OTLPMetricExporter(endpoint=endpoint, insecure=True)
    meters = MeterProvider([PeriodicExportingMetricReader(points)], shutdown_on_exit=False)
    loggers = LoggerProvider(shutdown_on_exit=False)
    events = OTLPLogExporter(endpoint=endpoint, insecure=True)
    loggers.add_log_record_processor(BatchLogRecordProcessor(events))
    yield tracers, meters, loggers
    loggers.shutdown()
    tracers.shutdown()
    meters.shutdown()


def by_hand(tracers: TracerProvider, meters: MeterProvider) -> dict[str, Way]:
    """Write the equivalent by hand: a span with the same attributes, a histogram and a counter."""
    tracer, meter = tracers.get_tracer("by_hand"), meters.get_meter("by_hand")
    duration = meter.create_histogram("app.check.duration", unit="s")
    counter = meter.create_counter("app.decisions")

    def hand(decision: Decision) -> None:
        start = int(decision.at * 1e9)
        attributes = _span_attributes(decision)
        span = tracer.start_span(f"check {decision.tool}", attributes=attributes, start_time=start)
        span.end(start + int(decision.elapsed_ms * 1e6))
        kind = {
            "subject": decision.subject.value,
            "tool": decision.tool,
            "verdict": decision.verdict.value,
        }
        duration.record(decision.elapsed_ms / 1_000, kind)

    def hand_and_counter(decision: Decision) -> None:
        hand(decision)
        counted = {
            "subject": decision.subject.value,
            "tool": decision.tool,
            "verdict": decision.verdict.value,
            "action": decision.action.value,
            "mode": decision.mode.value,
            "blocked": decision.blocked,
        }
        counter.add(1, counted)

    return {"hand": hand, "hand_and_counter": hand_and_counter}


def _span_attributes(decision: Decision) -> dict[str, str | bool]:
    return {
        "app.subject": decision.subject.value,
        "app.verdict": decision.verdict.value,
        "app.action": decision.action.value,
        "app.mode": decision.mode.value,
        "app.blocked": decision.blocked,
        "app.would_block": decision.would_block,
        "app.policy.revision": decision.policy_revision,
        "app.decision.id": decision.id,
        "app.session.id": decision.session_id,
        "gen_ai.tool.name": decision.tool,
        "gen_ai.tool.type": "function",
        "gen_ai.tool.call.id": decision.call_id or "",
    }


def _decisions(calls: int, *, flagged: bool) -> Iterator[Decision]:
    """Decisions of a real Shield, clean or flagged, each with an id and a call id of its own."""
    tool = Tool(name="refund", parameters={"type": "object", "required": ["id"] * flagged})
    firewall = Shield(shield.configure(tools=[tool]), hooks=None)
    session = firewall.session()
    session.user("Refund it.")
    call = {"name": "refund", "arguments": {}}
    decision = firewall.check_call(call, session=session)
    assert (len(decision.findings) == 1) == flagged, decision.explain()
    for number in range(calls):
        yield replace(decision, id=f"{decision.id}-{next(_IDS)}", call_id=f"call_{number:012d}")


_IDS = count()


def _round(ways: dict[str, Way], decisions: list[Decision]) -> dict[str, list[float]]:
    """Microseconds of each call by way; the ways take turns in going first."""
    took: dict[str, list[float]] = {name: [] for name in ways}
    order = [*ways.items()]
    gc.collect()
    gc.disable()
    for decision in decisions:
        for name, way in order:
            started = perf_counter_ns()
            way(decision)
            took[name].append((perf_counter_ns() - started) / 1e3)
        order.reverse()
    gc.enable()
    return took


def _percentiles(rounds: list[list[float]]) -> dict[str, float]:
    every = [us for one in rounds for us in one]
    return {"p50": round(median(every), 2), "p99": round(quantiles(every, n=100)[98], 2)}


def _over(mine: list[list[float]], theirs: list[list[float]]) -> float:
    """The median of the rounds' own ratios of p50: both sides of one met the same machine."""
    pairs = zip(mine, theirs, strict=True)
    return round(median(median(a) / median(b) for a, b in pairs), 3)
