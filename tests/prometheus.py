"""A process with metrics, and a real Prometheus that scrapes it."""

from __future__ import annotations

import contextlib
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest

needs_prometheus = pytest.mark.skipif(
    shutil.which("prometheus") is None,
    reason="no `prometheus` is installed; on Debian: apt install prometheus",
)
needs_promtool = pytest.mark.skipif(
    shutil.which("promtool") is None,
    reason="no `promtool` is installed; on Debian: apt install prometheus",
)
CONFIG = """
global: {{scrape_interval: 200ms, scrape_timeout: 200ms, evaluation_interval: 200ms}}
rule_files: {rules}
scrape_configs:
  - job_name: service
    static_configs: [{{targets: ["127.0.0.1:{port}"]}}]
"""
_OF_THE_SCRAPE = (
    "__name__", "job", "instance",
    "otel_scope_name", "otel_scope_version", "otel_scope_schema_url",
)  # fmt: skip


@dataclass
class Service:
    """A process that prints the port of its metrics, and then a line for each line of its input."""

    process: subprocess.Popen[str]
    port: int

    def work(self) -> None:
        """Have it do one round of work, and wait for its end."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        assert "done\n" == self.process.stdout.readline()


@contextlib.contextmanager
def serve_metrics(script: Path, *words: str) -> Iterator[Service]:
    """Start a script that serves metrics."""
    command = [sys.executable, script, *words]
    with subprocess.Popen(command, stdin=-1, stdout=-1, text=True) as process:
        try:
            assert process.stdout is not None
            yield Service(process, int(process.stdout.readline()))
        finally:
            process.kill()


@contextlib.contextmanager
def run_prometheus(folder: Path, port: int, *, rules: Path | None = None) -> Iterator[httpx.Client]:
    """Run a Prometheus that scrapes a port; yield a client of its API after the first scrape."""
    config = folder / "prometheus.yml"
    config.write_text(CONFIG.format(port=port, rules=[str(rules)] if rules else []))
    address = f"127.0.0.1:{free_port()}"
    command = ["prometheus", f"--web.listen-address={address}", "--log.level=error",
               f"--config.file={config}", f"--storage.tsdb.path={folder / 'data'}"]  # fmt: skip
    with (
        subprocess.Popen(command) as process,
        httpx.Client(base_url=f"http://{address}/api/v1") as client,
    ):
        try:
            wait_for(lambda: any(query(client, "up").values()), "Prometheus scraped nothing")
            yield client
        finally:
            process.kill()


def wait_for(is_true: Callable[[], bool], complaint: str) -> None:
    """Wait until something is true, a minute at most."""
    until = time.monotonic() + 60
    while not is_true():
        assert time.monotonic() < until, f"{complaint} in a minute"
        time.sleep(0.1)


def free_port() -> int:
    """Return an unused port."""
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        port: int = bound.getsockname()[1]
        return port


def query(client: httpx.Client, text: str) -> dict[tuple[str, ...], float]:
    """
    Return the values of a query by their labels but those of the scrape.

    Nothing while Prometheus starts; a query that Prometheus refuses fails the test.
    """
    try:
        reply = client.get("/query", params={"query": text})
    except httpx.HTTPError:
        return {}
    if reply.status_code == httpx.codes.SERVICE_UNAVAILABLE:
        return {}
    assert reply.is_success, reply.text
    return {
        tuple(
            value for name, value in sorted(one["metric"].items()) if name not in _OF_THE_SCRAPE
        ): float(one["value"][1])
        for one in reply.json()["data"]["result"]
    }
