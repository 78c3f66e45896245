"""Assign decisions to the rows and layers of a report; equal decisions are read once."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from abs_shield.core import Decision, Subject
from abs_shield.core.label import Label, Truth
from abs_shield.core.vocabularies import ANSWER, FAITHFULNESS, QUALITY, VERIFICATION
from abs_shield.replay.replay_counts import blocking_layers
from abs_shield.report.layer_report import LayerCase
from abs_shield.shield.guarded_output import BACKGROUND_NOTE
from abs_shield.stores.decision_patterns import DecisionPattern, pattern_of
from abs_shield.stores.hourly_counts import PatternCount
from abs_shield.telemetry.decision_attributes import is_unregistered
from abs_shield.telemetry.semconv import VALUE_UNREGISTERED

CHECKS = {
    VERIFICATION: Subject.RESULT, ANSWER: Subject.ANSWER, FAITHFULNESS: Subject.ANSWER,
    QUALITY: Subject.OUTPUT,
}  # fmt: skip
"""The checks of results, answers and outputs, with their subject."""

UNREGISTERED = VALUE_UNREGISTERED
"""The row of all calls of tools that are not registered."""
OTHERS = "_others"
"""The row of tools, and of layers, beyond the maximum number."""
ANSWERS = "_answers"
"""The row of answers."""
OUTPUTS = "_outputs"
"""The row of outputs; each stage of the quality cascade has a row below it."""
STAGES = f"{OUTPUTS}: "
"""Prefix of the rows of stages."""
NO_TOOLS = frozenset({UNREGISTERED, OTHERS, ANSWERS, OUTPUTS})

Counted = tuple[str, str, LayerCase]
"""A row, a layer, and the decision's case for them."""


def is_text(row: str) -> bool:
    """Return whether a row is of answers or outputs, not of a tool."""
    return row in (ANSWERS, OUTPUTS) or row.startswith(STAGES)


def noun_of(layer: str) -> str:
    """Return the noun for what a layer judges: call, result, answer or output."""
    return CHECKS.get(layer, Subject.CALL).value


def cases_of(decision: Decision, truth: Truth | None) -> Iterator[Counted]:
    """Yield the rows and layers in which a decision counts, with its case."""
    match decision.subject:
        case Subject.CALL:
            yield from _rows_of_call(decision, truth)
        case Subject.RESULT:
            yield decision.tool, VERIFICATION, LayerCase.whole(decision, truth)
        case Subject.ANSWER:
            check = FAITHFULNESS if FAITHFULNESS in decision.coverage else ANSWER
            yield ANSWERS, check, LayerCase.whole(decision, truth)
        case _ if (
            BACKGROUND_NOTE not in decision.notes
        ):  # these were shipped, and are counted separately
            yield from _rows_of_output(decision, truth)


def _rows_of_call(decision: Decision, truth: Truth | None) -> Iterator[Counted]:
    # unregistered names are one row, as a model may invent any number
    row = UNREGISTERED if is_unregistered(decision) else decision.tool
    to_blame = blocking_layers(decision)
    # layers that ran, then those with a finding of their own, such as a rule's
    for layer in {**decision.coverage, **{f.check: None for f in decision.findings}}:
        yield (
            row,
            layer,
            LayerCase.of(decision, layer, blamed=layer in to_blame, truth=truth),
        )


def _rows_of_output(decision: Decision, truth: Truth | None) -> Iterator[Counted]:
    """Yield the output as a whole, and each stage; stages with findings count as blocking."""
    yield OUTPUTS, QUALITY, LayerCase.whole(decision, truth)
    for stage in decision.coverage:
        if stage != QUALITY:  # the cascade itself is the row of the whole
            case = LayerCase.of(decision, stage, blamed=decision.would_block, truth=truth)
            yield (
                f"{STAGES}{stage}",
                QUALITY,
                case._replace(blamed=case.blamed and case.speaks),
            )


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
