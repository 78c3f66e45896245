"""Overhead of abs_shield, with every goal: ``python benchmarks/overhead.py > overhead.json``."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

import overhead_check
import overhead_concurrent
import overhead_peers
import overhead_replay
import overhead_sdk
import overhead_session
import overhead_start
from command_line import announce, command_parser

PARTS: dict[str, tuple[Callable[..., dict[str, Any]], dict[str, float]]] = {
    "check": (overhead_check.measure, {"seconds": overhead_check.QUICK_SECONDS}),
    "session": (overhead_session.measure, {"traced": overhead_session.QUICK_MESSAGES}),
    "concurrent": (overhead_concurrent.measure, {}),
    "replay": (overhead_replay.measure, {}),
    "start": (overhead_start.measure, {"rounds": overhead_start.QUICK_ROUNDS}),
    "sdk": (overhead_sdk.measure, {}),
    "peers": (overhead_peers.measure, {"rounds": overhead_peers.QUICK_ROUNDS}),
}
"""What measures each part, and with what options where ``--quick`` is given."""
NOT_QUICK = ("peers",)
"""Parts that ``--quick`` leaves out unless ``--only`` names them: they first install packages."""

GOALS: tuple[tuple[str, str, float], ...] = (
    ("clean check / one validation", "check/ratios/default", 0.30),
    (
        "clean check without schema prefilter / one validation",
        "check/ratios/without prefilter",
        1.30,
    ),
    ("clean check of one argument / its validation", "check/ratios/one argument", 0.60),
    ("added by phantom_tool / one validation", "check/ratios/phantom_tool", 0.08),
    ("added by phantom_target / one validation", "check/ratios/phantom_target", 0.08),
    ("added by self_contradiction / one validation", "check/ratios/self_contradiction", 0.08),
    ("added by impossible_state / one validation", "check/ratios/impossible_state", 0.08),
    ("added by confidence_drop / one validation", "check/ratios/confidence_drop", 0.08),
    ("clean check with an opt-in layer / clean check", "check/ratios/with an opt-in layer", 1.2),
    ("clean check with a custom layer / clean check", "check/ratios/with a user's layer", 1.2),
    ("flagged call / clean call", "check/ratios/flagged", 4),
    (
        "added by @shielded before the call / one validation",
        "check/ratios/through @shielded, more",
        0.05,
    ),
    ("whole @shielded call / one validation", "check/ratios/whole @shielded call", 1.8),
    ("check after 10,000 messages / after 100", "check/ratios/message 10,000 over 100", 1.1),
    ("check among 1,000 sessions / with one", "check/ratios/1,000 sessions over one", 1.3),
    ("bytes stored per byte read, 1,000 messages", "session/memory/a byte seen, 1,000 messages", 6),
    (
        "bytes stored per byte read, 10,000 messages",
        "session/memory/a byte seen, 10,000 messages",
        5,
    ),
    ("bytes of an empty session", "session/memory/of an empty session", 1_500),
    (
        "indexing a text / re.findall of its words",
        "session/indexing_over_findall/running text with ids",
        4,
    ),
    ("finding in 1 MB of conversation, p99, us", "session/finding/p99_us", 1_000),
    ("replay / json.loads of its lines", "replay/replay_over_json", 20),
    (
        "import and first Shield / import of libraries",
        "start/shield_over_reference",
        overhead_start.AT_MOST,
    ),
    ("check with a real SDK / span by hand", "sdk/check_over_hand", overhead_sdk.AT_MOST),
    (
        "check / check by the fastest peer",
        "peers/over_fastest_peer/check_call",
        overhead_peers.AT_MOST,
    ),
    ("1,000 concurrent tasks / the same in sequence", "concurrent/tasks_over_sequence", 1.1),
    ("throughput of one thread / of four", "concurrent/one_over_threads", 1 / 0.95),
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
    quick = f"fewer rounds, and no {', '.join(NOT_QUICK)} unless --only names them"
    parser = command_parser(__doc__, example="overhead.py --quick", quick=quick)
    parser.add_argument("--only", choices=[*PARTS], action="append", help="measure these parts")
    options = parser.parse_args(arguments)
    skipped = NOT_QUICK if options.quick and not options.only else ()
    report: dict[str, Any] = {}
    for name in options.only or [name for name in PARTS if name not in skipped]:
        announce(f"measuring {name}")
        measure, fewer = PARTS[name]
        report[name] = measure(**fewer) if options.quick else measure()
    head = {"quick": options.quick, "left_out": [*skipped], "goals": judged(report)}
    print(json.dumps({**head, **report}, indent=2))


if __name__ == "__main__":
    main()
