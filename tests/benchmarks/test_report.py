"""The benchmark of reports runs, in its smallest form; none of its figures is judged here."""

from __future__ import annotations

from tests.processes import load_benchmark


def test_a_report_is_measured():
    """Every call of the log is in the report that was timed."""
    report = load_benchmark("report").measure(120, labels=2)

    assert 120 == report["calls"]
    assert min(report["report_seconds"], report["us_per_call"], report["peak_mib"]) >= 0
