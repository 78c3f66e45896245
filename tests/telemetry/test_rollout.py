"""The rollout example, with a collector that receives everything and without one."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from tests.telemetry.processes import ROOT, environment, receiver
from tests.telemetry.receiver.arrivals import Arrivals


def run(env: dict[str, str], folder: Path) -> list[str]:
    """Run the example in an empty folder and return its lines; it must write nothing else."""
    folder.mkdir()
    done = subprocess.run(
        [sys.executable, "-W", "error", str(ROOT / "examples" / "audit_rollout.py")],
        cwd=folder, env=env, capture_output=True, text=True, timeout=60, check=True,
    )  # fmt: skip
    assert (done.stderr, list(folder.iterdir())) == ("", [])
    return done.stdout.splitlines()


@pytest.mark.slow
@pytest.mark.parametrize("over", ["grpc", "http"])
def test_both_weeks_arrive(over: str, tmp_path: Path) -> None:
    """Each call of both weeks is a span; two calls of the second week are blocked."""
    with receiver(tmp_path / "arrived") as ports:
        lines = run(environment(ports[over], over=over), tmp_path / "here")

    arrived = Arrivals(tmp_path / "arrived").spans
    checks = [
        span
        for span in arrived
        if span.name.startswith("abs_shield.check")
        and span.attributes["abs_shield.subject"] == "call"
    ]
    blocked = Counter(span.attributes["abs_shield.blocked"] for span in checks)
    assert blocked == {False: 10, True: 2}
    assert lines[-1] == "6 calls, 2 stopped"


@pytest.mark.slow
@pytest.mark.release
@pytest.mark.parametrize("over", ["grpc", "http"])
def test_no_collector_is_needed(over: str, tmp_path: Path) -> None:
    """Without a collector the output is the same, with one more line that says so."""
    lines = run(environment(9, over=over), tmp_path / "here")

    assert lines[-2:] == ["6 calls, 2 stopped", "no collector took everything in"]
