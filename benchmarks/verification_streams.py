"""Streams of results as honest tools give them, seeded; none of them is a hallucination."""

from __future__ import annotations

import math
import random


def gaussian(fields):
    """So many independent fields, each around a mean of its own."""

    def make(seed):
        dice = random.Random(seed)
        while True:
            yield {f"field_{k}": dice.gauss(100 + k, 5) for k in range(fields)}, 300.0

    return make


def lognormal_latency(seed):
    """One steady field; durations that are skewed, as those of networks are."""
    dice = random.Random(seed)
    while True:
        yield {"value": dice.gauss(20, 1)}, dice.lognormvariate(5, 0.8)


def counter(seed):
    """A number that only rises, by one to five."""
    dice, n = random.Random(seed), 0
    while True:
        n += dice.randint(1, 5)
        yield {"total": n}, 300.0


def wave(seed):
    """A sine of 50 calls with noise."""
    dice, n = random.Random(seed), 0
    while True:
        n += 1
        yield {"load": 100 + 10 * math.sin(math.tau * n / 50) + dice.gauss(0, 1)}, 300.0


def steps(seed):
    """Constant for 100 calls at a time, then another value that is at most 2 % away."""
    dice, value, n = random.Random(seed), 250.0, 0
    while True:
        n += 1
        value *= 1 + dice.uniform(-0.02, 0.02) * (n % 100 == 0)
        yield {"price": round(value, 2)}, 300.0


def walk(seed):
    """A price that goes up or down by about a hundredth with each call."""
    dice, value = random.Random(seed), 100.0
    while True:
        value *= math.exp(dice.gauss(0, 0.01))
        yield {"price": value}, 300.0


def both_signs(seed):
    """A change that is above 0 as often as below."""
    dice = random.Random(seed)
    while True:
        yield {"change": dice.gauss(0, 1)}, 300.0


def skewed(seed):
    """Amounts: many small ones, few large ones."""
    dice = random.Random(seed)
    while True:
        yield {"amount": dice.lognormvariate(3, 1)}, 300.0


def rare(seed):
    """A count that is nearly always 0."""
    dice = random.Random(seed)
    while True:
        yield {"errors": int(dice.random() < 0.05), "ok": dice.random() < 0.9}, 300.0


def restarts(seed):
    """A counter that begins anew every 500 calls."""
    dice = random.Random(seed)
    while True:
        total = 0
        for _ in range(500):
            total += dice.randint(1, 5)
            yield {"requests": total}, 300.0


def two_modes(seed):
    """A queue that is nearly empty, or full."""
    dice = random.Random(seed)
    while True:
        yield {"depth": dice.choice([dice.gauss(10, 0.5), dice.gauss(1_000, 20)])}, 300.0


def week(seed):
    """Five working days, two quiet ones."""
    dice = random.Random(seed)
    while True:
        for day in range(7):
            yield {"orders": dice.gauss(100, 4) if day < 5 else dice.gauss(20, 2)}, 300.0


def rare_mode(seed):
    """One result in twenty is ten times as large."""
    dice = random.Random(seed)
    while True:
        rare = dice.random() < 0.05
        yield {"rows": dice.gauss(500, 20) if rare else dice.gauss(50, 2)}, 300.0


def cache(seed):
    """After 500 calls half of them are answered by a cache."""
    dice, n = random.Random(seed), 0
    while True:
        n += 1
        hit = n > 500 and dice.random() < 0.5
        yield {"value": dice.gauss(5, 0.1)}, dice.uniform(12, 15) if hit else dice.gauss(900, 50)


def optional_fields(seed):
    """Fields that are there nearly always, half of the time, and rarely; one may be null."""
    dice = random.Random(seed)
    while True:
        result = {"id": f"r{dice.randint(1, 9_999)}", "count": dice.randint(3, 9)}
        for n, share in enumerate((0.999, 0.98, 0.9, 0.5, 0.1, 0.02)):
            if dice.random() < share:
                result[f"field_{n}"] = "text"
        result["ends"] = None if dice.random() < 0.03 else "2026-05-01"
        yield result, 300.0


def several_shapes(seed):
    """A job that waits, is done, or was never there; a search that finds many, one or none."""
    dice = random.Random(seed)
    while True:
        yield (
            dice.choices(
                [
                    {"state": "waiting", "job": "j1"},
                    {
                        "state": "done",
                        "job": "j1",
                        "rows": ["a"] * dice.randint(0, 9),
                        "next": None,
                    },
                    {"items": [{"name": "a"}] * dice.randint(0, 3)},
                    [],
                    None,
                    "No job has that number.",
                ],
                [60, 30, 5, 3, 1, 1],
            )[0],
            300.0,
        )


def errors(seed):
    """One result in fifty says that the call failed, in one of several forms."""
    dice = random.Random(seed)
    forms = [{"error": "not found"}, {"error": {"code": 500}}, "Error: gone", {"success": False}]
    while True:
        if dice.random() < 0.02:
            yield dice.choice(forms), 300.0
        else:
            yield {"price": dice.randint(95, 105), "currency": "EUR", "venue": "X"}, 300.0


def names_that_are_data(seed):
    """Votes by person, of persons that differ each time."""
    dice = random.Random(seed)
    while True:
        names = [f"person_{dice.randint(1, 500)}" for _ in range(dice.randint(0, 4))]
        yield {name: dice.randint(95, 105) for name in names}, 300.0


def another_version(seed):
    """After 400 results of one shape the tool gives another one for good."""
    dice, n = random.Random(seed), 0
    while True:
        n += 1
        price = dice.gauss(100, 2)
        yield ({"price": price, "venue": "X"} if n <= 400 else {"quote": {"last": price}}), 300.0


STREAMS = {
    "1 field": (gaussian(1), 0.01),
    "10 fields": (gaussian(10), 0.02),
    "50 fields": (gaussian(50), 0.02),
    "200 fields": (gaussian(200), 0.02),
    "lognormal latency": (lognormal_latency, 0.02),
    "counter": (counter, 0.02),
    "sine of 50 calls": (wave, 0.02),
    "steps of 2 %": (steps, 0.02),
    "random walk": (walk, 0.02),
    "both signs": (both_signs, 0.02),
    "lognormal field": (skewed, 0.02),
    "rare events": (rare, 0.02),
    "counter that restarts": (restarts, 0.02),
    "two modes": (two_modes, 0.02),
    "weekends": (week, 0.02),
    "rare mode": (rare_mode, 0.02),
    "cache": (cache, 0.02),
    "optional fields": (optional_fields, 0.005),
    "several shapes": (several_shapes, 0.005),
    "errors": (errors, 0.005),
    "names that are data": (names_that_are_data, 0.005),
    "another version": (another_version, 0.005),
}
"""Name to a maker of (result, milliseconds), and the share that may be flagged at most."""
