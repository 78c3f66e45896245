"""Quantiles of Student's t, against tables."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from abs_shield.stats.western_electric import prediction_limit, upper_quantile, upper_tail

TABLE = [
    (0.05, 1, 6.3138), (0.025, 2, 4.3027), (0.01, 5, 3.3649), (0.005, 7, 3.4995),
    (0.0005, 10, 4.5869), (0.025, 30, 2.0423), (0.001, 99, 3.1746), (0.025, 1_000, 1.9623),
]  # fmt: skip


@pytest.mark.parametrize(("tail", "degrees", "t"), TABLE)
def test_quantiles_are_those_of_the_tables(tail, degrees, t):
    """Each agrees with the printed table to four digits."""
    assert upper_quantile(tail, degrees) == pytest.approx(t, abs=6e-5)


@given(st.floats(1e-8, 0.5), st.integers(1, 200))
def test_quantile_and_tail_undo_each_other(tail, degrees):
    """The tail above the quantile of a tail is that tail."""
    assert upper_tail(upper_quantile(tail, degrees), degrees) == pytest.approx(tail, rel=1e-6)


@given(st.floats(1e-6, 0.4), st.integers(2, 99))
def test_more_points_narrow_a_prediction(tail, n):
    """Another point never widens the prediction limit."""
    assert prediction_limit(tail, n + 1) <= prediction_limit(tail, n)
