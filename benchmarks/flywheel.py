"""
Cost and results of the flywheel: ``python benchmarks/flywheel.py [--only PART]``.

Prints JSON. `harvest` times a log of 100,000 decisions, and a second harvest of nothing new; its
memory is that of a process of its own, beside one that harvests a fifth of it. `groups` plants
twelve kinds of gaps in 5,000 catches with noise, in varying words, and compares the groups.
"""

from __future__ import annotations

import json
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from abs_shield.core import Action, Decision, Finding, Mode, Subject, Verdict
from abs_shield.core.label import Label, Truth
from abs_shield.flywheel.curate import curate, gap_catches
from abs_shield.flywheel.flywheel_database import database
from abs_shield.flywheel.harvest import harvest
from abs_shield.stores import SqliteStore
from benchmarks.command_line import announce, command_parser
from benchmarks.flywheel_planted import KINDS, planted

DECISIONS, SMALL, SMALLEST = 100_000, 20_000, 4_000
FIRST_S, SECOND_S, GROWTH_MB = 20.0, 1.0, 20.0
CATCHES, QUICK_CATCHES = 5_000, 1_500
PURITY, RECALL = 0.95, 0.8
"""A kind is found where one gap holds so many of its catches, and hardly anything else."""
TOOLS = ("get_order", "refund", "send_email", "search_flights", "book_flight")
HARVEST = "import sys; from benchmarks.flywheel import measured; measured(*sys.argv[1:])"


def decision(number: int, findings: tuple[Finding, ...] = (), **changes: Any) -> Decision:
    """Return a decision with these findings."""
    verdict = Verdict.worst(one.verdict for one in findings)
    fields: dict[str, Any] = {
        "id": f"d-{number}", "subject": Subject.CALL, "tool": TOOLS[number % len(TOOLS)],
        "verdict": verdict, "action": Action.BLOCK if findings else Action.ALLOW,
        "mode": Mode.STRICT, "blocked": verdict is Verdict.HALLUCINATED,
        "would_block": verdict is Verdict.HALLUCINATED, "policy_revision": "4f1c",
        "at": 1_767_225_600.0 + 40 * number, "findings": findings,
        "session_id": f"s-{number // 7}", "agent": f"agent-{number % 5}", "model": "m-1",
    }  # fmt: skip
    return Decision(**(fields | changes))


def filled(path: Path, count: int) -> None:
    """Write a log in which every fifth decision has a finding, and every 200th a label."""
    store = SqliteStore(path, most=2 * count)
    for number in range(count):
        wrong = number % 5 == 0
        finding = Finding(
            check="phantom_target", verdict=Verdict.SUSPICIOUS, strength=0.9,
            where=f"/arguments/order_id/{number % 3}", code="unknown_target",
            detail=f"the value W{number} was not mentioned by the user or by a tool",
            got=f'"W{number}"', nearest=f"W{number + 1}", hint="ask the user, or look it up",
        )  # fmt: skip
        store.append(decision(number, (finding,) if wrong else ()))
        if number % 1_000 == 0:
            store.flush(60)
        if number % 200 == 0:
            store.label(Label(decision_id=f"d-{number}", truth=Truth.OK, at=time.time()))
    if not store.close(120):
        raise SystemExit("the log was not written whole")


def measured(log: str, book: str) -> None:
    """Harvest a log twice in this process, and print times and the highest memory."""
    store = SqliteStore(log, existing=True)
    started = time.perf_counter()
    first = harvest(store, book)
    middle = time.perf_counter()
    second = harvest(store, book)
    ended = time.perf_counter()
    store.close()
    print(
        json.dumps(
            {
                "decisions": first.decisions,
                "catches": first.catches,
                "labels": first.labels,
                "first_s": round(middle - started, 2),
                "second_s": round(ended - middle, 3),
                "second_new": second.decisions + second.catches + second.labels,
                "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
            }
        )
    )


def harvests(*, quick: bool = False) -> dict[str, Any]:
    """Harvest a small and a large log, each in a process of its own."""
    results = {}
    few, many = (SMALLEST, SMALL) if quick else (SMALL, DECISIONS)
    with tempfile.TemporaryDirectory() as folder:
        for count in (few, many):
            announce(f"harvesting a log of {count:,} decisions")
            log, book = Path(folder) / f"{count}.db", Path(folder) / f"{count}.flywheel"
            filled(log, count)
            done = subprocess.run(
                [sys.executable, "-c", HARVEST, str(log), str(book)],
                cwd=Path(__file__).parents[1], capture_output=True, text=True, check=True,
            )  # fmt: skip
            results[f"{count:,}"] = json.loads(done.stdout)
        book_of = Path(folder) / f"{many}.flywheel"
        started = time.perf_counter()
        gaps = curate(book_of)
        results["curate"] = {"gaps": len(gaps), "s": round(time.perf_counter() - started, 2)}
    large, small = results[f"{many:,}"], results[f"{few:,}"]
    growth = large["peak_mb"] - small["peak_mb"]
    reached = large["first_s"] < FIRST_S and large["second_s"] < SECOND_S and growth < GROWTH_MB
    return {**results, "growth_mb": growth, "reached": reached and not large["second_new"]}


def groups(seed: int = 1, *, quick: bool = False) -> dict[str, Any]:
    """Plant gaps of twelve kinds, group the catches, and compare."""
    announce("grouping planted gaps")
    kinds: dict[str, str] = {}
    with tempfile.TemporaryDirectory() as folder:
        store, book = SqliteStore(Path(folder) / "log.db"), Path(folder) / "book.db"
        for kind, one in _decisions(seed, QUICK_CATCHES if quick else CATCHES):
            kinds[one.id] = kind
            store.append(one)
        harvest(store, book)
        store.close()
        started = time.perf_counter()
        gaps = curate(book)
        elapsed = time.perf_counter() - started
        with database(book) as connection:
            held = {
                gap.id: Counter(kinds[one.decision_id] for one in gap_catches(connection, gap.id))
                for gap in gaps
            }
    rows = _compared(held, Counter(kinds.values()))
    reached = all(row["purity"] >= PURITY and row["recall"] >= RECALL for row in rows.values())
    return {"kinds": rows, "gaps": len(gaps), "curate_s": round(elapsed, 2), "reached": reached}


def _decisions(seed: int, catches: int) -> Iterator[tuple[str, Decision]]:
    chance = random.Random(seed)
    for number, (kind, fields, finding) in enumerate(planted(chance, catches)):
        yield kind, decision(number, (Finding(**finding),), **fields)


def _compared(held: dict[str, Counter[str]], whole: Counter[str]) -> dict[str, Any]:
    """Return for each kind the gap that holds most of it: how pure it is, and how complete."""
    best: dict[str, tuple[int, float]] = dict.fromkeys(KINDS, (0, 0.0))
    for counts in held.values():
        for kind, count in counts.items():
            if kind not in KINDS:
                continue
            best[kind] = max(best[kind], (count, count / counts.total()))
    return {
        kind: {
            "catches": whole[kind],
            "recall": round(best[kind][0] / max(1, whole[kind]), 3),
            "purity": round(best[kind][1], 3),
        }
        for kind in KINDS
    }


PARTS = {"harvest": harvests, "groups": groups}


def main() -> None:
    """Run the parts, and print their figures; exits with 1 where a goal is missed."""
    parser = command_parser(
        __doc__, example="flywheel.py --quick",
        quick=f"a log of {SMALL:,} decisions, and {QUICK_CATCHES:,} catches",
    )  # fmt: skip
    parser.add_argument("--only", choices=PARTS)
    options = parser.parse_args()
    results = {
        name: part(quick=options.quick)
        for name, part in PARTS.items()
        if options.only in (None, name)
    }
    print(json.dumps({"quick": options.quick, **results}, indent=2))
    raise SystemExit(0 if all(part["reached"] for part in results.values()) else 1)


if __name__ == "__main__":
    main()
