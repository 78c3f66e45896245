"""Simulated candidates without a gain are rarely promoted; the power of the test is as computed."""

from __future__ import annotations

from random import Random

import pytest

from abs_shield.flywheel.evaluate import Recommendation, decide
from abs_shield.flywheel.version_comparison import Pairs, Rules, compare
from abs_shield.stats.paired_comparison import mcnemar_power

RULES = Rules(rounds=1)


def promotion_rate(count: int, gain: float, loss: float) -> float:
    """Return the share of simulated candidates that are promoted; nothing elsewhere changes."""
    random, number = Random(25), 0
    elsewhere = compare("regression", Pairs([1] * 100, [1] * 100), RULES, is_target=False)
    for _ in range(count):
        weights = (gain, loss, 1 - gain - loss)
        kinds = random.choices(((0, 1), (1, 0), (1, 1)), weights, k=100)
        pairs = Pairs([old for old, _ in kinds], [new for _, new in kinds])
        target = compare("target", pairs, RULES, is_target=True)
        number += decide([target, elsewhere])[0] is Recommendation.PROMOTE
    return number / count


@pytest.mark.slow
def test_a_thousand_null_candidates() -> None:
    """At most one in twenty is promoted."""
    assert promotion_rate(1_000, 0.1, 0.1) <= 0.05


@pytest.mark.slow
def test_the_promotion_rate_equals_the_computed_power() -> None:
    """Candidates that gain 25 % and lose 5 % of 100 cases are promoted at the computed rate."""
    assert pytest.approx(mcnemar_power(100, 0.25, 0.05), abs=0.05) == promotion_rate(
        300, 0.25, 0.05
    )
