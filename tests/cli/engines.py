"""Engines whose output must equal that of one process: shuffled, processes and Ray; and inputs."""

from __future__ import annotations

import importlib.util
import pickle
import random
from collections.abc import Iterable, Iterator
from typing import Any

import pytest

from abs_shield.replay.engine_job import Job, WorkerPool, pack_job
from abs_shield.replay.line_chunks import Chunk

SHUFFLED = ("--engine", "processes", "--workers", "2")
"""The options that choose `run_shuffled` if a test has it replace the engine of processes."""

RAY_IS_MISSING = importlib.util.find_spec("ray") is None
REAL = [
    pytest.param(("--engine", "processes", "--workers", "3"), id="processes"),
    pytest.param(
        ("--engine", "ray", "--workers", "2"),
        id="ray",
        marks=[
            pytest.mark.slow,
            pytest.mark.skipif(RAY_IS_MISSING, reason="needs `pip install abs-shield[ray]`"),
        ],
    ),
]
"""The engines that start processes: one format each proves that these bring the same parts."""


def run_shuffled(job: Job[Any], chunks: Iterable[Chunk], crew: WorkerPool) -> Iterator[Any]:
    """
    Do the job with the chunks in another order, as processes may, and yield its parts in theirs.

    Each chunk and each part travels as bytes, and each of the workers has a job of its own.
    """
    sent = [pickle.dumps(chunk) for chunk in chunks]
    workers = [pickle.loads(pack_job(job)).prepare() for _ in range(crew.workers or 2)]
    parts = {}
    for place in random.Random(7).sample(range(len(sent)), len(sent)):
        do = workers[place % len(workers)]
        parts[place] = pickle.dumps(do(pickle.loads(sent[place])))
    yield from (pickle.loads(parts[place]) for place in range(len(sent)))


def mixed_lines(run, count, no_json):
    """Return *count* runs as lines: sorted and unsorted sessions, runs without one, bad lines."""
    dice = random.Random(7)
    lines = []
    for n in range(count):
        session = f"s{n // 5}" if n % 11 else dice.choice([None, "back", f"s{n // 5 - 3}"])
        lines.append(run(n, session) if n % 101 else '{"session_id": "s", "messages": 3}')
    lines[no_json] = "no JSON"
    return lines
