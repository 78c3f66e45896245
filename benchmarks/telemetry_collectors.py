"""Cost of a check with a live, dead, slow or unresponsive collector, and of the shutdown."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from statistics import median, quantiles
from typing import IO, Any

from command_line import report_progress
from telemetry_receiver import ROOT, Receiver, receiver

AT_MOST = 1.1
"""What a check may take at p50, over one whose collector is live."""

PROTOCOLS = {"grpc": "grpc", "http": "http/protobuf"}
COLLECTORS = {
    "live": (),
    "dead": None,
    "slow": ("--answers-after", "2"),
    "deaf": ("--black-hole",),
}
"""How each is started; nothing listens where None."""
KINDS = ("clean", "flagged")
_NOBODY = 9
_PAUSE_S = 0.05


def measure(*, over: str, rounds: int = 100, calls: int = 50) -> dict[str, Any]:
    """
    Time *rounds* times *calls* checks of each kind beside each collector, in turn.

    Each collector has an agent's process of its own, set up by its `OTEL_*` variables; they take
    turns, so that all meet the same machine, and none shares another's exporting threads. With
    the rounds as they are, the second half of them finds the queues full of what a dead or deaf
    collector did not take: ``full`` is that half, ``filling`` the first one.

    Returns:
        p50 and p99 in microseconds by kind and collector, and their ratios over the live one's
        (p50: the median of the rounds' own); seconds that `shutdown()` took.
    """
    took: dict[str, dict[str, list[list[float]]]] = {
        kind: {name: [] for name in COLLECTORS} for kind in KINDS
    }
    with ExitStack() as stack:
        live = stack.enter_context(receiver())
        agents = {
            name: stack.enter_context(_agent(_port(name, stack, live, over), over=over))
            for name in COLLECTORS
        }
        order = [*agents]
        each = range(rounds + 1)
        for _ in report_progress(each, doing=f"timing collectors over {over}", total=len(each)):
            order.append(order.pop(0))
            for kind in KINDS:
                for name in order:
                    took[kind][name].append(_ask_agent(agents[name], kind, calls))
            time.sleep(_PAUSE_S)
        ends = _ends(agents)
        requests = live.requests()
    half = rounds // 2 + 1  # the first round only warms up
    parts = {"filling": slice(1, half), "full": slice(half, None)}
    figures = {
        kind: {part: _figures(rows, rounds=those) for part, those in parts.items()}
        for kind, rows in took.items()
    }
    return figures | {"shutdown": ends, "requests_the_live_one_took": requests}


def _port(name: str, stack: ExitStack, live: Receiver, over: str) -> int:
    options = COLLECTORS[name]
    if options is None:
        return _NOBODY
    return (stack.enter_context(receiver(*options)) if options else live).ports[over]


@contextmanager
def _agent(port: int, *, over: str) -> Iterator[subprocess.Popen[str]]:
    env = os.environ | {
        "OTEL_EXPORTER_OTLP_ENDPOINT": f"http://127.0.0.1:{port}",
        "OTEL_EXPORTER_OTLP_PROTOCOL": PROTOCOLS[over],
    }
    command = [sys.executable, str(Path(__file__).with_name("telemetry_agent.py"))]
    with subprocess.Popen(
        command, cwd=ROOT, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL, text=True,
    ) as process:  # fmt: skip
        try:
            assert _file(process.stdout).readline() == "ready\n"
            yield process
        finally:
            process.kill()


def _ask_agent(agent: subprocess.Popen[str], kind: str, calls: int) -> list[float]:
    asking = _file(agent.stdin)
    asking.write(f"{kind} {calls}\n")
    asking.flush()
    return [float(us) for us in json.loads(_file(agent.stdout).readline())]


def _ends(agents: dict[str, subprocess.Popen[str]]) -> dict[str, Any]:
    """Shut down all agents simultaneously, as processes on one machine do."""
    for agent in agents.values():
        _file(agent.stdin).close()
    return {name: json.loads(_file(agent.stdout).readline()) for name, agent in agents.items()}


def _figures(took: dict[str, list[list[float]]], *, rounds: slice) -> dict[str, Any]:
    warm = {name: every[rounds] for name, every in took.items()}
    us = {name: _percentiles(every) for name, every in warm.items()}
    others = [name for name in COLLECTORS if name != "live"]
    return {
        "us": us,
        "p50_over_live": {name: _over(warm[name], warm["live"]) for name in others},
        "p99_over_live": {name: round(us[name]["p99"] / us["live"]["p99"], 3) for name in others},
    }


def _percentiles(rounds: list[list[float]]) -> dict[str, float]:
    every = [us for one in rounds for us in one]
    return {"p50": round(median(every), 1), "p99": round(quantiles(every, n=100)[98], 1)}


def _over(mine: list[list[float]], theirs: list[list[float]]) -> float:
    pairs = zip(mine, theirs, strict=True)
    return round(median(median(a) / median(b) for a, b in pairs), 3)


def _file(file: IO[str] | None) -> IO[str]:
    assert file is not None
    return file
