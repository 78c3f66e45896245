"""A forked worker exports metrics of its own calls and none of its parent's."""

from __future__ import annotations

import json

import pytest

from tests.processes import run_python
from tests.requirements import needs_fork
from tests.telemetry.processes import ROOT

pytestmark = needs_fork

PROGRAM = """
import json, os, sys
from opentelemetry.sdk.metrics import Counter, Histogram, MeterProvider, ObservableCounter
from opentelemetry.sdk.metrics.export import AggregationTemporality, InMemoryMetricReader
from abs_shield import Shield, shield
from abs_shield.telemetry import Otel

temporality, collects = AggregationTemporality[sys.argv[1]], sys.argv[2] == "collects"
kinds = dict.fromkeys((Counter, Histogram, ObservableCounter), temporality)
reader = InMemoryMetricReader(preferred_temporality=kinds)
meters = MeterProvider([reader], shutdown_on_exit=False)
policy = shield.configure(mode="strict")
firewall = Shield(policy, hooks=[Otel(meter_provider=meters)])


@firewall.register
def read() -> int:
    return 1


def call(times):
    for _ in range(times):
        firewall.check_call({"name": "raed", "arguments": {}})


def exported():
    data = reader.get_metrics_data()
    metrics = [m for r in data.resource_metrics for s in r.scope_metrics for m in s.metrics]
    sums = {m.name: {getattr(p, "value", getattr(p, "count", 0)) for p in m.data.data_points}
            for m in metrics}
    return {name: sorted(values) for name, values in sums.items()}


call(2)
if collects:
    exported()
call(1)
pid = os.fork()
if not pid:
    call(10)
    print(json.dumps({"child": exported()}), flush=True)
    os._exit(0)
os.waitpid(pid, 0)
call(1)
print(json.dumps({"parent": exported()}), flush=True)
"""
METRICS = ("decisions", "findings", "coverage", "check.duration", "blocked.retries")


@pytest.mark.parametrize("collects", ["collects", "waits"])
@pytest.mark.parametrize("temporality", ["CUMULATIVE", "DELTA"])
def test_a_child_exports_only_its_own_calls(temporality: str, collects: str) -> None:
    """The child's metrics do not depend on what its parent had exported; the parent's continue."""
    done = run_python("-W", "error", "-c", PROGRAM, temporality, collects, cwd=ROOT)
    messages: dict[str, dict[str, list[int]]] = {}
    for line in done.stdout.splitlines():
        messages |= json.loads(line)
    ahead = 2 if temporality == "DELTA" and collects == "collects" else 0

    assert {f"abs_shield.{name}": [10] for name in METRICS} == messages["child"]
    assert {f"abs_shield.{name}": [4 - ahead] for name in METRICS} == messages["parent"]
