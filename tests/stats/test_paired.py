"""Paired statistics have the published values, and their power equals that of a simulation."""

from __future__ import annotations

from random import Random

import pytest

from abs_shield.stats.paired_comparison import (
    cases_for_limit,
    cases_needed,
    difference_interval,
    mcnemar,
    mcnemar_power,
    paired_bootstrap,
)


@pytest.mark.parametrize(
    ("gained", "lost", "p"),
    [(0, 0, 1.0), (5, 0, 0.0625), (6, 0, 0.03125), (10, 2, 0.0386), (2, 10, 0.0386), (7, 7, 1.0)],
)
def test_mcnemar_is_the_binomial_test(gained: int, lost: int, p: float) -> None:
    """Each p-value is that of the exact binomial test of one half."""
    assert pytest.approx(p, abs=1e-4) == mcnemar(gained, lost)


def test_tango_publishes_its_example() -> None:
    """A cross-over trial of contact lenses: of 44 eyes one differs."""
    low, high = difference_interval(1, 0, 44)

    assert low < 1 / 44 < high
    assert pytest.approx((-0.0601, 0.1184), abs=0.01) == (low, high)


def test_an_interval_without_differing_cases_has_a_width() -> None:
    """With ten equal cases it extends to about 0.3, with a thousand to less than 0.005."""
    few, many = difference_interval(0, 0, 10)[0], difference_interval(0, 0, 1_000)[0]

    assert -0.30 < few < -0.25
    assert -0.004 < many < -0.003


def test_the_interval_has_its_nominal_coverage() -> None:
    """About 95 % of 400 simulated intervals contain the true difference."""
    random, held = Random(3), 0
    for _ in range(400):
        draws = random.choices((1, -1, 0), (0.12, 0.07, 0.81), k=150)
        low, high = difference_interval(draws.count(1), draws.count(-1), 150)
        held += low <= 0.05 <= high

    assert 0.92 <= held / 400 <= 0.98


def test_the_power_is_what_a_simulation_finds() -> None:
    """800 draws of 120 cases, 15 % gained, 5 % lost."""
    random, count = Random(5), 0
    for _ in range(800):
        draws = random.choices((1, -1, 0), (0.15, 0.05, 0.8), k=120)
        gained, lost = draws.count(1), draws.count(-1)
        count += gained > lost and mcnemar(gained, lost) <= 0.05

    assert pytest.approx(mcnemar_power(120, 0.15, 0.05), abs=0.05) == count / 800


def test_the_cases_needed_are_enough_and_one_fewer_is_not() -> None:
    """The power crosses 80 % there."""
    n = cases_needed(0.3, 0.1)

    assert mcnemar_power(n, 0.3, 0.1) >= 0.8
    assert mcnemar_power(n - 3, 0.3, 0.1) < 0.8


def test_a_margin_needs_as_many_cases_as_the_interval() -> None:
    """With 73 equal cases the interval ends above -5 %, with 72 below."""
    n = cases_for_limit(0.0, 0.0, -0.05)

    assert difference_interval(0, 0, n)[0] >= -0.05 > difference_interval(0, 0, n - 1)[0]


def test_a_bootstrap_is_reproducible() -> None:
    """The same seed gives the same interval, which contains the mean."""
    differences = [1.0] * 12 + [0.0] * 80 + [-1.0] * 8
    low, high = paired_bootstrap(differences, seed=4)

    assert (low, high) == paired_bootstrap(differences, seed=4)
    assert low < 0.04 < high
    assert (-1.0, 1.0) == paired_bootstrap([])


def test_wrong_counts_are_refused() -> None:
    """Eleven of ten cannot differ; no gain cannot be found."""
    with pytest.raises(ValueError, match="of 10"):
        difference_interval(6, 5, 10)
    with pytest.raises(ValueError, match="must exceed a loss"):
        cases_needed(0.1, 0.1)


@pytest.mark.parametrize(("gain", "loss"), [(0.5, 0.5), (1.0, 0.0), (0.0, 1.0), (0.02, 0.01)])
def test_the_computed_number_of_cases_excludes_the_limit(gain: float, loss: float) -> None:
    """With the computed number of cases the interval excludes the limit."""
    n = cases_for_limit(gain, loss, -0.05)
    gained = round(gain * n)
    low, high = difference_interval(gained, min(round(loss * n), n - gained), n)

    assert low >= -0.05 if gain - loss > -0.05 else high <= -0.05
