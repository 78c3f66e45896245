"""
A Shield under load for a while, with a log that is locked, read, verified and pruned meanwhile.

    python benchmarks/soak.py [SECONDS]

Prints JSON; exits with 1 where a decision was lost without a word, or a log did not verify.
"""

from __future__ import annotations

import gc
import json
import random
import resource
import sqlite3
import sys
import tempfile
import time
from contextlib import closing, suppress
from pathlib import Path
from threading import Event, Thread
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from command_line import command_parser, report_progress

from abs_shield import Shield, ToolCall, shield
from abs_shield.stores import SqliteStore, Verified, verify

SECONDS, QUICK_SECONDS = 60.0, 20.0
THREADS = 4
PAUSE_S = 0.002
TOOL = {
    "name": "refund",
    "parameters": {"type": "object", "properties": {"transaction_id": {"type": "string"}}},
}


def agent(firewall: Shield, stop: Event, counts: list[int]) -> None:
    """Open session after session, and judge a few calls in each."""
    calls = 0
    while not stop.is_set():
        with firewall.session() as session:
            session.user(f"Refund tx_{calls:05}, please.")
            for number in range(5):
                target = f"tx_{calls if number else calls + 7:05}"
                call = ToolCall("refund", {"transaction_id": target}, f"c{number}")
                firewall.check_call(call, session=session)
                calls += 1
                time.sleep(PAUSE_S)
    counts.append(calls)


def disturber(path: Path, stop: Event, random_: random.Random) -> None:
    """Lock the file now and then, as another process would."""
    while not stop.wait(random_.uniform(0.2, 1.5)):
        with closing(sqlite3.connect(path, timeout=30, isolation_level=None)) as other:
            with suppress(sqlite3.OperationalError):
                other.execute("BEGIN IMMEDIATE")
                time.sleep(random_.uniform(0.1, 2.5))
            if other.in_transaction:
                other.execute("ROLLBACK")


def memory_mb() -> float:
    """Return the largest resident memory so far, in megabytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1_024


def watched(store: SqliteStore, stop: Event, seconds: float) -> dict[str, Any]:
    """Verify, read and prune while it is written; give what was seen."""
    until = time.monotonic() + seconds
    report: dict[str, Any] = {"verified": 0, "faults": [], "pruned_decisions": 0, "memory_mb": []}
    rounds = iter(lambda: time.monotonic() < until, False)
    for _ in report_progress(rounds, doing="verifying and pruning", total=12):
        stop.wait(seconds / 12)
        report["faults"] += map(str, verify(store))
        report["verified"] += 1
        before, at = len(store), time.time() - seconds / 4
        gone = sum(1 for _ in store.scan(until=at))
        store.prune(at)
        report["pruned_decisions"] += gone
        report["memory_mb"].append(round(memory_mb(), 1))
        assert before >= gone
    return report


def soak(seconds: float) -> dict[str, Any]:
    """Let threads judge for so long, and account for every decision."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "log.db"
        store = SqliteStore(path)
        firewall = Shield(shield.configure(mode="audit"), store=store, hooks=None)
        firewall.register(TOOL)
        stop, counts = Event(), list[int]()
        work = [Thread(target=agent, args=(firewall, stop, counts)) for _ in range(THREADS)]
        work.append(Thread(target=disturber, args=(path, stop, random.Random(7))))
        for thread in work:
            thread.start()
        report = watched(store, stop, seconds)
        stop.set()
        for thread in work:
            thread.join()
        flushed = store.flush(60)
        verified = Verified()
        report["faults"] += map(str, verify(store, into=verified))
        left, dropped = len(store), store.status.dropped
        store.close()
    gc.collect()
    judged = sum(counts)
    return {
        "seconds": seconds,
        "judged": judged,
        "kept_at_the_end": left,
        **report,
        "dropped_and_said": dropped,
        "lost": judged - left - report["pruned_decisions"] - dropped,
        "flushed": flushed,
        "threads": THREADS,
    }


def main() -> None:
    parser = command_parser(__doc__, example="soak.py --quick", quick=f"{QUICK_SECONDS:g} seconds")
    parser.add_argument("seconds", nargs="?", type=float, default=SECONDS, help="how long")
    options = parser.parse_args()
    seconds = min(options.seconds, QUICK_SECONDS) if options.quick else options.seconds
    report = soak(seconds)
    print(json.dumps({"quick": options.quick, **report}, indent=2))
    raise SystemExit(bool(report["lost"] or report["faults"] or not report["flushed"]))


if __name__ == "__main__":
    main()
