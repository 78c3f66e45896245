"""Streaming statistics of a window equal the batch values at every step."""

from __future__ import annotations

import math
import random
from collections import deque
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from abs_shield.stats import Moments, Window

NUMBERS = st.lists(st.floats(-1e6, 1e6), max_size=60)


def batch(values):
    """Mean and sample variance in exact arithmetic."""
    exact = [Fraction(x) for x in values]
    mean = sum(exact) / len(exact)
    spread = sum((x - mean) ** 2 for x in exact)
    return float(mean), float(spread / (len(exact) - 1)) if len(exact) > 1 else 0.0


def assert_equal(window, values):
    mean, variance = batch(values)
    scale = max(map(abs, values))
    assert window.mean == pytest.approx(mean, rel=1e-9, abs=1e-9 * scale + 1e-12)
    assert window.variance == pytest.approx(variance, rel=1e-7, abs=(1e-8 * scale) ** 2 + 1e-15)
    assert window.deviation == pytest.approx(math.sqrt(window.variance), rel=1e-9)


@given(NUMBERS, st.integers(1, 12))
def test_the_window_equals_the_batch_values_at_every_step(numbers, size):
    """Mean and variance are those of the newest numbers."""
    window, newest = Window(size), deque(maxlen=size)
    for x in numbers:
        window.update(x)
        newest.append(x)
        assert list(newest) == list(window.values)
        assert_equal(window, list(newest))


@pytest.mark.slow
@pytest.mark.release
@pytest.mark.parametrize(("middle", "noise"), [(1e9, 1), (1e9, 1e-4), (1e12, 1), (1e-9, 1e-12)])
def test_small_noise_on_a_large_number_at_every_step(middle, noise):
    """The variance stays accurate, also long after the sums were last recomputed."""
    dice, window, newest = random.Random(5), Window(100), deque(maxlen=100)
    for _ in range(1_000):
        x = middle + dice.gauss(0, noise)
        window.update(x)
        newest.append(x)
        mean, variance = batch(newest)
        assert window.mean == pytest.approx(mean, rel=1e-14)
        assert window.variance == pytest.approx(variance, rel=1e-12)


@pytest.mark.slow
@pytest.mark.release
def test_it_stays_exact_after_a_million_numbers():
    """Rounding errors do not add up, and an outlier that leaves takes its digits with it."""
    dice, window, newest = random.Random(6), Window(100), deque(maxlen=100)
    for n in range(1_000_000):
        x = 1e15 if n == 999_700 else dice.gauss(1, 0.1)
        window.update(x)
        newest.append(x)

    mean, variance = batch(newest)
    assert window.mean == pytest.approx(mean, rel=1e-12)
    assert window.variance == pytest.approx(variance, rel=1e-9)


def test_a_constant_series_has_no_spread():
    """After noise, as soon as all numbers are equal, the deviation is 0 and stays so."""
    dice, window = random.Random(7), Window(100)
    for _ in range(500):
        window.update(dice.gauss(5, 1))
    for _ in range(150):
        window.update(0.1)

    assert (0.0, 0.1) == (window.deviation, window.mean)


@given(st.lists(NUMBERS, max_size=5))
def test_shards_merge_to_the_same_numbers(shards):
    """The moments of several windows are those of all their numbers in one."""
    windows = [Window(100, shard) for shard in shards]
    merged = Moments.merged(window.moments for window in windows)
    numbers = [x for shard in shards for x in shard]

    assert len(numbers) == merged.n
    if numbers:
        mean, variance = batch(numbers)
        scale = max(map(abs, numbers))
        assert merged.mean == pytest.approx(mean, abs=1e-9 * scale + 1e-12)
        assert merged.variance == pytest.approx(variance, rel=1e-7, abs=(1e-8 * scale) ** 2 + 1e-15)


@given(st.lists(NUMBERS, min_size=2, max_size=5))
def test_the_order_of_shards_does_not_matter(shards):
    """Merged forwards or backwards, the moments are the same up to rounding."""
    moments = [Moments.of(shard) for shard in shards]
    one, other = Moments.merged(moments), Moments.merged(reversed(moments))

    assert one.n == other.n
    assert one.mean == pytest.approx(other.mean, rel=1e-9, abs=1e-6)
    assert one.m2 == pytest.approx(other.m2, rel=1e-7, abs=1e-3)
