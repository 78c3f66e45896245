"""Start-up time of a program's first Shield: ``python benchmarks/overhead_start.py``."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from statistics import median
from typing import Any

from command_line import command_parser, report_progress

AT_MOST = 1.3
"""What importing and making a Shield may take, over the imports that it stands on."""

REFERENCE = (
    "import pydantic, jsonschema; pydantic.BaseModel; from opentelemetry import metrics, trace"
)
CASES = {
    "reference": REFERENCE,
    "import": "import abs_shield",
    "shield": "from abs_shield import Shield, shield; Shield(shield.configure())",
}
TIMED = "from time import perf_counter as now; t = now(); {}; print((now() - t) * 1e3)"


ROUNDS, QUICK_ROUNDS = 15, 4


def measure(*, rounds: int = ROUNDS) -> dict[str, Any]:
    """
    Time every case in fresh interpreters, in turn, so that a busy machine slows all alike.

    Returns:
        p50 in milliseconds by case, and what a Shield takes over the reference.
    """
    for code in CASES.values():
        _once_ms(code)
    took_ms: dict[str, list[float]] = {name: [] for name in CASES}
    for _ in report_progress(range(rounds), doing="starting interpreters", total=rounds):
        for name, code in CASES.items():
            took_ms[name].append(_once_ms(code))
    p50_ms = {name: round(median(times), 1) for name, times in took_ms.items()}
    return {
        "rounds": rounds,
        "p50_ms": p50_ms,
        "shield_over_reference": _over(took_ms, "reference"),
        "at_most": AT_MOST,
    }


def _once_ms(code: str) -> float:
    """Milliseconds in a fresh interpreter; all but the first find everything compiled."""
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    command = [sys.executable, "-c", TIMED.format(code)]
    return float(subprocess.check_output(command, env=environment, timeout=120))


def _over(took_ms: dict[str, list[float]], reference: str) -> float:
    """The median of the rounds' own ratios: both sides of one round met the same machine."""
    pairs = zip(took_ms["shield"], took_ms[reference], strict=True)
    return round(median(ours / theirs for ours, theirs in pairs), 3)


def main(arguments: Sequence[str] | None = None) -> None:
    """Print one JSON object."""
    quick = f"{QUICK_ROUNDS} rounds"
    parser = command_parser(__doc__, example="overhead_start.py --quick", quick=quick)
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    options = parser.parse_args(arguments)
    rounds = min(options.rounds, QUICK_ROUNDS) if options.quick else options.rounds
    print(json.dumps({"quick": options.quick, **measure(rounds=rounds)}, indent=2))


if __name__ == "__main__":
    main()
