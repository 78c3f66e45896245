"""A process whose checks are timed on demand, and which exports as its OTEL variables say."""

from __future__ import annotations

import gc
import json
import sys
from collections.abc import Callable
from time import monotonic, perf_counter_ns
from typing import Any

from abs_shield import Shield, Tool, ToolCall, Verdict, shield
from abs_shield.telemetry import setup

SCHEMA = {
    "type": "object",
    "properties": {"order_id": {"type": "string"}, "amount": {"type": "number"}},
    "required": ["order_id", "amount"],
}
CALLS = {
    "clean": (ToolCall("refund", {"order_id": "ord_12345", "amount": 20.0}), Verdict.CLEAN),
    "flagged": (ToolCall("refund", {"order_id": "ord_99999", "amount": 20.0}), Verdict.SUSPICIOUS),
}


def checks() -> dict[str, Callable[[], Any]]:
    """A check of each kind, sure to be one."""
    tool = Tool(name="refund", parameters=SCHEMA, targets=("order_id",))
    firewall = Shield(shield.configure(mode="audit", tools=[tool]))
    session = firewall.session()
    session.user("Please refund order ord_12345, 20 EUR.")
    by_name: dict[str, Callable[[], Any]] = {}
    for kind, (call, verdict) in CALLS.items():
        assert firewall.check_call(call, session=session).verdict is verdict
        by_name[kind] = lambda call=call: firewall.check_call(call, session=session)
    return by_name


def timed(check: Callable[[], Any], calls: int) -> list[float]:
    """Microseconds of each of so many checks."""
    took = []
    gc.collect()
    gc.disable()
    for _ in range(calls):
        started = perf_counter_ns()
        check()
        took.append((perf_counter_ns() - started) / 1e3)
    gc.enable()
    return took


def main() -> None:
    """Answer lines of ``KIND CALLS``; at their end shut down, and tell how long that took."""
    telemetry = setup()
    all_checks = checks()
    print("ready", flush=True)
    for line in sys.stdin:
        kind, calls = line.split()
        print(json.dumps(timed(all_checks[kind], int(calls))), flush=True)
    started = monotonic()
    done = telemetry.shutdown()
    print(json.dumps({"all_sent": done, "s": round(monotonic() - started, 2)}), flush=True)


if __name__ == "__main__":
    main()
