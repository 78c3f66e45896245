"""One engine, asked by lines of JSON: ours, or the original in its own environment."""

from __future__ import annotations

import json
import random
import sys
import time
from itertools import islice
from pathlib import Path
from statistics import median, quantiles
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))
from verification_streams import STREAMS

PROFILE: dict[str, Any] = {
    "expected_latency_ms": (50, 5000), "required_fields": ["f0"], "forbidden_fields": ["error"],
    "response_patterns": ['"f0"'], "min_response_length": 2, "max_response_length": 1_000_000,
    "has_network_io": True,
}  # fmt: skip
"""Everything that a profile can say, so that all eight signals look."""


def engine(which: str) -> Any:
    """Return a fresh engine."""
    if which == "ours":
        from abs_shield.verification import VerificationEngine
    else:
        from agentguard.verification import VerificationEngine
    return VerificationEngine()


def verified(
    engine_used: Any, result: Any, ms: float, *, args: Any, session: str | None, tool: str = "t"
):
    """Judge one result; both engines take these names."""
    return engine_used.verify(
        tool, result=result, execution_time_ms=ms, args=args, session_id=session
    )


def stream(which: str, *, name: str, calls: int, same: bool) -> dict[str, Any]:
    """Return the share of an honest stream that is not accepted."""
    engine_used = engine(which)
    engine_used.register_tool_profile("t", expected_latency_ms=(1, 60_000), has_network_io=True)
    refused = errors = 0
    for n, (result, ms) in enumerate(islice(STREAMS[name][0](41), calls)):
        args, session = ({"id": 7}, "s") if same else ({"id": n}, None)
        try:
            verification = verified(engine_used, result, ms, args=args, session=session)
            refused += verification.verdict != "accept"
        except Exception:
            errors += 1
    return {"not_accepted": refused / calls, "errors": errors}


class Timed:
    """Times single calls, in batches, so that two engines take turns on one machine."""

    def __init__(self, which: str, fields: int) -> None:
        dice = random.Random(fields)
        self._engine = engine(which)
        self._engine.register_tool_profile("t", **PROFILE)
        self._calls = [
            ({f"f{k}": dice.gauss(100 + k, 5) for k in range(fields)} | {"name": "x"},
             dice.gauss(300, 20))
            for _ in range(1_000)
        ]  # fmt: skip
        self._at = 0
        self.batch(300)

    def batch(self, calls: int) -> list[float]:
        """Return the microseconds of each call."""
        taken = []
        for _ in range(calls):
            result, ms = self._calls[self._at % 1_000]
            self._at += 1
            begun = time.perf_counter_ns()
            verified(self._engine, result, ms, args={"city": "London"}, session="s1")
            taken.append((time.perf_counter_ns() - begun) / 1e3)
        return taken


def summary(taken: list[float]) -> dict[str, float]:
    """Return the median and the 99th percentile, in microseconds."""
    return {"p50_us": round(median(taken), 1), "p99_us": round(quantiles(taken, n=100)[98], 1)}


def growth(which: str, *, calls: int) -> dict[str, Any]:
    """Return what a call takes at its 1,000th and last repetition, and what is held by then."""
    import tracemalloc

    engine_used, dice = engine(which), random.Random(1)
    marks: dict[str, Any] = {}
    taken: list[float] = []
    tracemalloc.start()
    for n in range(1, calls + 1):
        result = {f"f{k}": dice.gauss(100, 5) for k in range(10)}
        begun = time.perf_counter_ns()
        verified(engine_used, result, 300.0, args={"id": n}, session=f"s{n}")
        taken.append((time.perf_counter_ns() - begun) / 1e3)
        if n in (1_000, calls // 2, calls):
            held = tracemalloc.get_traced_memory()[0] / 1e6
            marks[str(n)] = {"p50_us": round(median(taken[-500:]), 1), "mb": round(held, 1)}
    tracemalloc.stop()
    return marks


def detection(which: str) -> dict[str, Any]:
    """Return the verdict on each planted result, and on harmless ones that look alike."""
    import verification_cases

    report = {}
    for name, case in verification_cases.CASES.items():
        try:
            report[name] = case(lambda: engine(which), verified)
        except Exception as error:
            report[name] = f"error: {type(error).__name__}"
    return report


def main() -> None:
    """Answer each line until the input ends."""
    which, timed = sys.argv[1], {}
    for line in sys.stdin:
        request = json.loads(line)
        do = request.pop("do")
        if do == "time":
            fields = request["fields"]
            if fields not in timed:
                timed[fields] = Timed(which, fields)
            response: Any = timed[fields].batch(request["calls"])
        else:
            response = {"stream": stream, "growth": growth, "detection": detection}[do](
                which, **request
            )
        print(json.dumps(response), flush=True)


if __name__ == "__main__":
    main()
