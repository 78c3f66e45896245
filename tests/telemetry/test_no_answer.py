"""A collector that is dead, deaf or slow costs a bounded end and no call."""

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
    """Output, standard error and seconds of a process of its own."""
    start = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", TELLS + code],
        cwd=ROOT, env=env, capture_output=True, text=True, timeout=90, check=True,
    )  # fmt: skip
    return done.stdout, done.stderr, time.monotonic() - start


@pytest.mark.slow
@pytest.mark.parametrize("over", [pytest.param("grpc", marks=pytest.mark.release), "http"])
@pytest.mark.parametrize("kind", ["dead", "deaf", "slow"])
def test_shutdown_keeps_its_time(kind: str, over: str, tmp_path: Path) -> None:
    """`shutdown(timeout_s=1)` is over soon, and says that it did not end; asked again, likewise."""
    with collector(kind, tmp_path) as ports:
        out, _, _ = run(CALLS, environment(ports[over], over=over))

    assert out.split() == ["False", "True", "False"]


@pytest.mark.release
@pytest.mark.slow
@pytest.mark.parametrize("over", ["grpc", "http"])
@pytest.mark.parametrize("kind", ["dead", "deaf"])
def test_the_exit_keeps_its_time(kind: str, over: str, tmp_path: Path) -> None:
    """A process that never calls `shutdown` ends within its five seconds and some slack."""
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
def test_no_thread_is_needed_to_end(tmp_path: Path) -> None:
    """Where Python starts no thread any more, shutdown keeps its time all the same."""
    with collector("deaf", tmp_path) as ports:
        out, _, _ = run(NO_THREADS + CALLS, environment(ports["http"], over="http"))

    assert out.split() == ["False", "True", "False"]


@pytest.mark.slow
def test_the_exporters_speak_through_logging(tmp_path: Path) -> None:
    """A host hears of a dead collector on the logger `opentelemetry`, and can silence it there."""
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
def test_a_forked_process_ends_too(tmp_path: Path) -> None:
    """A fork keeps no thread; the child's shutdown is bounded as its parent's is."""
    with collector("deaf", tmp_path) as ports:
        out, _, _ = run(FORKS, environment(ports["http"], over="http"))

    assert out.split() == ["0", "False"]
