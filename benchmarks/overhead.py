"""Overhead of abs_shield, with every goal: ``python benchmarks/overhead.py > overhead.json``."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from typing import Any

import overhead_check
import overhead_concurrent
import overhead_peers
import overhead_replay
import overhead_sdk
import overhead_session
import overhead_start

PARTS: dict[str, Callable[[], dict[str, Any]]] = {
    "check": overhead_check.measure,
    "session": overhead_session.measure,
    "concurrent": overhead_concurrent.measure,
    "replay": overhead_replay.measure,
    "start": overhead_start.measure,
    "sdk": overhead_sdk.measure,
    "peers": overhead_peers.measure,
}

GOALS: tuple[tuple[str, str, float], ...] = (
    ("whole clean check over one validation", "check/ratios/default", 0.30),
    ("the same without prefilter", "check/ratios/without prefilter", 1.30),
    ("one argument over its validation", "check/ratios/one argument", 0.60),
    ("phantom_tool, more", "check/ratios/phantom_tool", 0.08),
    ("phantom_target, more", "check/ratios/phantom_target", 0.08),
    ("self_contradiction, more", "check/ratios/self_contradiction", 0.08),
    ("impossible_state, more", "check/ratios/impossible_state", 0.08),
    ("confidence_drop, more", "check/ratios/confidence_drop", 0.08),
    ("with an opt-in layer, over the default", "check/ratios/with an opt-in layer", 1.2),
    ("with a user's layer, over the default", "check/ratios/with a user's layer", 1.2),
    ("a flagged call over a clean one", "check/ratios/flagged", 4),
    ("through @shielded, more", "check/ratios/through @shielded, more", 0.05),
    ("whole @shielded call over one validation", "check/ratios/whole @shielded call", 1.8),
    ("message 10,000 over 100", "check/ratios/message 10,000 over 100", 1.1),
    ("1,000 sessions over one", "check/ratios/1,000 sessions over one", 1.3),
    ("bytes a byte seen, 1,000 messages", "session/memory/a byte seen, 1,000 messages", 6),
    ("bytes a byte seen, 10,000 messages", "session/memory/a byte seen, 10,000 messages", 5),
    ("bytes of an empty session", "session/memory/of an empty session", 1_500),
    ("indexing over findall", "session/indexing_over_findall/running text with ids", 4),
    ("finding in 1 MB, p99, us", "session/finding/p99_us", 1_000),
    ("replay over json.loads", "replay/replay_over_json", 20),
    ("import and Shield over its libraries", "start/shield_over_reference", 1.3),
    ("check with a real SDK over a span by hand", "sdk/check_over_hand", 1.4),
    ("check over the fastest peer", "peers/over_fastest_peer/check_call", 0.5),
    ("1,000 tasks at once over one after the other", "concurrent/tasks_over_sequence", 1.1),
    ("one thread's throughput over that of four", "concurrent/one_over_threads", 1 / 0.95),
)
"""What, where it stands in the report, and the most that it may be."""


def judged(report: dict[str, Any]) -> list[dict[str, Any]]:
    """Set every figure beside its goal; those that were not measured are left out."""
    rows = []
    for what, place, at_most in GOALS:
        node: Any = report
        for step in place.split("/"):
            node = node.get(step) if isinstance(node, dict) else None
        if isinstance(node, (int, float)):
            rows.append(
                {
                    "figure": what,
                    "measured": node,
                    "at_most": round(at_most, 3),
                    "reached": node <= at_most,
                }
            )
    return rows


def main(arguments: Sequence[str] | None = None) -> None:
    """Print one JSON object: the goals, and under them everything that was measured."""
    reader = argparse.ArgumentParser(description=__doc__)
    reader.add_argument("--only", choices=[*PARTS], action="append", help="measure these parts")
    chosen = reader.parse_args(arguments).only or [*PARTS]
    report: dict[str, Any] = {}
    for name in chosen:
        print(f"measuring {name} ...", file=sys.stderr)
        report[name] = PARTS[name]()
    print(json.dumps({"goals": judged(report), **report}, indent=2))


if __name__ == "__main__":
    main()
