"""Servers and proxies in their own processes, as a user starts them."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic, sleep
from urllib.error import HTTPError, URLError
from urllib.request import urlopen

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
SHOP = [sys.executable, str(HERE / "shop_server.py")]
POLICY = f"{HERE / 'policy.py'}:policy"
COMMAND = [sys.executable, "-c", "import sys; from abs_shield.cli import main; sys.exit(main())"]
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONWARNINGS": "ignore"}
_PATIENCE_S = 60.0


@contextmanager
def run_proxy(*options: str, log: Path, **variables: str) -> Iterator[str]:
    """Start `abs-shield mcp` on a free port, with these variables too; give its URL."""
    argv = [*COMMAND, "mcp", "--http", "127.0.0.1:0", *options]
    with log.open("w") as errors:
        process = subprocess.Popen(argv, env=ENVIRONMENT | variables, stderr=errors, cwd=ROOT)
    try:
        url = logged_url(log, process)
        wait_for_answer(url)
        yield url
    finally:
        process.terminate()
        process.wait(_PATIENCE_S)


def free_port() -> int:
    """Return an unused port."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


@contextmanager
def serve_at(port: int, server: list[str]) -> Iterator[str]:
    """Serve over HTTP; give the URL."""
    process = subprocess.Popen([*server, str(port)], env=ENVIRONMENT, stderr=subprocess.DEVNULL)
    try:
        wait_for_answer(url := f"http://127.0.0.1:{port}/mcp")
        yield url
    finally:
        process.terminate()
        process.wait(_PATIENCE_S)


def logged_url(log: Path, process: subprocess.Popen[bytes]) -> str:
    """Return the URL that the proxy logs."""
    until = monotonic() + _PATIENCE_S
    while monotonic() < until and process.poll() is None:
        for line in log.read_text().splitlines():
            if "serving http" in line:
                return line.rpartition(" ")[2]
        sleep(0.05)
    raise AssertionError(f"the proxy said no URL: {log.read_text()}")


def wait_for_answer(url: str) -> None:
    """Wait until a server responds with any status."""
    until = monotonic() + _PATIENCE_S
    while monotonic() < until:
        try:
            urlopen(url, timeout=1).close()
            return
        except HTTPError as error:
            error.close()
            return
        except (URLError, OSError):
            sleep(0.05)
    raise AssertionError(f"nobody answers at {url}")
