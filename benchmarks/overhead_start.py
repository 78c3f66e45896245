"""Start-up time of a program's first Shield: ``python benchmarks/overhead_start.py``."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from statistics import median
from time import time
from typing import Any

from command_line import command_parser, report_progress

AT_MOST = 1.3
"""What importing and making a Shield may take, over the imports that it stands on."""

REFERENCE = (
    "import pydantic, jsonschema; pydantic.BaseModel; from opentelemetry import metrics, trace"
)
SHIELD = "from abs_shield import Shield, shield; firewall = Shield(shield.configure())"
CALL = """
firewall.register({"name": "refund", "parameters": {
    "type": "object", "properties": {"order_id": {"type": "string"}}, "required": ["order_id"]
}})
session = firewall.session(messages=[{"role": "user", "content": "Refund order ord_123."}])
call = {"name": "refund", "arguments": {"order_id": "ord_123"}}
assert firewall.check_call(call, session=session).verdict == "CLEAN"
"""
FROM_START = "first call from process start"
CASES = {
    "reference": REFERENCE,
    "import": "import abs_shield",
    "shield": SHIELD,
    "first call": f"{SHIELD}\n{CALL}",
}
TIMED = "from time import time\nt = time()\n{}\nnow = time(); print((now - t) * 1e3, now)"
"""Prints the milliseconds of a case, and when it ended, in seconds since the epoch."""


ROUNDS, QUICK_ROUNDS = 15, 4


def measure(*, rounds: int = ROUNDS) -> dict[str, Any]:
    """
    Time every case in fresh interpreters, in turn, so that a busy machine slows all alike.

    Returns:
        p50 in milliseconds by case, that of the first call also from the start of its process, and
        what a Shield and a first call take over the reference.
    """
    for code in CASES.values():
        _once_ms(code)
    took_ms: dict[str, list[float]] = {name: [] for name in (*CASES, FROM_START)}
    for _ in report_progress(range(rounds), doing="starting interpreters", total=rounds):
        for name, code in CASES.items():
            case_ms, process_ms = _once_ms(code)
            took_ms[name].append(case_ms)
            if name == "first call":
                took_ms[FROM_START].append(process_ms)
    p50_ms = {name: round(median(times), 1) for name, times in took_ms.items()}
    return {
        "rounds": rounds,
        "p50_ms": p50_ms,
        "shield_over_reference": _over(took_ms, "shield"),
        "first_call_over_reference": _over(took_ms, "first call"),
        "at_most": AT_MOST,
    }


def _once_ms(code: str) -> tuple[float, float]:
    """
    Milliseconds in a fresh interpreter, without and with its start.

    All but the first find everything compiled.
    """
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    command = [sys.executable, "-c", TIMED.format(code)]
    started = time()
    printed = subprocess.check_output(command, env=environment, timeout=120).split()
    return float(printed[0]), (float(printed[1]) - started) * 1e3


def _over(took_ms: dict[str, list[float]], case: str) -> float:
    """The median of the rounds' own ratios: both sides of one round met the same machine."""
    pairs = zip(took_ms[case], took_ms["reference"], strict=True)
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
