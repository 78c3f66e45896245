"""The Wilson interval has the textbook values."""

from __future__ import annotations

import pytest

from abs_shield.stats.share_intervals import wilson

TEXTBOOK = [
    (10, 10, 0.7225, 1.0),
    (0, 10, 0.0, 0.2775),
    (0, 100, 0.0, 0.0370),
    (15, 20, 0.5313, 0.8881),
    (0, 0, 0.0, 1.0),
]


@pytest.mark.parametrize(("successes", "n", "low", "high"), TEXTBOOK)
def test_textbook_values(successes: int, n: int, low: float, high: float) -> None:
    """Each interval is the published one to four places."""

    assert pytest.approx((low, high), abs=1e-4) == wilson(successes, n)


def test_more_successes_than_trials_are_refused() -> None:
    """Eleven of ten is not a valid share."""
    with pytest.raises(ValueError, match="11 successes of 10"):
        wilson(11, 10)
