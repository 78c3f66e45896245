"""The tests' OTLP receiver in a process of its own, for the benchmarks."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).parents[1]


@dataclass(frozen=True, slots=True)
class Receiver:
    """Where it listens, `grpc` and `http`, and where it keeps what it takes in."""

    ports: dict[str, int]
    folder: Path

    def requests(self) -> int:
        """Return the number of received requests."""
        return len([*self.folder.glob("*.body")])


@contextmanager
def receiver(*options: str) -> Iterator[Receiver]:
    """Run one; ``--black-hole`` never answers, ``--answers-after 2`` is slow."""
    with TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "tests.telemetry.receiver", folder, *options]
        with subprocess.Popen(
            command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        ) as process:
            assert process.stdout is not None
            try:
                yield Receiver(json.loads(process.stdout.readline()), Path(folder))
            finally:
                process.kill()
