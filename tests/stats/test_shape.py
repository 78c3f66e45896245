"""The shape of a series tells what may be compared with what."""

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
def test_what_wanders(series, least, most):
    """Counters and waves wander, noise does not, and what alternates does the opposite."""
    assert least <= shape(series).wandering <= most


def test_what_is_skewed():
    """The exponential of noise is skewed to the right; noise is not."""
    assert shape([math.exp(x) for x in NOISE]).skewness > 1
    assert abs(shape(NOISE).skewness) < 1


def test_what_has_heavy_tails():
    """Noise with a few outliers has them; noise has not."""
    assert shape([*NOISE, 12.0, -12.0]).kurtosis > 10
    assert 2 < shape(NOISE).kurtosis < 4.5


def test_what_repeats_itself():
    """Few distinct values repeat; noise never does."""
    assert repeats([n // 50 for n in range(100)])
    assert not repeats(NOISE)


@pytest.mark.parametrize("unit", [1e150, 1e-150])
def test_the_unit_does_not_matter(unit):
    """Numbers as large and as tiny as a result may hold have the shape of ordinary ones."""
    assert pytest.approx(shape(NOISE)) == shape([x * unit for x in NOISE])
