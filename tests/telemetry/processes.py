"""The processes of an end-to-end test: a receiver, an agent, and a collector between them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.telemetry.receiver.arrivals import Arrivals

ROOT = Path(__file__).parents[2]
PROTOCOLS = {"grpc": "grpc", "http": "http/protobuf"}


@contextmanager
def receiver(folder: Path, *options: str) -> Iterator[dict[str, int]]:
    """Yield the ports of a receiver that writes what arrives to *folder*."""
    folder.mkdir()
    command = [sys.executable, "-m", "tests.telemetry.receiver", str(folder), *options]
    with subprocess.Popen(
        command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            assert process.stdout is not None
            yield json.loads(process.stdout.readline())
        finally:
            process.kill()


def environment(port: int, *, over: str, **variables: str) -> dict[str, str]:
    """Return the environment variables of a process that exports to *port* on this machine."""
    bare = {key: word for key, word in os.environ.items() if not key.startswith("OTEL_")}
    return bare | {
        "OTEL_EXPORTER_OTLP_ENDPOINT": f"http://127.0.0.1:{port}",
        "OTEL_EXPORTER_OTLP_PROTOCOL": PROTOCOLS[over],
        **variables,
    }


@dataclass(frozen=True, slots=True)
class MessageText:
    """The output of an agent's process: its decisions and its log lines."""

    decisions: list[dict[str, Any]]
    lines: list[dict[str, Any]]
    untouched: bool
    in_time: bool
    stderr: str

    @property
    def by_id(self) -> dict[str, dict[str, Any]]:
        return {decision["id"]: decision for decision in self.decisions}

    @property
    def spanned(self) -> list[dict[str, Any]]:
        """Return the decisions that have a check span: all except clean results."""
        return [d for d in self.decisions if not _is_clean_result(d)]

    @property
    def threats(self) -> set[str]:
        return {d["id"] for d in self.decisions if d["verdict"] != "CLEAN"}


def _is_clean_result(decision: dict[str, Any]) -> bool:
    clean = decision["subject"] == "result" and decision["verdict"] == "CLEAN"
    return clean and not (decision["findings"] or decision["errors"])


def run_agent(folder: Path, env: dict[str, str]) -> MessageText:
    """Run the agent in *folder*; a warning is an error."""
    folder.mkdir()
    done = subprocess.run(
        [sys.executable, "-W", "error", "-m", "tests.telemetry.agent_driver", str(folder)],
        cwd=ROOT, env=env, capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3_000:]
    payload = json.loads((folder / "said.json").read_text())
    lines = (folder / "lines.jsonl").read_text().splitlines()
    return MessageText(**payload, lines=[json.loads(line) for line in lines], stderr=done.stderr)


@dataclass(frozen=True, slots=True)
class Story:
    """One run of the agent: its output, and the telemetry that arrived."""

    messages: MessageText
    arrived: Arrivals
