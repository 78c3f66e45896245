"""The tests' OTLP receiver in a process of its own, for the benchmarks."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).parents[1]


@contextmanager
def receiver(*options: str) -> Iterator[dict[str, int]]:
    """Give the ports of a receiver, `grpc` and `http`; `--black-hole` never answers."""
    with TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "tests.telemetry.receiver", folder, *options]
        with subprocess.Popen(
            command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        ) as process:
            assert process.stdout is not None
            try:
                yield json.loads(process.stdout.readline())
            finally:
                process.kill()
