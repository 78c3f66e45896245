"""Engines that have to give what one process gives: two workers, three, Ray; and their input."""

from __future__ import annotations

import importlib.util
import random

import pytest

ENGINES = [
    pytest.param(("--workers", "2"), id="two"),
    pytest.param(("--engine", "processes", "--workers", "3"), id="three"),
    pytest.param(
        ("--engine", "ray", "--workers", "2"),
        id="ray",
        marks=pytest.mark.skipif(
            importlib.util.find_spec("ray") is None, reason="Ray is not installed: the extra `ray`"
        ),
    ),
]


def mixed(run, count, no_json):
    """Lines of *count* runs: sessions in order and not, some without one, bad lines, no JSON."""
    dice = random.Random(7)
    lines = []
    for n in range(count):
        session = f"s{n // 5}" if n % 11 else dice.choice([None, "back", f"s{n // 5 - 3}"])
        lines.append(run(n, session) if n % 101 else '{"session_id": "s", "messages": 3}')
    lines[no_json] = "no JSON"
    return lines
