"""Decisions that a store has counted by pattern: one of each, and how often it was made."""

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
    A decision without id, session and texts, and how often it was made.

    Attributes:
        last_at: When it was made last, in seconds since the epoch.
        first_at: When it was made first.
        decision: The decision.
        truth: What a person said of it; None where it has no label.
        times: How often it was made, 1 or more.
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
    Return what a store has counted, with labelled decisions apart, those made last at the end.

    Args:
        counts: A store's ``pattern_counts()``.
        labelled: The decisions among them that have a label.
    """
    alike: defaultdict[tuple[DecisionPattern, Truth], list[float]] = defaultdict(list)
    for decision, label in labelled:
        alike[pattern_of(decision), label.truth].append(decision.at)
    made, apart = [], Counter[str]()
    for (pattern, truth), times in alike.items():
        made.append(RepeatedDecision(max(times), min(times), pattern.decision(), truth, len(times)))
        apart[pattern.digest] += len(times)
    for count in counts:
        digest = count.pattern.digest
        others = max(0, count.decisions - apart[digest])
        apart[digest] -= count.decisions - others
        if others:
            decision = count.pattern.decision()
            made.append(RepeatedDecision(count.last_at, count.first_at, decision, None, others))
    return sorted(made, key=lambda one: one.last_at)
