"""The benchmarks of overhead run in their smallest form; their figures are not compared."""

from __future__ import annotations

import pytest

from tests.processes import load_benchmark


@pytest.mark.slow
def test_the_start_is_measured():
    """Every case is timed; the start of an interpreter is a part of the time from its start."""
    report = load_benchmark("overhead_start").measure(rounds=1)
    p50_ms = report["p50_ms"]

    assert {*p50_ms} == {
        "reference", "import", "shield", "first call", "first call from process start"
    }  # fmt: skip
    assert min(p50_ms.values()) > 0
    assert p50_ms["first call from process start"] > p50_ms["first call"]
    assert report["first_call_over_reference"] > 0


def test_a_real_sdk_exports_what_is_measured():
    """Spans and metrics arrive in another process, and every way is timed."""
    report = load_benchmark("overhead_sdk").measure(rounds=1, calls=5)

    assert {*report["exports"]} == {"/v1/traces", "/v1/metrics"}
    assert min(report["p50_us"].values()) > 0


@pytest.mark.slow
@pytest.mark.parametrize("product", ["abs_shield", "airlock", "policyshield", "edictum"])
def test_every_product_judges_the_call_that_is_timed(product):
    """Each lets the good call pass and stops an amount out of bounds, in its own environment."""
    overhead = load_benchmark("overhead_peers")
    report = overhead.measure(rounds=1, calls=2, products=[product])
    if "cannot be installed" in report["skipped"].get(product, ""):
        pytest.skip(f"{product} {report['skipped'][product]}")

    assert report["skipped"] == {}
    for judged in report["stops"][product].values():
        assert judged["passes"]
        assert overhead.MUST_STOP <= {*judged["stops"]}


@pytest.mark.slow
def test_a_product_that_cannot_be_installed_is_skipped_with_the_reason(tmp_path, monkeypatch):
    """The other products are measured, and the report has the reason."""
    overhead = load_benchmark("overhead_peers")
    monkeypatch.setitem(overhead.PINS, "edictum", str(tmp_path / "nowhere.whl"))
    report = overhead.measure(rounds=1, calls=1, envs=tmp_path, products=["edictum"])

    assert report["skipped"]["edictum"].startswith("cannot be installed")
    assert report["p50_us"] == report["over_fastest_peer"] == {}


@pytest.mark.release
@pytest.mark.slow
def test_a_check_is_measured():
    """Every ratio with a goal is there, of calls that were judged."""
    report = load_benchmark("overhead_check").measure(seconds=0.01)

    assert {"default", "without prefilter", "one argument"} <= {*report["ratios"]}
    assert min(report["p50_us"].values()) > 0


@pytest.mark.slow
def test_a_session_is_measured():
    """Indexing, memory and findings are measured; an empty session is small."""
    report = load_benchmark("overhead_session").measure(rounds=1, messages=80)

    assert report["memory"]["of an empty session"] < 2_500
    assert min(report["finding"].values()) > 0


@pytest.mark.slow
def test_replay_is_measured():
    """Every made-up call is judged."""
    assert load_benchmark("overhead_replay").measure(rounds=1)["calls"] == 2_000


@pytest.mark.slow
def test_threads_and_tasks_are_measured():
    """Threads share the checks, and tasks the calls."""
    report = load_benchmark("overhead_concurrent").measure(rounds=1, calls=8, tasks=2)

    assert min(report["throughput_over_one"], report["tasks_over_sequence"]) > 0


def test_measured_figures_are_compared_with_their_goals():
    """Figures that were not measured are omitted."""
    report = {"replay": {"replay_over_json": 9.5}, "sdk": {"check_over_hand": 2.0}}
    rows = load_benchmark("overhead").judged(report)

    assert [True, False] == [row["reached"] for row in rows]
