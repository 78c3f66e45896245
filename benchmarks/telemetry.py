"""Cost of telemetry for the calling thread: ``python benchmarks/telemetry.py``."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import telemetry_collectors
import telemetry_hook
from command_line import command_parser

ROUNDS, QUICK_ROUNDS = 100, 20


def measure(*, rounds: int = ROUNDS) -> dict[str, Any]:
    """Measure both parts, the collectors over gRPC and over HTTP; and judge the figures."""
    hook = telemetry_hook.measure(rounds=rounds)
    collectors = {
        over: telemetry_collectors.measure(over=over, rounds=rounds)
        for over in telemetry_collectors.PROTOCOLS
    }
    return {"figures": judged(hook, collectors), "hook": hook, "collectors": collectors}


def judged(hook: dict[str, Any], collectors: dict[str, Any]) -> list[dict[str, Any]]:
    """Set the two promised figures beside what was measured; of several the worst."""
    worst = max(
        ratio
        for collector in collectors.values()
        for kind in telemetry_collectors.KINDS
        for part in collector[kind].values()
        for ratio in part["p50_over_live"].values()
    )
    rows = (
        (
            "OTLP of a clean decision over a span and a histogram by hand",
            hook["hook_over_hand"],
            hook["at_most"],
        ),
        ("worst collector over a live one, p50", worst, telemetry_collectors.AT_MOST),
    )
    return [
        {"figure": what, "measured": collector, "at_most": most, "reached": collector <= most}
        for what, collector, most in rows
    ]


def main(arguments: Sequence[str] | None = None) -> None:
    """Print one JSON object."""
    parser = command_parser(
        __doc__, example="telemetry.py --quick",
        quick=f"{QUICK_ROUNDS} rounds, in which a queue is hardly filled",
    )  # fmt: skip
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    options = parser.parse_args(arguments)
    rounds = min(options.rounds, QUICK_ROUNDS) if options.quick else options.rounds
    print(json.dumps({"quick": options.quick, **measure(rounds=rounds)}, indent=2))


if __name__ == "__main__":
    main()
