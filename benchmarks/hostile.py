"""
Cost of a megabyte of hostile input at each entry point: ``python benchmarks/hostile.py``.

Each row is measured in a process of its own, at a megabyte and at half of it; with ``--quick`` at
a tenth of these, in a copy of one process. The command ends with 1 where a bound is missed: a
second a megabyte, 200 MB above the input, twice the input in little more than twice the time.
With ``--known`` a row that says why its bound is still open may miss it.
``--every-case`` prints what each hostile call of the tests costs instead, ``--search`` the worst
input that a search of the grammar of the tests finds at each way in, in steps.
"""

from __future__ import annotations

import argparse
import json
import logging
import subprocess
import sys
import tracemalloc
from collections.abc import Sequence
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path
from resource import RLIMIT_CPU, RUSAGE_SELF, getrusage, setrlimit
from signal import SIGXCPU
from tempfile import TemporaryDirectory
from time import perf_counter, process_time
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from command_line import QUICK_NOTE, announce, command_parser, report_progress

from abs_shield import Shield, ToolCall, shield
from abs_shield.session import Limits
from tests.hostile.cases import CASES, Case
from tests.hostile.entrances import ENTRANCES
from tests.hostile.entry_points import call, replayed
from tests.hostile.growing import GROWING, MEGABYTE, Growing
from tests.hostile.searching import MOST_GROWTH as MOST_STEPS
from tests.hostile.searching import search
from tests.hostile.test_results import RESULTS, make_shield
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
        firewall = make_shield(value, "strict")
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
    half, whole, rest = after(20_000, Limits())
    return {
        "calls": 20_000,
        "seconds": round(perf_counter() - started, 1),
        "held at 10,000": half,
        "held at 20,000": whole,
        "executed, decisions, stored": rest,
    }


# A megabyte at each way in -----------------------------------------------------------------------

MOST_SECONDS, MOST_MB, MOST_GROWTH = 1.0, 200, 3.0
QUICK_SIZE = MEGABYTE // 10
"""Bytes of the input with ``--quick``."""
_NOTICEABLE = 0.2
"""Seconds below which a growth is noise."""
_LONGEST, _LONGEST_WAIT = 30, 1_800
"""Seconds of processor time, and of the clock, for one measurement."""


def of_size(case: Growing, size: int) -> dict[str, float]:
    """Measure one action in this process: processor time, and memory above what was there."""
    case.build(1_000)()
    action = case.build(size)
    before = getrusage(RUSAGE_SELF).ru_maxrss
    started = process_time()
    action()
    seconds = process_time() - started
    return {"seconds": seconds, "mb": (getrusage(RUSAGE_SELF).ru_maxrss - before) / 1024}


def of_sizes(number: int, sizes: Sequence[int]) -> list[dict[str, float]]:
    """Measure one row at each size in this process, which ends where that takes too long."""
    setrlimit(RLIMIT_CPU, (_LONGEST, _LONGEST + 5))
    return [of_size(GROWING[number], size) for size in sizes]


def in_a_fork(number: int, *sizes: int) -> list[dict[str, float]] | None:
    """Measure one row in a copy of this process, which spares its start."""
    context = get_context("fork")
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=_send, args=(sender, number, sizes))
    process.start()
    sender.close()
    try:
        results: list[dict[str, float]] = receiver.recv()
    except EOFError:
        process.join()
        if process.exitcode == -SIGXCPU:
            return None
        raise SystemExit(f"row {number} ended with {process.exitcode}") from None
    process.join()
    return results


def _send(sender: Connection, number: int, sizes: Sequence[int]) -> None:
    sender.send(of_sizes(number, sizes))


def in_a_process(number: int, *sizes: int) -> list[dict[str, float]] | None:
    """Measure one row at each size in one process of its own; None where it takes too long."""
    command = [sys.executable, __file__, "--one", str(number), *map(str, sizes)]
    done = subprocess.run(command, capture_output=True, timeout=_LONGEST_WAIT)
    if done.returncode == -SIGXCPU:
        return None
    done.check_returncode()
    results: list[dict[str, float]] = json.loads(done.stdout)
    return results


def half_and_whole(number: int, *, quick: bool) -> list[dict[str, float]] | None:
    """Measure one row at a megabyte and half of it; with *quick* at a tenth, in one process."""
    if quick:
        return in_a_fork(number, QUICK_SIZE // 2, QUICK_SIZE)
    half, whole = (in_a_process(number, size) for size in (MEGABYTE // 2, MEGABYTE))
    return None if half is None or whole is None else [*half, *whole]


def row(number: int, case: Growing, *, quick: bool) -> tuple[str, bool]:
    """Return one line of the table, and whether every bound holds."""
    measured = half_and_whole(number, quick=quick)
    start = f"{case.entrance[:34]:34} {case.name[:34]!a:38}"
    if measured is None:
        return f"{start} more than {_LONGEST} s  not reached", False
    half, whole = measured
    growth = whole["seconds"] / max(half["seconds"], 1e-9)
    missed = [
        name
        for name, is_missed in (
            ("time", whole["seconds"] > MOST_SECONDS),
            ("memory", whole["mb"] > MOST_MB),
            ("growth", growth > MOST_GROWTH and whole["seconds"] > _NOTICEABLE),
        )
        if is_missed
    ]
    outcome = f"not reached: {', '.join(missed)}" if missed else "reached"
    numbers = f"{whole['seconds']:7.2f} s {whole['mb']:6.0f} MB  x{growth:4.1f}"
    return f"{start} {numbers}  {outcome}", not missed


def table(*, allow_open: bool, quick: bool) -> int:
    """
    Print a line for each way in and its worst known input; return 1 where a bound is missed.

    Args:
        allow_open: Whether rows that say why their bound is still open may miss it.
        quick: Whether inputs are a tenth as large.
    """
    if quick:
        print(QUICK_NOTE)
    size = f"input, {QUICK_SIZE if quick else MEGABYTE:,} bytes"
    print(f"{'way in':34} {size:38} {'time':>9} {'memory':>9}  growth  bounds")
    reached = excused = 0
    rows = report_progress(enumerate(GROWING), doing="measuring ways in", total=len(GROWING))
    for number, case in rows:
        line, holds = row(number, case, quick=quick)
        reached += holds
        excused += allow_open and not holds and bool(case.open)
        print(line, flush=True)
    print(f"{reached} of {len(GROWING)} reached")
    return int(reached + excused < len(GROWING))


def searched(examples: int = 60) -> int:
    """Print the worst input of each way in; return 1 where steps grow more than they may."""
    missed = 0
    print(f"{'way in':34} growth  steps a character, input")
    for name in report_progress(ENTRANCES, doing="searching the ways in", total=len(ENTRANCES)):
        results = search(name, examples=examples)
        most = max(results, key=lambda worst: worst.per_byte)
        missed += results[0].growth > MOST_STEPS
        print(f"{name:34} x{results[0].growth:4.1f} {'':16}  {results[0].input!a}")
        print(f"{'':34} {'':5} {most.per_byte:16.0f}  {most.input!a}", flush=True)
    return int(missed > 0)


def every_case() -> None:
    """Print a table on the standard error, and everything as JSON."""
    announce("measuring every case")
    results = {
        "calls": [of_call(case) for case in CASES],
        "results": [of_result(name) for name in RESULTS],
        "turns": [of_turn(calls) for calls in (500, 1_000, 2_000, 10_000)],
        "session": of_session(),
    }
    for row in (*results["calls"], *results["results"], *results["turns"]):
        name, more = str(next(iter(row.values()))), row.get("verdict", "")
        print(f"{name[:56]:56} {more:13} {row['seconds']:8.3f} s {row['peak_mib']:8.2f} MiB",
              file=sys.stderr)  # fmt: skip
    print(json.dumps(results, indent=2))


def _options() -> argparse.Namespace:
    parser = command_parser(
        __doc__, example="hostile.py --quick --known", quick=f"inputs of {QUICK_SIZE:,} bytes"
    )
    parser.add_argument("--known", action="store_true", help="allow bounds that are known as open")
    parser.add_argument("--every-case", action="store_true", help="each hostile call of the tests")
    parser.add_argument("--search", action="store_true", help="search for the worst input")
    # how a row is measured in a process of its own
    parser.add_argument("--one", type=int, nargs="+", help=argparse.SUPPRESS)
    return parser.parse_args()


def main() -> int:
    """Do as the command line says."""
    options = _options()
    logging.disable(logging.CRITICAL)
    if options.one:
        number, *sizes = options.one
        print(json.dumps(of_sizes(number, sizes)))
        return 0
    if options.every_case:
        every_case()
        return 0
    if options.search:
        return searched()
    return table(allow_open=options.known, quick=options.quick)


if __name__ == "__main__":
    sys.exit(main())
