"""`abs-shield dashboard` serves a log, or a demo, until it is interrupted."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

pytest.importorskip("jinja2", reason="the dashboard needs abs-shield[dashboard]")
pytest.importorskip("itsdangerous", reason="the dashboard needs abs-shield[dashboard]")
httpx = pytest.importorskip("httpx", reason="the dashboard is asked over HTTP")

from tests.cli.shop import filled, order  # noqa: E402  after what the page needs

ROOT = Path(__file__).parents[2]


@contextmanager
def serving(*argv: str, **environment: str) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """Serve at a free port, and give the address that is printed."""
    command = [sys.executable, "-m", "abs_shield", "dashboard", "--port", "0", "--no-open", *argv]
    process = subprocess.Popen(
        command,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONPATH": str(ROOT)} | environment,
    )
    try:
        assert process.stderr is not None
        line = process.stderr.readline()
        match = re.search(r"http://\S+", line)
        assert match, line
        yield match[0], process
    finally:
        process.kill()
        process.wait()
        if process.stderr is not None:
            process.stderr.close()


@pytest.fixture
def log(tmp_path):
    """Name a file for a log."""
    return str(tmp_path / "log.db")


@pytest.mark.slow
def test_a_demo_is_served_until_it_is_interrupted():
    """One command from nothing to a picture; Ctrl-C ends it as it ends any command."""
    with serving("--demo") as (address, process):
        answer = httpx.get(address)
        process.send_signal(signal.SIGINT)
        code = process.wait(timeout=20)

    assert 200 == answer.status_code
    assert "Risk heatmap" in answer.text
    assert "book flight" in answer.text or "book_flight" in answer.text
    assert 130 == code


@pytest.mark.slow
def test_a_token_opens_the_page(log):
    """Without it there is only the form that asks for it."""
    filled(log, order(1))
    with serving(log, ABS_SHIELD_DASHBOARD_TOKEN="sesame") as (address, _):
        response = httpx.get(address, follow_redirects=True)
        with httpx.Client(follow_redirects=True) as client:
            opened = client.get(f"{address}?token=sesame")

    assert "Sign in" in response.text
    assert "get_order" not in response.text
    assert "get_order" in opened.text


def test_a_place_that_others_reach_needs_a_token(command, log, monkeypatch):
    """It is refused with one line that names the variable."""
    monkeypatch.delenv("ABS_SHIELD_DASHBOARD_TOKEN", raising=False)
    filled(log, order(1))
    done = command("dashboard", log, "--host", "0.0.0.0", "--no-open")

    assert (2, "") == (done.code, done.out)
    assert "set ABS_SHIELD_DASHBOARD_TOKEN to a secret token" in done.err


def test_a_taken_port_is_reported_before_the_log_is_read(command, tmp_path):
    """The log is not even there."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        done = command("dashboard", tmp_path / "no.db", "--port", port, "--no-open")

    assert 2 == done.code
    assert f"cannot listen at 127.0.0.1:{port}" in done.err


def test_a_log_and_a_demo_are_two_things(command, log):
    """Only one of them can be shown."""
    done = command("dashboard", log, "--demo", "--no-open")

    assert (2, "abs-shield: give a log or `--demo`, not both\n") == (done.code, done.err)
