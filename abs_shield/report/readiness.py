"""The rule that decides when a layer may be enforced, with its numbers."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import Any, NamedTuple

from abs_shield.core import Outcome
from abs_shield.errors import ShieldError
from abs_shield.report.layer_counts import LayerCounts
from abs_shield.report.layer_report import LayerReport


class ReadinessReason(NamedTuple):
    """
    A reason why a layer should not be enforced yet.

    Attributes:
        code: Stable identifier of the kind of reason.
        message: The reason with its figures, one line.
        todo: The action to take, one line.
        is_evidence: Whether there is evidence against enforcing; else there is too little data.
    """

    code: str
    message: str
    todo: str
    is_evidence: bool

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON-able data."""
        return {
            "code": self.code,
            "told": self.message,
            "todo": self.todo,
            "seen": self.is_evidence,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Readiness:
    """
    The rule for enforcing a layer safely.

    Attributes:
        min_calls: Minimum number of calls that it judged.
        max_errors: Maximum share of calls that it failed to judge: strict mode blocks them.
        min_labels: Minimum number of labelled calls among those it would block; all if fewer.
        max_stops: Maximum share of calls that it would block and that are not labelled
            hallucinated, at the upper end of the interval.
        min_precision: Labelled precision of its blocks, at the lower end of the interval, from
            which the labels alone decide, whatever the rate of blocks.
        max_dropped: Maximum share of decisions that are missing from the log.
        min_coverage: Share of judged calls below which a caveat lists what it does not see.

    Raises:
        ShieldError: A share is not in [0, 1], or a count is negative.
    """

    min_calls: int = 400
    max_errors: float = 0.001
    min_labels: int = 10
    max_stops: float = 0.01
    min_precision: float = 0.9
    max_dropped: float = 0.01
    min_coverage: float = 0.9

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            # counts have no upper limit
            if not 0 <= value <= (1 if field.type == "float" else value):
                message = "a share lies in [0, 1]" if field.type == "float" else "it is 0 or more"
                raise ShieldError(f"the rule got {field.name}={value}; {message}")

    def sentences(self) -> tuple[str, ...]:
        """Return the rule in words, a sentence for each condition."""
        return (
            f"It judged at least {self.min_calls:,} calls.",
            f"It failed to judge at most {limit_text(self.max_errors)} of the calls it looked at.",
            f"Of the calls that its findings would block, {self.min_labels:,} are labelled (all,"
            " if there are fewer), and none of these is labelled ok.",
            f"At most {limit_text(self.max_stops)} of the calls it looked at would be blocked and"
            " are not labelled hallucinated, at the upper end of the 95 % interval, which counts"
            " sessions where these are fewer.",
            f"Labels can replace the two conditions before: if {self.min_labels:,} or"
            " more of the calls it would block are labelled, and at the lower end of the interval"
            f" at least {limit_text(self.min_precision)} of them are hallucinated.",
            f"At most {limit_text(self.max_dropped)} of all decisions are missing from the log.",
        )

    def reasons(
        self, place: LayerReport, *, dropped_share: float = 0.0, noun: str = "call"
    ) -> list[ReadinessReason]:
        """
        Return the reasons against enforcing, the gravest first; none if it is safe.

        Args:
            place: The counts of a layer.
            dropped_share: Share of all decisions that are missing from the log, in [0, 1].
            noun: The noun for what the layer judges: call, result, answer, output.
        """
        reasons = [*self._own(place, noun), *self._blocks(place.counts, noun)]
        if dropped_share > self.max_dropped:
            reasons.append(_log_gaps(dropped_share, self))
        return sorted(reasons, key=lambda reason: _ORDER.index(reason.code))  # the gravest first

    def proven(self, counts: LayerCounts) -> bool:
        """Return whether the labels alone show that its blocks are right."""
        precision = counts.block_precision
        # at least one, also for a rule that asks for none
        enough = precision.of >= max(1, self.min_labels)
        return enough and precision.ends[0] >= self.min_precision

    def labels_needed(self, counts: LayerCounts) -> int | None:
        """Return how many more labels, all hallucinated, would suffice; None if no number does."""
        left = counts.found_blocks - counts.block_precision.of  # labels of all calls that are left

        def enough(more: int) -> bool:
            then = counts.with_labels(more)
            few = then.block_precision.of < min(self.min_labels, then.found_blocks)
            return self.proven(then) or not (few or self._has_many_stops(then) or then.false_blocks)

        # by halves, as more labels never hurt
        more = bisect_left(range(left + 1), True, key=enough)
        return more if more <= left else None

    def _own(self, place: LayerReport, noun: str) -> Iterator[ReadinessReason]:
        counts = place.counts
        # share times count instead of a quotient, which floats would round
        if counts.errors > self.max_errors * counts.looked:
            yield _errors(place, self, noun)
        if not counts.ran and counts.calls:
            yield _never_ran(place, noun)
        elif counts.ran < self.min_calls:
            yield _few_calls(place, self, noun)

    def _blocks(self, counts: LayerCounts, noun: str) -> Iterator[ReadinessReason]:
        if self.proven(counts):  # labels of the blocks outweigh their number
            return
        todo = self._label_more(counts)
        if counts.false_blocks:
            yield _false_blocks(counts, self, noun)
        elif counts.block_precision.of < min(self.min_labels, counts.found_blocks):
            yield _explain_unlabelled(counts, todo, noun)
        # evidence against it first; a wide interval is only too little data
        if self._has_many_stops(counts):
            yield _many_stops(counts, self, todo, noun)
        elif counts.looked and counts.unproven_stops.ends[1] > self.max_stops:
            yield _wide(counts, self, noun)

    def _has_many_stops(self, counts: LayerCounts) -> bool:
        stops = counts.unproven_stops
        return bool(stops.hits) and stops.ends[1] > self.max_stops

    def _label_more(self, counts: LayerCounts) -> str:
        more = self.labels_needed(counts)
        if more is None:
            return _BLOCK_LESS
        return f"label {more:,} more of them: abs-shield label --next"


_MOST_DIGITS = 12  # of a float, of which further digits are rounding errors
_BLOCK_LESS = "change the policy so that it blocks less, or suppress what it blocks wrongly"
_ORDER = (
    "never_ran", "errors", "false_blocks", "unlabelled_blocks", "many_blocks", "few_calls",
    "wide_interval", "log_gaps",
)  # fmt: skip


def _never_ran(place: LayerReport, noun: str) -> ReadinessReason:
    why = place.reason(Outcome.ERROR) or place.reason(Outcome.UNAVAILABLE)
    message = f"it judged none of {place.counts.calls:,} {noun}s: {why}"
    return ReadinessReason(
        "never_ran",
        message,
        "provide what the layer needs (see the reason), or remove it from `layers`",
        False,
    )


def _few_calls(place: LayerReport, rule: Readiness, noun: str) -> ReadinessReason:
    counts = place.counts
    message = (
        f"it judged {counts.ran:,} of {counts.calls:,} {noun}s; {rule.min_calls:,} are required"
    )
    if why := place.reason(Outcome.UNAVAILABLE):
        message += f" (most often it had no data to judge by because: {why})"
    return ReadinessReason("few_calls", message, _wait_for(noun), False)


def _wait_for(noun: str) -> str:
    return f"stay in audit until there are more {noun}s"


def _errors(place: LayerReport, rule: Readiness, noun: str) -> ReadinessReason:
    counts = place.counts
    message = (
        f"it failed to judge {counts.errors:,} of {counts.looked:,} {noun}s, at most"
        f" {limit_text(rule.max_errors)} are allowed: {place.reason(Outcome.ERROR)}"
    )
    return ReadinessReason(
        "errors", message, f"fix what raises: strict mode stops these {noun}s", True
    )


def _false_blocks(counts: LayerCounts, rule: Readiness, noun: str) -> ReadinessReason:
    precision = counts.block_precision
    least = percent(precision.ends[0], beside=rule.min_precision)
    message = (
        f"{counts.false_blocks:,} of {precision.of:,} labelled {noun}s that it would block are"
        f" labelled ok; its precision is at least {least},"
        f" {limit_text(rule.min_precision)} is required"
    )
    return ReadinessReason("false_blocks", message, _BLOCK_LESS, True)


def _explain_unlabelled(counts: LayerCounts, todo: str, noun: str) -> ReadinessReason:
    message = (
        f"{counts.found_blocks:,} of {counts.looked:,} {noun}s would be blocked,"
        f" {counts.block_precision.of or 'none'} of them labelled"
    )
    return ReadinessReason("unlabelled_blocks", message, todo, False)


def _many_stops(counts: LayerCounts, rule: Readiness, todo: str, noun: str) -> ReadinessReason:
    stops = counts.unproven_stops
    message = (
        f"{stops.hits:,} of {stops.of:,} {noun}s would be blocked and are not labelled"
        f" hallucinated: up to {percent(stops.ends[1], beside=rule.max_stops)} of all,"
        f" {limit_text(rule.max_stops)} is allowed"
    )
    return ReadinessReason("many_blocks", message, todo, True)


def _wide(counts: LayerCounts, rule: Readiness, noun: str) -> ReadinessReason:
    stops = counts.unproven_stops
    of = "" if stops.sessions == stops.of else f" of {stops.sessions:,} sessions"
    most = percent(stops.ends[1], beside=rule.max_stops)
    message = (
        f"none of {stops.of:,} {noun}s{of} would be blocked without a label hallucinated, but these"
        f" are too few: the share may still be {most}, {limit_text(rule.max_stops)} is allowed"
    )
    return ReadinessReason("wide_interval", message, _wait_for(noun), False)


def _log_gaps(share: float, rule: Readiness) -> ReadinessReason:
    message = f"{percent(share, beside=rule.max_dropped)} of the decisions are missing from the log"
    todo = f"find out why it drops them; at most {limit_text(rule.max_dropped)} may be missing"
    return ReadinessReason("log_gaps", message, todo, False)


def percent(share: float, *, beside: float | None = None) -> str:
    """
    Return a share as a text that is never rounded to 0, to 100 %, or to the limit.

    Args:
        share: The share, in [0, 1].
        beside: A limit that it is compared with: it has as many digits as it takes to show on
            which side of the limit it is.

    >>> percent(0.01), percent(0.00123), percent(0.5), percent(0.0), percent(0.00001)
    ('1 %', '0.12 %', '50 %', '0 %', 'under 0.01 %')
    >>> percent(1.0), percent(0.999), percent(2999 / 3000)
    ('100 %', '99.9 %', 'over 99.9 %')
    >>> percent(0.0104, beside=0.01), percent(0.010000004, beside=0.01)
    ('1.04 %', '1.0000004 %')
    >>> percent(0.00004, beside=0.00003), percent(0.01251, beside=0.01254)
    ('0.004 %', '1.25 %')
    """
    # a rounded 0 would say that there are none
    if 0 < share < 0.0001 and (beside is None or beside >= 0.0001):
        return "under 0.01 %"
    # from 0.9995 on, a share is rounded to 100.0 %, which would say that there are no others
    if 0.9995 <= share < 1 and (beside is None or beside < 0.9995):
        return "over 99.9 %"
    # as many digits as show on which side of the limit it is
    for digits in range(2 if share < 0.01 else 1, _MOST_DIGITS):
        shown = round(share, digits + 2)
        if beside is None or _side(shown, beside) == _side(share, beside):
            break
    return _round(share, digits)


def limit_text(share: float) -> str:
    """
    Return a limit with all its digits.

    >>> limit_text(0.01), limit_text(0.0125), limit_text(0.00001)
    ('1 %', '1.25 %', '0.001 %')
    """
    return _round(share, _MOST_DIGITS - 2)


def _side(share: float, limit: float) -> int:
    return (share > limit) - (share < limit)


def _round(share: float, digits: int) -> str:
    return f"{100 * share:.{digits}f}".rstrip("0").rstrip(".") + " %"
