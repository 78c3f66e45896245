"""Suggest bounds of a parameter that the recorded numbers support."""

from __future__ import annotations

from collections.abc import Iterator

from abs_shield.mining.mining_study import LEAST, OBSERVED_ONLY, ParameterStudy, Study, share
from abs_shield.mining.policy_draft import Suggestion, SuggestionKind, Within
from abs_shield.mining.run_evidence import MOST_VALUES, NumberCounts

_SESSIONS = 20
"""
Sessions below which no bound is proposed: calls of one session repeat each other.

Where none of n sessions has a value beyond a bound, at most 1 - 0.05 ** (1 / n) of all sessions do,
at 95 %: 14 % for 20.
"""
_DIFFERENT = 8
"""Minimum number of distinct numbers: few numbers of one sign may be a coincidence."""
_SCALE = 3
"""Minimum number of distinct, consecutive integers: two are no scale."""
_EACH = 3
"""Minimum number of sessions for each number: one session may have a mistake."""


def ranges(study: Study) -> Iterator[Suggestion]:
    """
    ``amount`` was above zero in 41 sessions; ``bags`` was each of 0 to 3.

    The least and the greatest recorded number alone are not bounds: after n draws the next one lies
    beyond them in 2 of n + 1 cases, however large n is.
    """
    for tool, plan in study.plans.items():
        for subject in study.parameters(tool):
            if not _is_quantity(subject):
                continue
            if (within := _find_bounds(subject)) is not None:
                yield _range(subject, within)
            elif plan.writes and _is_mostly_positive(subject.counts.numbers):
                yield _negative_remark(subject)


def _is_quantity(subject: ParameterStudy) -> bool:
    read = subject.read
    return read.judged not in ("hard", "who") and not (subject.is_listed or read.creates)


def _find_bounds(subject: ParameterStudy) -> Within | None:
    """Return the bound that the numbers support, or None."""
    numbers = subject.counts.numbers
    # a parameter with one negative number has no sign to protect
    if numbers.sessions < _SESSIONS or numbers.negative:
        return None
    mixed = not subject.is_number
    if _is_scale(numbers):
        return Within(numbers.low, numbers.high, mixed=mixed)
    if numbers.distinct >= _DIFFERENT:
        return Within(0, above=not numbers.zero, mixed=mixed)
    return None


def _is_scale(numbers: NumberCounts) -> bool:
    """Return whether every integer from the least to the greatest occurs, and often enough."""
    if not numbers.whole or numbers.distinct < _SCALE:
        return False
    # every step occurs, so the ends are ends of a scale and not of a sample
    gapless = numbers.high - numbers.low == numbers.distinct - 1
    return gapless and min(numbers.counts.values(), default=0) >= _EACH


def _is_mostly_positive(numbers: NumberCounts) -> bool:
    enough = numbers.count >= LEAST and numbers.distinct >= _DIFFERENT
    # less than half below zero: a mistake, or another kind of call
    return enough and 0 < numbers.negative < numbers.count / 2


def _range(subject: ParameterStudy, within: Within) -> Suggestion:
    numbers = subject.counts.numbers
    if within.high is not None:
        kind = f"each whole number from {numbers.low!r} to {numbers.high!r}"
    else:
        many = f"more than {MOST_VALUES}" if numbers.many else f"{numbers.distinct:,}"
        kind = f"{many} different numbers, all {'above' if within.above else 'at or above'} zero,"
    return Suggestion(
        kind=SuggestionKind.RANGE,
        tool=subject.tool,
        parameter=subject.name,
        declaration=within,
        evidence=f"{kind} in {numbers.count:,} successful calls of {numbers.sessions:,} sessions",
        objection=OBSERVED_ONLY,
    )


def _negative_remark(subject: ParameterStudy) -> Suggestion:
    """
    Remark on negative numbers of a mostly positive parameter: a mistake, or another kind of call.
    """
    numbers = subject.counts.numbers
    below = share(numbers.negative, numbers.count, "that worked had a number below zero")
    return Suggestion(
        kind=SuggestionKind.RANGE,
        tool=subject.tool,
        parameter=subject.name,
        evidence=f"{below}; no bound is proposed: write a rule if negative numbers are not allowed",
    )
