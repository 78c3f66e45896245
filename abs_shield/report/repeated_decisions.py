"""Decisions that a store has counted by pattern: one of each, and its number."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from typing import NamedTuple

from abs_shield.core import Decision
from abs_shield.core.label import Label, Truth
from abs_shield.stores.decision_patterns import DecisionPattern, pattern_of
from abs_shield.stores.hourly_counts import PatternCount


class RepeatedDecision(NamedTuple):
    """
    A decision without id, session and texts, and its number of occurrences.

    Attributes:
        last_at: Time of its last occurrence, in seconds since the epoch.
        first_at: Time of its first occurrence.
        decision: The decision.
        truth: Its label, or None.
        times: Number of occurrences, 1 or more.
    """

    last_at: float
    first_at: float
    decision: Decision
    truth: Truth | None
    times: int


def repeated_decisions(
    counts: Iterable[PatternCount], labelled: Iterable[tuple[Decision, Label]]
) -> list[RepeatedDecision]:
    """
    Return the counted decisions, with labelled ones separately, the newest last.

    Args:
        counts: A store's ``pattern_counts()``.
        labelled: The decisions among them that have a label.
    """
    # labels are counted apart, with the time of each
    alike: defaultdict[tuple[DecisionPattern, Truth], list[float]] = defaultdict(list)
    for decision, label in labelled:
        alike[pattern_of(decision), label.truth].append(decision.at)
    decisions, labelled_counts = [], Counter[str]()
    for (pattern, truth), times in alike.items():
        decisions.append(
            RepeatedDecision(max(times), min(times), pattern.decision(), truth, len(times))
        )
        labelled_counts[pattern.digest] += len(times)
    for count in counts:
        digest = count.pattern.digest
        # stored counts include the labelled ones; these are subtracted
        others = max(0, count.decisions - labelled_counts[digest])
        labelled_counts[digest] -= count.decisions - others
        if others:
            decision = count.pattern.decision()
            decisions.append(
                RepeatedDecision(count.last_at, count.first_at, decision, None, others)
            )
    return sorted(decisions, key=lambda one: one.last_at)
