"""The benchmark of telemetry runs in its smallest form; its figures are not compared."""

from __future__ import annotations

import pytest

from tests.processes import load_benchmark

telemetry, telemetry_collectors, telemetry_hook = map(
    load_benchmark, ("telemetry", "telemetry_collectors", "telemetry_hook")
)


@pytest.mark.release
@pytest.mark.slow
def test_the_hook_is_measured_over_the_hand():
    """Every way is timed, recorded and sampled out."""
    report = telemetry_hook.measure(rounds=1, calls=5)

    assert {*report["us"]} == {*report["sampled_out"]["us"]} == {"hand", "hand_and_counter", "hook"}
    assert min(figures["p50"] for figures in report["us"].values()) > 0


@pytest.mark.release
@pytest.mark.slow
@pytest.mark.parametrize("over", telemetry_collectors.PROTOCOLS)
def test_every_collector_is_measured(over):
    """Checks are timed with each collector; only the live and the slow one receive everything."""
    report = telemetry_collectors.measure(over=over, rounds=2, calls=5)
    full = report["clean"]["full"]

    assert {*full["us"]} == {"live", "dead", "slow", "deaf"}
    assert {name for name, end in report["shutdown"].items() if end["all_sent"]} == {"live", "slow"}
    assert report["requests_the_live_one_took"] > 0


def test_the_worst_ratio_is_compared_with_the_goal():
    """The worst collector of all protocols, kinds and rounds counts."""
    kinds = {"clean": {"full": {"p50_over_live": {"dead": 1.0, "deaf": 1.2}}}}
    kinds["flagged"] = {"full": {"p50_over_live": {"dead": 1.05}}}
    rows = telemetry.judged({"hook_over_hand": 1.2, "at_most": 1.3}, {"grpc": kinds})

    assert [(1.2, True), (1.2, False)] == [(row["measured"], row["reached"]) for row in rows]
