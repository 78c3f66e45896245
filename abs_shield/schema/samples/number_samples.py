"""Sample numbers that fit a schema: its bounds, their neighbours, and the pool's numbers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction
from typing import Any

from abs_shield.schema.number_keywords import exact_fraction
from abs_shield.schema.samples.sample_pool import Pool

_USUAL = (1, 0, 2, -1, 10, 100, 1_000, 1_000_000, 7, 50)
_FRACTIONS = (0.5, 19.99, -0.5, 2.345)
"""Halves, cents, a negative fraction, and a fraction of a cent."""
_PARTS = tuple(Fraction(n, 10) for n in (5, 1, 9, 3, 7, 2, 8, 4, 6))
_STEPS = (5, 10, 25, 100, 500, 1_000, 10_000, 1_000_000)
"""Distances from a single bound."""
_CENT = Fraction(1, 100)


def numbers(shape: dict[str, Any], pool: Pool, *, whole: bool) -> list[int | float]:
    """
    Return numbers within the bounds of *shape*; only integers if *whole*.

    >>> numbers({"minimum": 5, "exclusiveMaximum": 8}, Pool(), whole=True)
    [5, 6, 7]
    """
    low, high = _low(shape), _high(shape)
    step = _step(shape, whole)
    candidates = dict.fromkeys(
        _plain(number)
        for candidate in _candidates(low, high, pool, step, whole)
        for number in _on_grid(candidate, step)
        if _within(number, low, high) and (not whole or number.denominator == 1)
    )
    return [number for number in candidates if number is not None]


Bound = tuple[Fraction, bool] | None
"""A bound, and whether it is exclusive."""


def _low(shape: dict[str, Any]) -> Bound:
    return _tighter(shape, "minimum", "exclusiveMinimum", max)


def _high(shape: dict[str, Any]) -> Bound:
    return _tighter(shape, "maximum", "exclusiveMaximum", min)


def _tighter(shape: dict[str, Any], plain: str, exclusive: str, pick: Any) -> Bound:
    bounds = []
    at, beyond = exact_fraction(shape.get(plain)), exact_fraction(shape.get(exclusive))
    if at is not None:
        bounds.append((at, shape.get(exclusive) is True))
    if beyond is not None:
        bounds.append((beyond, True))
    return pick(bounds, key=lambda bound: bound[0]) if bounds else None


def _candidates(
    low: Bound, high: Bound, pool: Pool, step: Fraction | None, whole: bool
) -> Iterator[Fraction]:
    beside = [step or (Fraction(1) if whole else _CENT), Fraction(1)]
    for bound, sign in ((low, 1), (high, -1)):
        if bound is not None:
            yield bound[0]
            yield from (bound[0] + sign * each for each in beside)
    yield from _distant(low, high)
    for compared in (exact_fraction(number) for number in pool.numbers):
        if compared is not None:
            yield from (compared, compared + 1, compared - 1)
            yield from () if whole else (compared + _CENT, compared - _CENT)
    yield from map(Fraction, _USUAL)
    yield from (half / 2 for n in pool.numbers if (half := exact_fraction(n)) is not None)
    yield from () if whole else (Fraction(str(number)) for number in _FRACTIONS)


def _distant(low: Bound, high: Bound) -> Iterator[Fraction]:
    """Yield numbers between both bounds, or far from a single bound."""
    if low is not None and high is not None:
        yield from (low[0] + (high[0] - low[0]) * part for part in _PARTS)
    elif low is not None:
        yield from (low[0] + step for step in _STEPS)
    elif high is not None:
        yield from (high[0] - step for step in _STEPS)


def _on_grid(number: Fraction, step: Fraction | None) -> Iterable[Fraction]:
    if step is None:
        return (number,)
    below = number // step * step
    return (below,) if below == number else (below, below + step)


def _step(shape: dict[str, Any], whole: bool) -> Fraction | None:
    step = exact_fraction(shape.get("multipleOf"))
    if step is None or step <= 0:
        return Fraction(1) if whole else None
    return step


def _within(number: Fraction, low: Bound, high: Bound) -> bool:
    above = low is None or number > low[0] or (number == low[0] and not low[1])
    below = high is None or number < high[0] or (number == high[0] and not high[1])
    return above and below


def _plain(number: Fraction) -> int | float | None:
    if number.denominator == 1:
        return int(number)
    try:
        return float(number)
    except OverflowError:
        return None
