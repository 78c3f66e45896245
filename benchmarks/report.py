"""Cost of a report of a long decision log: ``python benchmarks/report.py``."""

from __future__ import annotations

import dataclasses
import json
import sys
import tracemalloc
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter, time
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from command_line import command_parser, report_progress

from abs_shield import Decision
from abs_shield.core.label import Label, Truth
from abs_shield.report import Report
from abs_shield.stores import MemoryStore, SqliteStore
from tests.cli.shop import judge_calls, order, policy, refund

_MIB = 1 << 20
CALLS = (10_000, 100_000)
"""Lengths of the logs."""


def decisions(calls: int) -> Iterator[Decision]:
    """Real decisions of a few calls, over and over, each with an id and a session of its own."""
    store = MemoryStore()
    judge_calls(store, [order(1), refund(2), refund(3, 900), {"name": "refnud", "arguments": {}}])
    judge_calls(store, [order(n) for n in range(36)], declared=policy())
    models = list(store.scan())
    for number in range(calls):
        model = models[number % len(models)]
        yield dataclasses.replace(model, id=f"d-{number}", session_id=f"s-{number // 8}", at=time())


def fill(store: SqliteStore, calls: int) -> None:
    """Write a log of so many calls."""
    for number, decision in enumerate(decisions(calls)):
        store.append(decision)
        if number % 5_000 == 4_999:
            store.flush()
    store.flush()


def measure(calls: int, *, labels: int = 100) -> dict[str, Any]:
    """Time a report of a log of so many calls, what it holds in memory at most, and a label."""
    with TemporaryDirectory() as folder:
        store = SqliteStore(Path(folder) / "log.db")
        fill(store, calls)
        started = perf_counter()
        for number in range(labels):
            truth = Truth.HALLUCINATED if number % 3 else Truth.OK
            store.label(Label(decision_id=f"d-{number}", truth=truth, at=time()))
        labelled = perf_counter() - started
        started = perf_counter()
        report = Report.of(store.scan(), store.labels(), store.gaps())
        seconds = perf_counter() - started
        tracemalloc.start()
        Report.of(store.scan(), store.labels(), store.gaps())
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        store.close()
    return {
        "calls": report.totals.calls,
        "report_seconds": round(seconds, 2),
        "us_per_call": round(1e6 * seconds / calls, 1),
        "peak_mib": round(peak / _MIB, 1),
        "ms_per_label": round(1e3 * labelled / labels, 2),
    }


def main() -> None:
    """Measure logs of growing length; memory should not grow with them."""
    parser = command_parser(
        __doc__, example="report.py --quick", quick=f"a log of {CALLS[0]:,} calls"
    )
    parser.add_argument("--calls", type=int, nargs="+", default=[*CALLS])
    options = parser.parse_args()
    lengths = options.calls[:1] if options.quick else options.calls
    for calls in report_progress(lengths, doing="reporting logs", total=len(lengths)):
        print(json.dumps({"quick": options.quick, **measure(calls)}), flush=True)


if __name__ == "__main__":
    main()
