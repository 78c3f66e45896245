"""What each hostile call costs, in time and memory: ``python benchmarks/hostile.py``."""

from __future__ import annotations

import json
import logging
import sys
import tracemalloc
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from abs_shield import Shield, ToolCall, shield
from abs_shield.session import Limits
from tests.hostile.cases import CASES, Case
from tests.hostile.doors import call, replayed
from tests.hostile.test_results import RESULTS, door
from tests.hostile.test_sessions import TOOLS, after

_MIB = 1 << 20


def measured(action: Any) -> dict[str, float]:
    """Time an action, and then trace what memory it takes at most."""
    started = perf_counter()
    action()
    seconds = perf_counter() - started
    tracemalloc.start()
    action()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return {"seconds": round(seconds, 4), "peak_mib": round(peak / _MIB, 2)}


def of_call(case: Case) -> dict[str, Any]:
    """One case through the decorator, and what a replay of it takes."""
    arguments = case.arguments()
    decided = call(case, arguments, mode="strict").decision
    with TemporaryDirectory() as folder:
        started = perf_counter()
        replayed(case, Path(folder))
        again = perf_counter() - started
    return {
        "case": case.name,
        "verdict": str(decided.verdict),
        "blocked": decided.blocked,
        **measured(lambda: call(case, arguments, mode="strict")),
        "replay_seconds": round(again, 4),
    }


def of_result(name: str) -> dict[str, Any]:
    """One result taken in behind a call."""
    value = RESULTS[name]()

    def take() -> None:
        firewall = door(value, "strict")
        with firewall.session() as session:
            session.user("Look at tx_12345.")
            firewall.dispatch("look", {"order_id": "tx_12345"})

    return {"result": name, **measured(take)}


def of_turn(calls: int) -> dict[str, Any]:
    """So many calls proposed in one turn."""
    turn = [ToolCall("update_order", {"order_id": f"tx_{n}"}, f"c{n}") for n in range(calls)]

    def inspect() -> None:
        firewall = Shield(shield.configure(tools=TOOLS), hooks=None)
        with firewall.session() as session:
            session.user("Update the orders.")
            firewall.inspect_turn(turn)

    return {"calls in one turn": calls, **measured(inspect)}


def of_session() -> dict[str, Any]:
    """20,000 calls in one session: what its structures hold at 10,000 and in the end."""
    started = perf_counter()
    half, whole, kept = after(20_000, Limits())
    return {
        "calls": 20_000,
        "seconds": round(perf_counter() - started, 1),
        "held at 10,000": half,
        "held at 20,000": whole,
        "executed, decisions, stored": kept,
    }


def main() -> None:
    """Print a table on the standard error, and everything as JSON."""
    logging.disable(logging.CRITICAL)
    found = {
        "calls": [of_call(case) for case in CASES],
        "results": [of_result(name) for name in RESULTS],
        "turns": [of_turn(calls) for calls in (500, 1_000, 2_000, 10_000)],
        "session": of_session(),
    }
    for row in (*found["calls"], *found["results"], *found["turns"]):
        name, more = str(next(iter(row.values()))), row.get("verdict", "")
        print(f"{name[:56]:56} {more:13} {row['seconds']:8.3f} s {row['peak_mib']:8.2f} MiB",
              file=sys.stderr)  # fmt: skip
    print(json.dumps(found, indent=2))


if __name__ == "__main__":
    main()
