"""The readiness rule: each condition just above and below its limit."""

from __future__ import annotations

from collections import Counter

import pytest

from abs_shield.core import Outcome
from abs_shield.errors import ShieldError
from abs_shield.report import LayerCounts, LayerReport, Readiness, limit_text, percent
from abs_shield.stats.share_intervals import wilson

RULE = Readiness()
REASONS = Counter(
    {(Outcome.ERROR, "it broke"): 1, (Outcome.UNAVAILABLE, "no user or system message"): 2}
)


def place(*, ran=1_000, errors=0, unavailable=0, blocks=0, right=0, wrong=0) -> LayerReport:
    """Return a layer that would block *blocks* calls, some of them labelled."""
    counts = LayerCounts(
        calls=ran + errors + unavailable, ran=ran, errors=errors, unavailable=unavailable,
        looked=ran + errors, flagged=blocks, would_block=blocks + errors, found_blocks=blocks,
        true_blocks=right, false_blocks=wrong, true_flags=right, false_flags=wrong,
    )  # fmt: skip
    return LayerReport(counts=counts, reasons=REASONS)


def reason_codes(rule: Readiness, seen: LayerReport, **options) -> list[str]:
    """Return the codes of the reasons against strict mode."""
    return [reason.code for reason in rule.reasons(seen, **options)]


@pytest.mark.parametrize(
    ("seen", "expected"),
    [
        (place(), []),
        (place(ran=400), []),
        (place(ran=399), ["few_calls"]),
        (place(ran=380), ["few_calls", "wide_interval"]),
        (place(ran=0, unavailable=9), ["never_ran"]),
        (place(ran=999, errors=1), []),
        (place(ran=998, errors=2), ["errors"]),
        (place(blocks=1), ["unlabelled_blocks"]),
        (place(blocks=1, right=1), []),
        (place(blocks=1, wrong=1), ["false_blocks"]),
        (place(blocks=3, right=2), ["unlabelled_blocks"]),
        (place(blocks=14, right=9), ["unlabelled_blocks", "many_blocks"]),
        (place(blocks=14, right=10), ["many_blocks"]),
        (place(blocks=14, right=11), []),
        (place(blocks=200, right=10), ["many_blocks"]),
        (place(blocks=200, right=34), ["many_blocks"]),
        (place(blocks=200, right=35), []),
        (place(blocks=200, right=99, wrong=1), []),
        (place(blocks=200, right=90, wrong=10), ["false_blocks", "many_blocks"]),
    ],
)
def test_each_condition_has_its_limit(seen, expected):
    """A layer is safe on one side of the limit, and not safe on the other."""
    assert expected == reason_codes(RULE, seen)


def test_the_limits_apply_to_the_interval():
    """35 right labels of 35 prove 90 %, 34 do not; 0 of 381 calls are under 1 %, 0 of 380 not."""
    assert wilson(35, 35)[0] >= 0.9 > wilson(34, 34)[0]
    assert wilson(0, 381)[1] <= 0.01 < wilson(0, 380)[1]


def test_too_many_missing_decisions_are_reported():
    """A log with gaps is not enough evidence, whatever it contains."""
    assert [] == reason_codes(RULE, place(), dropped_share=0.01)
    assert ["log_gaps"] == reason_codes(RULE, place(), dropped_share=0.011)


@pytest.mark.parametrize(
    "seen",
    [place(blocks=b, right=r) for b, r in ((1, 0), (3, 1), (14, 2), (40, 0), (200, 10), (900, 0))],
)
def test_the_number_of_requested_labels_is_the_smallest_sufficient_one(seen):
    """With this many more right labels the layer is safe; with one fewer it is not."""
    more = RULE.labels_needed(seen.counts)
    counts, right = seen.counts, seen.counts.true_blocks

    assert [] == reason_codes(RULE, place(blocks=counts.found_blocks, right=right + more))
    assert [] != reason_codes(RULE, place(blocks=counts.found_blocks, right=right + more - 1))
    assert f"label {more:,} more" in RULE.reasons(seen)[0].todo


def test_a_layer_that_more_labels_cannot_make_safe_is_reported():
    """All blocks are labelled, and too many labels are `ok`."""
    messages = [reason.todo for reason in RULE.reasons(place(blocks=40, right=20, wrong=20))]

    todo = "change the policy so that it blocks less, or suppress what it blocks wrongly"
    assert [todo, todo] == messages


@pytest.mark.parametrize("limit", [0.00003, 0.01, 0.0125, 0.9])
@pytest.mark.parametrize("factor", [0.99999, 0.999, 1.001, 1.00001])
def test_a_displayed_share_is_on_the_right_side_of_its_limit(limit: float, factor: float) -> None:
    """The displayed share compares with the limit like the exact one."""
    shown, beside = (
        float(text.removesuffix(" %"))
        for text in (percent(limit * factor, beside=limit), limit_text(limit))
    )

    assert (factor > 1, factor < 1) == (shown > beside, shown < beside)


def test_reasons_have_their_figures():
    """Each reason has its count, its total and the required value."""
    (few,) = RULE.reasons(place(ran=390, unavailable=2))
    (broke,) = RULE.reasons(place(ran=500, errors=5))

    assert "it judged 390 of 392 calls; 400 are required" in few.message
    assert "no user or system message" in few.message
    assert "it failed to judge 5 of 505 calls, at most 0.1 % are allowed: it broke" == broke.message


def test_the_numbers_are_parameters():
    """The reasons of a stricter and of a more lenient rule have the numbers of that rule."""
    strict = Readiness(min_calls=5_000, max_stops=0.001)

    assert ["few_calls", "wide_interval"] == reason_codes(strict, place())
    assert [] == reason_codes(Readiness(min_labels=0), place(blocks=1))
    assert "5,000" in strict.sentences()[0]
    assert "0.1 %" in strict.sentences()[3]


@pytest.mark.parametrize("wrong", [{"max_stops": 1.1}, {"min_calls": -1}, {"max_errors": -0.1}])
def test_invalid_numbers_are_rejected(wrong):
    """A share must be in [0, 1], and a count must not be negative."""
    with pytest.raises(ShieldError, match=next(iter(wrong))):
        Readiness(**wrong)


@pytest.mark.parametrize("of", [3_000, 100_000])
def test_a_share_is_not_rounded_to_0_or_100_percent(of):
    """One miss or one hit among many remains visible."""
    most, least = percent((of - 1) / of), percent(1 / of)

    assert ("over 99.9 %", True) == (most, least not in ("0 %", "0.00 %"))
    assert ("100 %", "0 %") == (percent(1.0), percent(0.0))


@pytest.mark.parametrize(
    ("share", "text"), [(0.0104, "1.04 %"), (0.01004, "1.004 %"), (0.01, "1 %")]
)
def test_a_share_above_its_limit_is_not_displayed_as_the_limit(share, text):
    """It has one more digit if both would be rounded to the same text."""
    assert text == percent(share, beside=0.01)


def test_a_narrowly_missed_limit_is_displayed_as_missed():
    """No reason calls "up to 1 %" too many if the limit is 1 %."""
    results = place(ran=1_399, blocks=7)
    (message,) = (r.message for r in RULE.reasons(results) if r.code == "many_blocks")

    assert message.endswith("up to 1.03 % of all, 1 % is allowed")
