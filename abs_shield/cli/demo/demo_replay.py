"""The demo's recorded run, judged again."""

from __future__ import annotations

from importlib.resources import as_file, files

from abs_shield.cli.demo.demo_policy import POLICY
from abs_shield.replay import Judged, replay


def recorded() -> list[Judged]:
    """Judge the run that lies beside this file."""
    with as_file(files("abs_shield.cli.demo") / "run.jsonl") as path:
        return list(replay([path], policy=POLICY))
