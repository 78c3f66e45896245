"""
Cost of storing a decision for the calling thread, and for four processes with one file.

    python benchmarks/stores.py [DECISIONS]

Prints JSON. A sink's cost is the time of `store.append` alone, while calls are judged at full speed
around it; so it includes what the store's own thread takes from the caller.
"""

from __future__ import annotations

import gc
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from abs_shield import Shield, ToolCall, shield
from abs_shield.stores import MemoryStore, PostgresStore, SqliteStore, Store, Verified, verify
from benchmarks.command_line import announce, command_parser
from tests.stores.servers import programs, run_server

DECISIONS, QUICK_DECISIONS = 25_000, 5_000
PROCESSES = 4
P50_US, P99_US = 2.0, 10.0
TOOL = {
    "name": "refund",
    "parameters": {
        "type": "object",
        "properties": {"transaction_id": {"type": "string"}, "amount": {"type": "number"}},
    },
}
FILLER = """
import sys
from benchmarks.stores import fill
fill(sys.argv[1], int(sys.argv[2]))
"""


def firewall() -> Shield:
    """Return a Shield in audit mode that keeps nothing itself."""
    audited = Shield(shield.configure(mode="audit"), store=MemoryStore(1), hooks=None)
    audited.register(TOOL)
    return audited


def decisions(count: int) -> Iterator[Any]:
    """Judge calls of one run, a suspicious one among fifty, and give the decisions."""
    judges = firewall()
    session = judges.session()
    session.user("Please refund tx_12345, it was 20 dollars.")
    for number in range(count):
        wrong = number % 50 == 0
        arguments = {"transaction_id": "tx_99999" if wrong else "tx_12345", "amount": 20.0}
        yield judges.check_call(ToolCall("refund", arguments, f"c{number}"), session=session)


def appended(store: Store, count: int) -> dict[str, float]:
    """Time each append; give percentiles in microseconds, and how long writing took after it."""
    times = []
    gc.collect()
    gc.disable()
    for decision in decisions(count):
        started = time.perf_counter_ns()
        store.append(decision)
        times.append(time.perf_counter_ns() - started)
    gc.enable()
    started = time.perf_counter()
    flushed = store.flush(60)
    times.sort()
    return {
        "p50_us": times[count // 2] / 1e3,
        "p99_us": times[count * 99 // 100] / 1e3,
        "p999_us": times[count * 999 // 1000] / 1e3,
        "max_us": times[-1] / 1e3,
        "flush_s": round(time.perf_counter() - started, 3),
        "kept": flushed and len(store) == count,
        "dropped": store.status.dropped,
    }


@contextmanager
def postgres() -> Iterator[str | None]:
    """Yield the address of a server of our own; None where none is installed."""
    postgres_programs = programs()
    if postgres_programs is None:
        yield None
        return
    with run_server(postgres_programs) as server:
        yield server.dsn("public")


def sinks(folder: Path, count: int) -> dict[str, Any]:
    """Measure every store in turn, each after a warm-up."""
    report: dict[str, Any] = {}
    with postgres() as dsn:
        for name, address in (
            ("memory", ""),
            ("sqlite", str(folder / "log.db")),
            ("postgres", dsn),
        ):
            if address is None:
                report[name] = "no PostgreSQL server is installed"
                continue
            announce(f"appending {count:,} decisions: {name}")
            with closing(_opened(address, most=2 * count)) as store:
                appended(store, 500)
                start = len(store)
                figures = appended(store, count)
                figures["kept"] = len(store) - start == count
                figures["reached"] = figures["p50_us"] <= P50_US and figures["p99_us"] <= P99_US
                report[name] = figures
    return report


def _opened(address: str, *, most: int) -> Store:
    """Open a store with a buffer that holds everything: what is measured is the caller's cost."""
    if not address:
        return MemoryStore(most)
    return (SqliteStore if address.endswith(".db") else PostgresStore)(address, most=most)


def fill(address: str, count: int) -> None:
    """Append decisions as fast as the buffer takes them, as one of several processes."""
    with closing(SqliteStore(address)) as store:
        for decision in decisions(count):
            while store.losing:
                time.sleep(0.001)
            store.append(decision)
        if not store.flush(120) or store.status.dropped:
            raise SystemExit(f"not everything is kept: {store.status}")


def shared(folder: Path, count: int) -> dict[str, Any]:
    """Let four processes fill one file, and verify it; each waits while its buffer is full."""
    announce(f"appending {count:,} decisions from each of {PROCESSES} processes")
    path = folder / "shared.db"
    SqliteStore(path).close()
    words = [sys.executable, "-c", FILLER, str(path), str(count)]
    root = Path(__file__).parents[1]
    started = time.perf_counter()
    running = [subprocess.Popen(words, cwd=root) for _ in range(PROCESSES)]
    codes = [process.wait() for process in running]
    seconds = time.perf_counter() - started
    verified = Verified()
    with closing(SqliteStore(path, existing=True)) as store:
        faults = list(verify(store, into=verified))
        ids = {decision.id for decision in store.scan()}
    return {
        "processes": PROCESSES,
        "waits_while_losing": True,
        "decisions_each": count,
        "kept": len(ids),
        "lost": PROCESSES * count - len(ids),
        "exit_codes": codes,
        "chains": verified.chains,
        "faults": len(faults),
        "seconds": round(seconds, 1),
        "decisions_per_s": round(PROCESSES * count / seconds),
        "megabytes": round(path.stat().st_size / 1e6, 1),
    }


def main() -> None:
    """Measure the stores with one number of decisions."""
    parser = command_parser(
        __doc__, example="stores.py --quick", quick=f"{QUICK_DECISIONS:,} decisions"
    )
    parser.add_argument("decisions", nargs="?", type=int, default=DECISIONS, help="how many")
    options = parser.parse_args()
    count = min(options.decisions, QUICK_DECISIONS) if options.quick else options.decisions
    with tempfile.TemporaryDirectory() as folder:
        report = {
            "quick": options.quick,
            "goal": {"p50_us": P50_US, "p99_us": P99_US},
            "sinks": sinks(Path(folder), count),
            "one_file": shared(Path(folder), count),
        }
    print(json.dumps(report, indent=2))
    raise SystemExit(missed(report))


def missed(report: dict[str, Any]) -> bool:
    """Return whether a goal was missed: a cost, or a decision that is not kept."""
    one, measured = report["one_file"], [s for s in report["sinks"].values() if isinstance(s, dict)]
    whole = not (one["lost"] or one["faults"] or any(one["exit_codes"]))
    return not (whole and all(sink["kept"] and sink["reached"] for sink in measured))


if __name__ == "__main__":
    main()
