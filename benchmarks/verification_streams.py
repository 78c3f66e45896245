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
}
"""Name to a maker of (result, milliseconds), and the share that may be flagged at most."""
