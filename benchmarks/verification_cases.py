"""Planted results that a tool cannot have returned, and harmless ones that look alike."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

Case = Callable[[Callable[[], Any], Callable[..., Any]], Any]


def after(result_of: Callable[[int], Any], calls: int, then: Any, **how: Any) -> Case:
    """Return the verdict on *then* after so many results; *how* as in `_asked`."""

    def case(engine: Callable[[], Any], verified: Callable[..., Any]) -> Any:
        engine_used = engine()
        if profile := how.get("profile"):
            engine_used.register_tool_profile("t", **profile)
        for n in range(calls):
            _verify_case(verified, engine_used, result_of(n), n, how)
        verdicts = [
            _verify_case(verified, engine_used, then, -1, how).verdict
            for _ in range(how.get("times", 1))
        ]
        return (
            verdicts[0]
            if len(verdicts) == 1
            else f"{sum(v != 'accept' for v in verdicts)} of {len(verdicts)}"
        )

    return case


def _verify_case(
    verified: Callable[..., Any], engine_used: Any, result: Any, n: int, how: dict[str, Any]
) -> Any:
    same = how.get("same", True)
    args = how.get("then_args", {"id": 1}) if n < 0 else {"id": 1 if same else n}
    return verified(
        engine_used, result, how.get("ms", 300.0), args=args, session=how.get("session", "s")
    )


def _noisy(mean: float, spread: float) -> Callable[[int], Any]:
    dice = random.Random(8)
    return lambda n: {"value": dice.gauss(mean, spread)}


WEATHER = {"required_fields": ["temperature", "humidity"], "expected_latency_ms": (100, 5000)}
QUICK = {"expected_latency_ms": (0.1, 100), "has_network_io": False}


def _weather(n: int) -> Any:
    return {"temperature": 18 + n % 3, "humidity": 60 + n % 4}


def _quote(n: int) -> Any:
    return {"price": 100 + n % 5, "currency": "USD", "venue": "XNAS"}


CASES: dict[str, Case] = {
    "found: 650 for 50 calls, then 50": after(_noisy(650, 9), 50, {"value": 50.0}),
    "found: the same fabricated 12 times": after(_noisy(650, 9), 50, {"value": 50.0}, times=12),
    "found: sign flip": after(_noisy(100, 3), 20, {"value": -100.0}),
    "found: sign flip after one call": after(lambda n: {"value": 100}, 1, {"value": -100}),
    "found: nested 30 to 30,000": after(
        lambda n: {"user": {"age": 25 + n % 9}}, 50, {"user": {"age": 30_000}}
    ),
    "found: 50 times in a session": after(lambda n: {"value": 2.0}, 1, {"value": 100.0}),
    "found: a constant halves": after(lambda n: {"value": 40.0}, 50, {"value": 20.0}),
    "found: a constant and half": after(lambda n: {"value": 40.0}, 50, {"value": 60.0}),
    "found: required field null": after(
        _weather, 20, {"temperature": None, "humidity": 61}, profile=WEATHER
    ),
    "found: required field a text": after(
        _weather, 20, {"temperature": "mild", "humidity": 61}, profile=WEATHER
    ),
    "found: a network within 0.05 ms": after(
        lambda n: {"value": 1}, 0, {"value": 1}, profile=WEATHER | {"required_fields": []}, ms=0.05
    ),
    "found: an empty object for a quote": after(_quote, 60, {}),
    "found: nothing for a quote": after(_quote, 60, None),
    "found: an empty list for a quote": after(_quote, 60, []),
    "found: prose for a quote": after(_quote, 60, "I could not look that up; it is about 100."),
    "found: another object for a quote": after(_quote, 60, {"answer": "the price is 100"}),
    "found: a quote without its venue": after(_quote, 60, {"price": 101, "currency": "USD"}),
    "harmless: an error for a quote": after(_quote, 60, {"error": "no such share"}),
    "harmless: a further field": after(_quote, 60, {**_quote(1), "note": "delayed"}),
    "harmless: other arguments": after(
        lambda n: {"value": 650.0 + n % 3}, 1, {"value": 0.5}, then_args={"id": "penny"}
    ),
    "harmless: other arguments after 50 calls": after(
        lambda n: {"value": 650.0 + n % 3}, 50, {"value": 0.5}, then_args={"id": "penny"}
    ),
    "harmless: true to false": after(lambda n: {"open": True}, 20, {"open": False}),
    "harmless: a pure computation in 0.15 ms": after(
        lambda n: {"value": 4}, 0, {"value": 4}, profile=QUICK, ms=0.15
    ),
    "harmless: undescribed, 0.3 ms": after(lambda n: {"value": 4}, 0, {"value": 4}, ms=0.3),
    "harmless: ten times slower than declared": after(
        lambda n: {"value": 4}, 0, {"value": 4}, profile=QUICK, ms=1_000.0
    ),
}
"""Name to a case that gives its verdict; ``found`` should not be accepted, ``harmless`` should."""
