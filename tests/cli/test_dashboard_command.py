"""`abs-shield dashboard` serves a log or a demo until it is interrupted."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import pytest

pytest.importorskip("jinja2", reason="needs `pip install abs-shield[dashboard]`")
pytest.importorskip("itsdangerous", reason="needs `pip install abs-shield[dashboard]`")
httpx = pytest.importorskip("httpx", reason="needs `pip install abs-shield[test]`")

from tests.cli.shop import fill_log, order  # noqa: E402  after what the page needs

ROOT = Path(__file__).parents[2]


@contextmanager
def serving(*argv: str, **environment: str) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """Serve a dashboard on a free port; yield its address and its process."""
    command = [sys.executable, "-m", "abs_shield", "dashboard", "--port", "0", "--no-open", *argv]
    process = subprocess.Popen(
        command,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONPATH": str(ROOT)} | environment,
        # a suite in the background ignores Ctrl-C, and so would its children
        preexec_fn=partial(signal.signal, signal.SIGINT, signal.SIG_DFL),
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
    """Return the path of a log."""
    return str(tmp_path / "log.db")


@pytest.mark.slow
@pytest.mark.release
def test_a_demo_is_served_until_it_is_interrupted():
    """`--demo` serves a page with a heatmap; Ctrl-C ends the command with exit code 130."""
    with serving("--demo") as (address, process):
        answer = httpx.get(address)
        process.send_signal(signal.SIGINT)
        code = process.wait(timeout=20)

    assert 200 == answer.status_code
    assert "Risk heatmap" in answer.text
    assert "book flight" in answer.text or "book_flight" in answer.text
    assert 130 == code


@pytest.mark.slow
def test_the_page_requires_the_token(log):
    """Without the token the page is a sign-in form that shows no decision."""
    fill_log(log, order(1))
    with serving(log, ABS_SHIELD_DASHBOARD_TOKEN="sesame") as (address, _):
        response = httpx.get(address, follow_redirects=True)
        with httpx.Client(follow_redirects=True) as client:
            opened = client.get(f"{address}?token=sesame")

    assert "Sign in" in response.text
    assert "get_order" not in response.text
    assert "get_order" in opened.text


def test_a_public_host_requires_a_token(command, log, monkeypatch):
    """Listening on 0.0.0.0 without a token is an error that names the variable to set."""
    monkeypatch.delenv("ABS_SHIELD_DASHBOARD_TOKEN", raising=False)
    fill_log(log, order(1))
    done = command("dashboard", log, "--host", "0.0.0.0", "--no-open")

    assert (2, "") == (done.code, done.out)
    assert "set ABS_SHIELD_DASHBOARD_TOKEN to a secret token" in done.err


def test_a_port_in_use_is_reported_before_the_log_is_read(command, tmp_path):
    """A port in use is the reported error even if the log does not exist."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        done = command("dashboard", tmp_path / "no.db", "--port", port, "--no-open")

    assert 2 == done.code
    assert f"cannot listen at 127.0.0.1:{port}" in done.err


def test_a_log_and_demo_are_mutually_exclusive(command, log):
    """A log together with `--demo` is exit code 2."""
    done = command("dashboard", log, "--demo", "--no-open")

    assert (2, "abs-shield: give a log or `--demo`, not both\n") == (done.code, done.err)
