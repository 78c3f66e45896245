"""Mutual cost of threads and tasks: ``python benchmarks/overhead_concurrent.py``."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from statistics import median
from time import perf_counter
from typing import Any

from command_line import command_parser, report_progress
from overhead_check import LOGPROBS, firewall, talked
from overhead_talk import ARGUMENTS

from abs_shield import Session, Shield, ToolCall, shielded

_THREADS = 4


def measure(*, rounds: int = 5, calls: int = 4_000, tasks: int = 1_000) -> dict[str, Any]:
    """
    Time checks in threads, and calls of an async tool at the same time.

    Args:
        rounds: How often each is timed, in turn; the median counts.
        calls: Checks in each round, shared by the threads.
        tasks: Calls of the tool in each round.

    Returns:
        Checks a second of four threads over those of one, each with a session of its own; and
        seconds of all calls at the same time over those of the same calls one after the other.
    """
    guard = firewall()
    sessions = [talked(guard, 100) for _ in range(_THREADS)]
    alone, shared, sequence, together = [], [], [], []
    for _ in report_progress(range(rounds), doing="timing threads and tasks", total=rounds):
        alone.append(_threads(guard, sessions[:1], calls))
        shared.append(_threads(guard, sessions, calls // _THREADS))
        sequence.append(asyncio.run(_tasks(tasks, at_once=False)))
        together.append(asyncio.run(_tasks(tasks, at_once=True)))
    return {
        "threads": _THREADS,
        "throughput_over_one": round(median(alone) / median(shared), 3),
        "one_over_threads": round(median(shared) / median(alone), 3),
        "tasks": tasks,
        "tasks_over_sequence": round(median(together) / median(sequence), 3),
    }


def _threads(guard: Shield, sessions: Sequence[Session], calls: int) -> float:
    """Return the seconds in which each session, on a thread of its own, had so many checks."""

    def check(session: Session) -> None:
        call = ToolCall("refund", ARGUMENTS, None, LOGPROBS)
        for _ in range(calls):
            guard.check_call(call, session=session)

    with ThreadPoolExecutor(len(sessions)) as pool:
        started = perf_counter()
        list(pool.map(check, sessions))
        return perf_counter() - started


async def _tasks(count: int, *, at_once: bool) -> float:
    """Return the seconds of so many calls of an async tool in one session."""
    guard = firewall()

    @shielded(guard)
    async def look_up(
        transaction_id: str, amount: float, date: str, customer: str, reason: str
    ) -> str:
        """Look a transaction up."""
        await asyncio.sleep(0)
        return "it is there"

    with talked(guard, 100):
        await look_up(**ARGUMENTS)
        started = perf_counter()
        if at_once:
            await asyncio.gather(*(look_up(**ARGUMENTS) for _ in range(count)))
        else:
            for _ in range(count):
                await look_up(**ARGUMENTS)
        return perf_counter() - started


def main(arguments: Sequence[str] | None = None) -> None:
    """Print one JSON object."""
    parser = command_parser(__doc__, example="overhead_concurrent.py --rounds 2")
    parser.add_argument("--rounds", type=int, default=5, help="how often each is timed")
    print(json.dumps(measure(rounds=parser.parse_args(arguments).rounds), indent=2))


if __name__ == "__main__":
    main()
