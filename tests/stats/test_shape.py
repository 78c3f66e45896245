"""The shape of a series: drift, skewness, kurtosis and repetition."""

from __future__ import annotations

import math
import random

import pytest

from abs_shield.stats.series_shape import repeats, shape

DICE = random.Random(11)
NOISE = [DICE.gauss(0, 1) for _ in range(100)]


@pytest.mark.parametrize(
    ("series", "least", "most"),
    [
        (NOISE, 1.4, 2.6),
        (list(range(100)), 0, 0.01),
        ([math.sin(n / 8) for n in range(100)], 0, 0.1),
        ([(-1) ** n for n in range(100)], 3.5, 4.1),
        ([5] * 20, 2, 2),
    ],
    ids=["noise", "counter", "wave", "alternating", "constant"],
)
def test_wandering(series, least, most):
    """It is near 0 for counters and waves, 2 for noise, and 4 for an alternating series."""
    assert least <= shape(series).wandering <= most


def test_skewness():
    """The exponential of noise is skewed to the right, and noise is not."""
    assert shape([math.exp(x) for x in NOISE]).skewness > 1
    assert abs(shape(NOISE).skewness) < 1


def test_kurtosis():
    """It is about 3 for noise and above 10 for noise with a few outliers."""
    assert shape([*NOISE, 12.0, -12.0]).kurtosis > 10
    assert 2 < shape(NOISE).kurtosis < 4.5


def test_repetition():
    """A series of few distinct values repeats, and noise does not."""
    assert repeats([n // 50 for n in range(100)])
    assert not repeats(NOISE)


@pytest.mark.parametrize("unit", [1e150, 1e-150])
def test_the_unit_does_not_matter(unit):
    """Very large and very small numbers have the same shape as ordinary ones."""
    assert pytest.approx(shape(NOISE)) == shape([x * unit for x in NOISE])
