"""`setup()` follows the OTEL variables, replaces no provider and shuts down in bounded time."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

HEAD = """
import time
from opentelemetry import metrics, trace, _logs
from abs_shield.telemetry import Otel, setup
kind = lambda thing: type(thing).__module__ + "." + type(thing).__name__
"""


def run(code: str, **variables: str) -> list[str]:
    """Return the output of a new process, and fail if it writes to stderr."""
    env = {k: v for k, v in os.environ.items() if not k.startswith("OTEL_")} | variables
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", HEAD + code],
        capture_output=True,
        text=True,
        env=env,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.splitlines()


def test_disabled_builds_nothing():
    """OTEL_SDK_DISABLED=true leaves the proxies in place."""
    out = run(
        "t = setup(); print(t.providers, t.shutdown())\n"
        "print(type(trace.get_tracer_provider()).__name__)",
        OTEL_SDK_DISABLED="true",
    )

    assert out == ["() True", "ProxyTracerProvider"]


def test_a_second_setup_changes_nothing():
    """Both calls give the same providers, and these are the global ones."""
    out = run(
        "a, b = setup(), setup()\n"
        "now = (trace.get_tracer_provider(), metrics.get_meter_provider(),"
        " _logs.get_logger_provider())\n"
        "print(a is b, a.providers == now)",
        **{f"OTEL_{signal}_EXPORTER": "none" for signal in ("TRACES", "METRICS", "LOGS")},
    )

    assert out == ["True True"]


def test_a_provider_of_the_host_is_left_alone():
    """A provider that the host set remains, without a warning, and is not shut down."""
    out = run(
        "from opentelemetry.sdk.trace import TracerProvider\n"
        "mine = TracerProvider(); trace.set_tracer_provider(mine)\n"
        "t = setup()\n"
        "print(trace.get_tracer_provider() is mine, mine in t.providers, len(t.providers))",
        **{f"OTEL_{signal}_EXPORTER": "none" for signal in ("TRACES", "METRICS", "LOGS")},
    )

    assert out == ["True False 2"]


@pytest.mark.parametrize(
    ("variables", "package"),
    [
        ({}, "grpc"),
        ({"OTEL_EXPORTER_OTLP_PROTOCOL": "grpc"}, "grpc"),
        ({"OTEL_EXPORTER_OTLP_PROTOCOL": "http/protobuf"}, "http"),
        (
            {
                "OTEL_EXPORTER_OTLP_PROTOCOL": "grpc",
                "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL": "http/protobuf",
            },
            "http",
        ),
    ],
)
def test_the_protocol_chooses_the_exporter(variables, package):
    """The signal's own variable takes precedence over the common one; the default is grpc."""
    out = run(
        "from abs_shield.telemetry.otel_setup import _exporters\n"
        "print([e.__module__.split('.')[4] for e in _exporters('traces')])",
        **variables,
    )

    assert out == [f"['{package}']"]


@pytest.mark.parametrize(
    ("variable", "word", "message"),
    [
        ("OTEL_EXPORTER_OTLP_PROTOCOL", "gprc", "did you mean `grpc`?"),
        ("OTEL_TRACES_EXPORTER", "oltp", "did you mean `otlp`?"),
        ("OTEL_LOGS_EXPORTER", "jaeger", "use one of otlp, console, none"),
    ],
)
def test_an_invalid_value_of_a_variable_is_an_error(variable, word, message):
    """The error names the variable, the value and the nearest valid one."""
    out = run(
        "from abs_shield.errors import ShieldError\n"
        "try:\n    setup()\n"
        "except ShieldError as error:\n    print(error)",
        **{variable: word},
    )

    assert f"{variable} is `{word}`" in out[0]
    assert message in out[0]


@pytest.mark.parametrize(
    ("variable", "word"),
    [
        ("OTEL_EXPORTER_OTLP_COMPRESSION", "zip"),
        ("OTEL_EXPORTER_OTLP_TIMEOUT", "soon"),
        ("OTEL_METRIC_EXPORT_INTERVAL", "-5"),
    ],
)
def test_an_error_of_the_sdk_is_one_line(variable, word):
    """The error of abs_shield names the reason, and no provider was set."""
    out = run(
        "from abs_shield.errors import ShieldError\n"
        "try:\n    setup()\n"
        "except ShieldError as error:\n    print(error)\n"
        "print(type(trace.get_tracer_provider()).__name__)",
        **{variable: word},
    )

    assert out[0].startswith("the SDK rejects an OTEL_* variable: ")
    assert out[1:] == ["ProxyTracerProvider"]


def test_shutdown_is_bounded_without_a_collector():
    """With records to export and no collector, shutdown returns within its timeout."""
    code = """
import logging; logging.disable()
t = setup()
trace.get_tracer("x").start_span("s").end()
_logs.get_logger("x").emit(body="b")
metrics.get_meter("x").create_counter("c").add(1)
start = time.monotonic(); t.shutdown(timeout_s=0.5)
print(time.monotonic() - start < 2)
"""
    out = run(code, OTEL_EXPORTER_OTLP_ENDPOINT="http://127.0.0.1:9")

    assert out == ["True"]


def test_a_hook_built_before_setup_is_recorded():
    """Telemetry of an `Otel` created before `setup()` reaches the providers set later."""
    code = """
from abs_shield.core import *
otel = Otel()
finding = Finding(check="phantom_target", verdict=Verdict.SUSPICIOUS, strength=1.0,
    where="/arguments/id", detail="d", code="c")
t = setup()
otel(Decision(id="d-1", subject=Subject.CALL, tool="refund", verdict=Verdict.SUSPICIOUS,
    action=Action.FLAG, mode=Mode.AUDIT, blocked=False, would_block=False, policy_revision="r",
    at=1.7e9, findings=(finding,), coverage={"phantom_target": RAN}))
print(t.shutdown())
"""
    out = "\n".join(
        run(
            code,
            OTEL_TRACES_EXPORTER="console",
            OTEL_METRICS_EXPORTER="console",
            OTEL_LOGS_EXPORTER="console",
        )
    )

    expected = ("abs_shield.check refund", "abs_shield.finding", "abs_shield.coverage")
    assert [name for name in expected if f'"{name}"' not in out] == []
    assert out.endswith("True")


@pytest.mark.release
@pytest.mark.slow
def test_the_exit_is_bounded_without_a_collector():
    """A process that never calls shutdown ends within seconds."""
    code = """
import atexit, logging; logging.disable()
start = time.monotonic()
atexit.register(lambda: print(time.monotonic() - start < 10))
setup()
trace.get_tracer("x").start_span("s").end()
"""
    out = run(code, OTEL_EXPORTER_OTLP_ENDPOINT="http://127.0.0.1:9")

    assert out == ["True"]


LATE = """
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from abs_shield import Shield, shield
early = Shield(shield.configure())
early.check_call({"name": "refund", "arguments": {}})
spans, reader = InMemorySpanExporter(), InMemoryMetricReader()
traces = TracerProvider(shutdown_on_exit=False)
traces.add_span_processor(SimpleSpanProcessor(spans))
trace.set_tracer_provider(traces)
metrics.set_meter_provider(MeterProvider([reader], shutdown_on_exit=False))
for firewall in (early, Shield(shield.configure())):
    firewall.check_call({"name": "refund", "arguments": {}})
scopes = reader.get_metrics_data().resource_metrics[0].scope_metrics
counted = {m.name: m.data.data_points[0].value for s in scopes for m in s.metrics
           if m.name == "abs_shield.decisions"}
print(len(spans.get_finished_spans()), counted)
"""


def test_providers_set_late_receive_all_later_telemetry():
    """Shields created before and after the SDK was set are both recorded, once each."""
    assert run(LATE) == ["2 {'abs_shield.decisions': 2}"]
