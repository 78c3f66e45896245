"""Metrics: the attribute sets that the docs promise, and nothing unbounded in them."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import dataclass
from threading import Thread
from typing import Any

import pytest
from opentelemetry._logs import get_logger_provider
from opentelemetry.metrics import Meter, MeterProvider, NoOpMeterProvider, get_meter_provider
from opentelemetry.trace import get_tracer_provider

from abs_shield import Shield, Tool, shield
from abs_shield.core import RAN, Action, Coverage, Outcome
from abs_shield.stores import SqliteStore
from abs_shield.telemetry.otel_hook import Otel


def _sums(points):
    return {tuple(sorted(point.attributes.items())): point.value for point in points}


def test_decisions_are_counted_by_kind(backend, decide):
    """Two decisions of a kind are one series of two."""
    otel = backend.otel()
    otel(decide(id="d-1"))
    otel(decide(id="d-2"))

    (point,) = backend.points("abs_shield.decisions")
    assert point.value == 2
    assert dict(point.attributes) == {
        "abs_shield.subject": "call",
        "gen_ai.tool.name": "refund",
        "abs_shield.verdict": "CLEAN",
        "abs_shield.action": "allow",
        "abs_shield.mode": "strict",
        "abs_shield.blocked": False,
    }


def test_findings_are_counted_by_check(backend, decide, finding):
    """Each finding counts under its check, tool and own verdict."""
    backend.otel()(decide(finding(), finding()))

    (point,) = backend.points("abs_shield.findings")
    assert (
        point.value,
        dict(point.attributes),
    ) == (
        2,
        {
            "abs_shield.finding.check": "phantom_target",
            "gen_ai.tool.name": "refund",
            "abs_shield.finding.verdict": "SUSPICIOUS",
        },
    )


def _coverage(backend):
    return {
        (
            point.attributes["abs_shield.check.name"],
            point.attributes["abs_shield.check.outcome"],
            point.attributes["gen_ai.tool.name"],
        ): point.value
        for point in backend.points("abs_shield.coverage")
    }


def test_coverage_is_counted_by_outcome(backend, decide):
    """Coverage is counted by tool and outcome; reasons are not labels."""
    otel = backend.otel()
    otel(decide(coverage={"phantom_tool": RAN, "confidence_drop": RAN}))
    otel(decide(coverage={"confidence_drop": Coverage(Outcome.UNAVAILABLE, "no logprobs")}))

    otel(decide(tool="transfer", coverage={"phantom_tool": RAN}))

    assert _coverage(backend) == {
        ("phantom_tool", "ran", "refund"): 1,
        ("phantom_tool", "ran", "transfer"): 1,
        ("confidence_drop", "ran", "refund"): 1,
        ("confidence_drop", "unavailable", "refund"): 1,
    }


def test_coverage_is_bounded(backend, decide):
    """Beyond 300 pairs of check and outcome the rest shares one name."""
    otel = backend.otel()
    for number in range(310):
        otel(decide(coverage={f"own_{number}": RAN}))

    counted = _coverage(backend)
    assert (301, 10) == (len(counted), counted["_other", "ran", "refund"])


def test_a_layer_that_breaks_is_counted_under_its_tool(backend):
    """An alert on the outcome `error` names the tool."""

    def broken(proposal, session):
        raise ConnectionError

    policy = shield.configure(mode="audit", layers=[broken], tools=[Tool(name="refund")])
    Shield(policy, hooks=[backend.otel()]).check_call({"name": "refund", "arguments": {}})

    assert {("broken", "error", "refund"): 1} == _coverage(backend)


def test_two_hooks_of_one_provider_share_the_coverage_count(backend, decide):
    """The SDK would drop a second observer of the same name, so both hooks share one."""
    for otel in (backend.otel(), backend.otel()):
        otel(decide(coverage={"phantom_tool": RAN}))

    assert [point.value for point in backend.points("abs_shield.coverage")] == [2]


@dataclass
class Wrapping(MeterProvider):
    """A provider with `__eq__` and without a hash, such as Logfire's."""

    inner: MeterProvider

    def get_meter(self, *args: Any, **kwargs: Any) -> Meter:
        return self.inner.get_meter(*args, **kwargs)


class Slotted(NoOpMeterProvider):
    """A provider that is equal to every other one."""

    def __eq__(self, other: object) -> bool:
        return True

    __hash__ = None


@pytest.mark.parametrize("provider", [Wrapping(NoOpMeterProvider()), Slotted()])
def test_a_provider_without_a_hash(provider):
    """Two hooks of the provider share one count; a hook of another provider has its own."""
    one, other = (Otel(meter_provider=provider) for _ in range(2))
    alone = Otel(meter_provider=NoOpMeterProvider())

    assert one._counts is other._counts
    assert one._counts is not alone._counts
    Shield(shield.configure(mode="audit"), hooks=[one])


def test_coverage_is_exact_under_threads(backend, decide):
    """Eight threads lose no count."""
    otel = backend.otel()
    decision = decide(coverage={"phantom_tool": RAN})
    threads = [Thread(target=lambda: [otel(decision) for _ in range(200)]) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert [point.value for point in backend.points("abs_shield.coverage")] == [1_600]


def test_duration_is_in_seconds(backend, decide):
    """Two milliseconds are exported as 0.002, in buckets of a suitable size."""
    backend.otel()(decide(elapsed_ms=2.0))

    (point,) = backend.points("abs_shield.check.duration")
    assert point.sum == pytest.approx(0.002)
    assert point.explicit_bounds[0] < 1e-4
    assert dict(point.attributes) == {
        "abs_shield.subject": "call",
        "gen_ai.tool.name": "refund",
        "abs_shield.verdict": "CLEAN",
    }


def test_retries_are_blocked_calls_under_a_budget(backend, decide, finding):
    """A blocked call with attempts left counts; one that was only flagged does not."""
    otel = backend.otel()
    otel(decide(finding(), action=Action.BLOCK, blocked=True, attempts_left=2))
    otel(decide(finding()))

    assert _sums(backend.points("abs_shield.blocked.retries")) == {
        (("gen_ai.tool.name", "refund"),): 1
    }


def test_unknown_tools_are_one_series(backend, decide, finding):
    """A hundred invented names are one label value."""
    otel = backend.otel()
    for i in range(100):
        otel(decide(finding(check="phantom_tool", code="unknown_tool"), tool=f"invented_{i}"))

    for metric in ("abs_shield.decisions", "abs_shield.findings", "abs_shield.check.duration"):
        (point,) = backend.points(metric)
        assert point.attributes["gen_ai.tool.name"] == "_unregistered"


def test_checks_are_bounded(backend, decide, finding):
    """Beyond a hundred names of checks, the rest shares one label."""
    otel = backend.otel()
    for i in range(300):
        otel(decide(finding(check=f"check_{i}", code=f"code_{i}")))

    points = backend.points("abs_shield.findings")
    checks = {point.attributes["abs_shield.finding.check"] for point in points}
    assert (len(checks), "_other" in checks) == (101, True)
    assert sum(point.value for point in backend.points("abs_shield.findings")) == 300


def test_a_shield_has_its_own_providers(backend):
    """A Shield whose hook has its own providers exports to these, and not to the global ones."""
    before = (get_tracer_provider(), get_meter_provider(), get_logger_provider())
    firewall = Shield(shield.configure(tools=[Tool(name="refund")]), hooks=[backend.otel()])

    firewall.check_call({"name": "refnud", "arguments": {}})

    assert backend.span().name == "abs_shield.check _unregistered"
    assert [event.log_record.event_name for event in backend.events] == ["abs_shield.finding"]
    assert [point.value for point in backend.points("abs_shield.decisions")] == [1]
    assert before == (get_tracer_provider(), get_meter_provider(), get_logger_provider())


def test_dropped_and_pending_decisions_are_metrics(backend, decide, tmp_path):
    """A log's dropped and pending decisions are metrics; without a log there are none."""
    memory = Shield(shield.configure(), hooks=[backend.otel()])
    memory.check_call({"name": "refund", "arguments": {}})
    assert [] == backend.points("abs_shield.log.dropped")

    store = SqliteStore(tmp_path / "log.db", most=2)
    Shield(shield.configure(), store=store, hooks=[backend.otel()])
    with closing(sqlite3.connect(tmp_path / "log.db", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        while not store.losing:
            store.append(decide(id="d"))
        store.append(decide(id="lost"))
        values = [
            backend.points(f"abs_shield.log.{name}")[0].value for name in ("dropped", "waiting")
        ]
    store.close()

    assert (1, True) == (values[0], values[1] >= 2)
