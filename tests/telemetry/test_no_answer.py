"""An unreachable, silent or slow collector delays the exit for a bounded time, and no call."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.telemetry.processes import ROOT, environment, receiver

TELLS = """
import sys, time
from opentelemetry import metrics, trace, _logs
from abs_shield.telemetry import setup
telemetry = setup()
trace.get_tracer("x").start_span("s").end()
_logs.get_logger("x").emit(body="b")
metrics.get_meter("x").create_counter("c").add(1)
"""
CALLS = """
start = time.monotonic()
done = telemetry.shutdown(timeout_s=1.0)
print(done, time.monotonic() - start < 3, telemetry.shutdown())
"""
SLACK_S = 10.0
"""How much longer than its bound an exit may take on a busy machine."""


@contextmanager
def collector(kind: str, folder: Path) -> Iterator[dict[str, int]]:
    """Yield the ports of a collector that does not answer in time."""
    if kind == "dead":
        yield {"grpc": 9, "http": 9}
        return
    options = {"deaf": ["--black-hole"], "slow": ["--answers-after", "30"]}[kind]
    with receiver(folder / "arrived", *options) as ports:
        yield ports


def run(code: str, env: dict[str, str]) -> tuple[str, str, float]:
    """Return output, standard error and duration of a new process."""
    start = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", TELLS + code],
        cwd=ROOT, env=env, capture_output=True, text=True, timeout=90, check=True,
    )  # fmt: skip
    return done.stdout, done.stderr, time.monotonic() - start


@pytest.mark.slow
@pytest.mark.parametrize("over", [pytest.param("grpc", marks=pytest.mark.release), "http"])
@pytest.mark.parametrize("kind", ["dead", "deaf", "slow"])
def test_shutdown_returns_within_its_timeout(kind: str, over: str, tmp_path: Path) -> None:
    """`shutdown(timeout_s=1)` returns false soon, also when it is called again."""
    with collector(kind, tmp_path) as ports:
        out, _, _ = run(CALLS, environment(ports[over], over=over))

    assert out.split() == ["False", "True", "False"]


@pytest.mark.release
@pytest.mark.slow
@pytest.mark.parametrize("over", ["grpc", "http"])
@pytest.mark.parametrize("kind", ["dead", "deaf"])
def test_a_process_exits_within_the_default_timeout(kind: str, over: str, tmp_path: Path) -> None:
    """A process that never calls `shutdown` ends after about five seconds."""
    with collector(kind, tmp_path) as ports:
        _, _, seconds = run("", environment(ports[over], over=over))

    assert seconds < 5.0 + SLACK_S


NO_THREADS = """
import threading
def refuse(thread):
    raise RuntimeError("can't create new thread at interpreter shutdown")
threading.Thread.start = refuse
"""


@pytest.mark.slow
def test_shutdown_needs_no_new_thread(tmp_path: Path) -> None:
    """Where Python cannot start a thread, shutdown returns within its timeout."""
    with collector("deaf", tmp_path) as ports:
        out, _, _ = run(NO_THREADS + CALLS, environment(ports["http"], over="http"))

    assert out.split() == ["False", "True", "False"]


@pytest.mark.slow
def test_export_errors_are_logged(tmp_path: Path) -> None:
    """The host sees an unreachable collector on the logger `opentelemetry`, and can silence it."""
    env = environment(9, over="http")
    _, loud, _ = run(CALLS, env)
    quiet = "import logging; logging.getLogger('opentelemetry').setLevel(logging.CRITICAL)"
    _, silent, _ = run(f"{quiet}\n{CALLS}", env)

    assert ("Transient error" in loud, silent) == (True, "")


FORKS = """
import os
child = os.fork()
if child == 0:
    trace.get_tracer("x").start_span("s").end()
    done = telemetry.shutdown(timeout_s=1.0)
    os._exit(0 if not done else 1)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), telemetry.shutdown(timeout_s=1.0))
"""


@pytest.mark.slow
def test_shutdown_of_a_forked_process_is_bounded(tmp_path: Path) -> None:
    """A forked child has no export thread, and its shutdown still ends in time."""
    with collector("deaf", tmp_path) as ports:
        out, _, _ = run(FORKS, environment(ports["http"], over="http"))

    assert out.split() == ["0", "False"]
