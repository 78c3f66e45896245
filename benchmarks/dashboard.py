"""
Speed and memory of the dashboard's views on a large log, and the cost of readers for a writer.

    python benchmarks/dashboard.py [--quick] [--only sqlite|postgres]

A server of its own process serves a log of a million decisions, a thousand of them labelled; times
are those of an HTTP client. PostgreSQL is left out where it is not installed.
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
import tempfile
import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from statistics import median
from threading import Thread
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).parents[1]))

import httpx
from command_line import QUICK_NOTE, command_parser, report_progress

from abs_shield.core import Action, Coverage, Decision, Finding, Mode, Outcome, Subject, Verdict
from abs_shield.core.label import Label, Truth
from abs_shield.core.vocabularies import LAYER_NAMES
from abs_shield.stores import Store, open_store
from tests.stores.servers import programs, run_server


class Size(NamedTuple):
    """Number of decisions in a log, of reads of its views, and of records written meanwhile."""

    decisions: int
    reads: int
    more_reads: int
    written: int


WHOLE = Size(1_000_000, 7, 100, 20_000)
QUICK = Size(20_000, 3, 20, 5_000)
FIRST_VIEW_S, FILTER_S = 1.0, 0.5
"""The goals of the issue: the first view, and one with a filter."""
MOST_GROWTH = 0.2
"""By how much the server's memory may grow from the tenth view to the last one."""
READERS = 10
LABELS = 1_000
"""Decisions with a finding that are labelled, the newest."""
START, DAYS = 1_767_225_600.0, 30
TOOLS = [f"tool_{n}" for n in range(25)]
VIEWS = {
    "first view": "/",
    "heatmap again": "/",
    "one day": "/?since=2026-01-20&until=2026-01-21",
    "one agent": "/?agent=billing",
    "strict mode": "/?mode=strict",
    "one session": "/?session=s100",
    "with the period before": "/?since=2026-01-16&until=2026-01-31&compare=1",
    "a cell": "/cell?row=tool_3&check=phantom_target",
    "a cell, all decisions": "/cell?row=tool_3&check=phantom_target&show=all",
    "a decision": "/decisions/d-777",
    "rollout": "/rollout",
    "trends": "/trends",
}
SERVER = """
import sys, uvicorn
from abs_shield.dashboard import dashboard
uvicorn.run(dashboard(sys.argv[1]), port=int(sys.argv[2]), log_level="error")
"""


def main() -> None:
    """Print the times of each view beside their goals, for each database."""
    parser = command_parser(
        __doc__,
        example="dashboard.py --quick --only sqlite",
        quick=f"{QUICK.decisions:,} decisions",
    )
    parser.add_argument("--only", choices=["sqlite", "postgres"])
    options = parser.parse_args()
    size = QUICK if options.quick else WHOLE
    if options.quick:
        print(QUICK_NOTE)
    if options.only != "postgres":
        with tempfile.TemporaryDirectory() as folder:
            measure("SQLite", str(Path(folder) / "log.db"), size)
    if options.only != "sqlite":
        if not (postgres_programs := programs()):
            print("skipped: no PostgreSQL server is installed")
            return
        with run_server(postgres_programs) as server:
            measure("PostgreSQL", server.dsn("public"), size)


def measure(name: str, log: str, size: Size) -> None:
    """Fill a log, serve it, and print the time of each view."""
    count = size.decisions
    store = open_store(log)
    began = time.perf_counter()
    fill(store, report_progress(decisions(count), doing=f"{name}: writing", total=count))
    label_some(store, count)
    print(
        f"\n{name}: {count:,} decisions written in {time.perf_counter() - began:.0f} s", flush=True
    )
    with running(log) as (site, process):
        for view, path in VIEWS.items():
            times = [timed(site, path) for _ in range(1 if view == "first view" else size.reads)]
            print_time(view, median(times))
        before = memory_of(process)
        for _ in report_progress(range(size.more_reads), doing="viewing again"):
            timed(site, "/")
        grown = memory_of(process) / before - 1
        print(
            f"  memory {before / 1e6:.0f} MB, after {size.more_reads} more views {grown:+.0%};"
            f" goal at most {MOST_GROWTH:+.0%} {reached(grown <= MOST_GROWTH)}"
        )
        readers_beside_a_writer(store, site, size)
    store.close()


def label_some(store: Store, count: int) -> None:
    """Label the newest decisions with a finding, nine of ten as right."""
    flagged = (one for one in decisions(count) if one.findings)
    for number, one in enumerate(deque(flagged, LABELS)):
        truth = Truth.OK if number % 10 == 0 else Truth.HALLUCINATED
        store.label(Label(decision_id=one.id, truth=truth, at=one.at))


def readers_beside_a_writer(store: Store, site: str, size: Size) -> None:
    """Write beside ten readers, and count what was lost."""
    went = [True]
    views: list[float] = []

    def read() -> None:
        while went[0]:
            views.append(timed(site, "/"))

    readers = [Thread(target=read) for _ in range(READERS)]
    for reader in readers:
        reader.start()
    began = time.perf_counter()
    fill(store, decisions(size.written, first=size.decisions))
    took = time.perf_counter() - began
    went[0] = False
    for reader in readers:
        reader.join()
    counted = sum(one.decisions for one in store.pattern_counts())
    lost = size.decisions + size.written - counted
    print(
        f"  {READERS} readers beside a writer: {size.written / took:,.0f} decisions a second,"
        f" {len(views)} views, median {median(views):.2f} s;"
        f" lost {lost}, goal 0 {reached(not lost)}"
    )


def print_time(view: str, seconds: float) -> None:
    """Print a time beside its goal."""
    goal = FIRST_VIEW_S if view == "first view" else FILTER_S
    print(f"  {view:24} {seconds:6.3f} s; goal {goal:g} s {reached(seconds <= goal)}", flush=True)


def reached(good: bool) -> str:
    """Say whether a goal is reached."""
    return "reached" if good else "NOT REACHED"


def decisions(count: int, *, first: int = 0) -> Iterator[Decision]:
    """Yield decisions of a month: 25 tools, six layers, three in a hundred with a finding."""
    draw = random.Random(first)
    ran = {name: Coverage(Outcome.RAN) for name in LAYER_NAMES}
    ran["confidence_drop"] = Coverage(Outcome.UNAVAILABLE, "the model gave no log-probabilities")
    for number in range(first, first + count):
        yield _one(number, draw, ran, at=START + (number - first) * DAYS * 86_400 / count)


def _one(number: int, draw: random.Random, ran: dict[str, Coverage], *, at: float) -> Decision:
    chance = draw.random()
    verdict = Verdict.CLEAN
    if chance < 0.03:
        verdict = Verdict.SUSPICIOUS if chance < 0.02 else Verdict.HALLUCINATED
    check = "phantom_target" if verdict is Verdict.SUSPICIOUS else "parameter_mismatch"
    finding = Finding(
        check=check, verdict=verdict, strength=0.9, where="/arguments/id", code="unseen",
        detail=f'"tx_{number}" was not mentioned in this run',
    )  # fmt: skip
    return Decision(
        id=f"d-{number}", subject=Subject.CALL, tool=draw.choice(TOOLS), verdict=verdict,
        action=Action.ALLOW if verdict is Verdict.CLEAN else Action.FLAG, mode=Mode.AUDIT,
        blocked=False, would_block=verdict is Verdict.HALLUCINATED, policy_revision="r1", at=at,
        findings=() if verdict is Verdict.CLEAN else (finding,), coverage=ran,
        session_id=f"s{number // 5}", agent=draw.choice(["billing", "support", "travel"]),
        model=draw.choice(["model-a", "model-b"]),
    )  # fmt: skip


def fill(store: Store, created: Iterator[Decision]) -> None:
    """Append decisions no faster than they are written, so that none is dropped."""
    for number, decision in enumerate(created):
        store.append(decision)
        if number % 5_000 == 0 and not store.flush(60):
            raise SystemExit("the log does not keep up")
    if not store.flush(60):
        raise SystemExit("the log does not keep up")


@contextmanager
def running(log: str) -> Iterator[tuple[str, subprocess.Popen[bytes]]]:
    """Serve a log from a process of its own."""
    port = free_port()
    environment = os.environ | {"PYTHONPATH": str(Path(__file__).parents[1])}
    process = subprocess.Popen([sys.executable, "-c", SERVER, log, str(port)], env=environment)
    site = f"http://127.0.0.1:{port}"
    try:
        for _ in range(200):
            with suppress(httpx.HTTPError):
                httpx.get(f"{site}/static/icon.svg").raise_for_status()
                break
            time.sleep(0.05)
        yield site, process
    finally:
        process.terminate()
        process.wait()


def free_port() -> int:
    """Return an unused port."""
    import socket

    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
    return port


def timed(site: str, path: str) -> float:
    """Return the seconds that a view takes."""
    began = time.perf_counter()
    answer = httpx.get(f"{site}{path}", timeout=120)
    took = time.perf_counter() - began
    answer.raise_for_status()
    return took


def memory_of(process: subprocess.Popen[Any]) -> int:
    """Return the bytes that a process holds in memory."""
    status = Path(f"/proc/{process.pid}/status").read_text(encoding="utf-8")
    line = next(line for line in status.splitlines() if line.startswith("VmRSS:"))
    return int(line.split()[1]) * 1_024


if __name__ == "__main__":
    main()
