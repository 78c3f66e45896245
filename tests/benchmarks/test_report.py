"""The benchmark of reports runs, in its smallest form; none of its figures is judged here."""

from __future__ import annotations

from tests.benchmarks.test_overhead import benchmark


def test_a_report_is_measured():
    """Every call of the log is in the report that was timed."""
    made = benchmark("report").measure(120, labels=2)

    assert 120 == made["calls"]
    assert min(made["report_seconds"], made["us_per_call"], made["peak_mib"]) >= 0
