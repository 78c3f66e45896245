"""Values of an answer, each compared with the evidence: present, derived, absent or free."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from enum import Enum
from itertools import pairwise

from abs_shield.answer.checks.date_arithmetic import DateArithmetic
from abs_shield.answer.checks.derived_numbers import Derivation
from abs_shield.answer.checks.exempt_values import Exemptions
from abs_shield.answer.checks.hedged_numbers import widen_hedged
from abs_shield.answer.checks.id_spellings import has_other_spelling
from abs_shield.answer.checks.paid_amounts import Paid
from abs_shield.answer.checks.polarity_check import reverses_growth
from abs_shield.answer.checks.record_bindings import RecordBindings, describe
from abs_shield.answer.checks.record_ids import other_record_of
from abs_shield.answer.checks.stated_weekdays import weekday_conflict
from abs_shield.answer.claim_types import MissingValue, Span, Spelling
from abs_shield.answer.evidence.evidence_passages import Evidence
from abs_shield.answer.evidence.evidence_value import EvidenceValue
from abs_shield.answer.evidence.value_index import ValueIndex
from abs_shield.text.json_leaves import pointer
from abs_shield.text.safe_display import shown
from abs_shield.text.values.figure import (
    ID,
    MONEY,
    NUMBER,
    SUMS,
    Day,
    Figure,
    Minute,
    figures_agree,
    minus_before,
)
from abs_shield.text.values.figure_reader import figures, on_24_hour_clock
from abs_shield.text.values.numerals import CELSIUS, FAHRENHEIT
from abs_shield.text.values.units import join_durations, join_number_groups

MOST_VALUES = 500
"""
Values of one answer that are checked in full, as many as a long table has; each takes some .3 ms.

Further values are only looked up, which is cheap, and as many of the absent ones are derived.
"""
# each may search sentences of all evidence; one conflict explains an answer
_MOST_GROUPS = 5  # of a number such as 1 234 567,89
_MOST_CONFLICTS = 50
"""Absent values of an answer for which a conflicting value is searched."""
_NEGATIVE = re.compile(
    r"(?<![a-z])(?:minus|negative|below|under|overdr|owe|owing|debt|debit|credit|refund|deduct|deficit"
    r"|loss|lost|los[et]|fell|fall|drop|down|declin|decreas|lower|less|reduc|discount|off\b|paid"
    r"|pay|charge|spen[dt]|cost|fee|withdr|differen|change|short|cheap|sav|back|return|remov"
    r"|behind|before|early|earlier|cut|shr[aiu]nk|slip|gain|up\b|owed|due|transfer|out\b|sent)",
    re.IGNORECASE,
)
"""Words that state a number's sign, or leave it open."""
_REMOVED = re.compile(r"delet|remov|lost|loss|decreas|debit|withdraw|discount|minus", re.IGNORECASE)
"""Words of fields that count removals, with or without a minus."""


class ValueStatus(Enum):
    """The result of the check of a value."""

    IDLE = "needs no evidence, and is not searched"
    FREE = "needs no evidence"
    PRESENT = "present"
    DERIVED = "derived"
    ABSENT = "absent"


@dataclass(frozen=True, slots=True)
class CheckedValue:
    """
    One value of an answer with the result of its check.

    Attributes:
        status: The result.
        span: Its place in the evidence; None if it has none, or is an argument of a call.
        missing: The value, if it is absent.
        conflict: The evidence's value in its place, in one line; empty if none is known.
        spelling: The evidence's spelling, if it differs.
    """

    status: ValueStatus
    span: Span | None = None
    missing: MissingValue | None = None
    conflict: str = ""
    spelling: Spelling | None = None


class AnswerValues:
    """
    The values of one answer, compared with its evidence.

    Args:
        answer: The answer.
        evidence: The evidence.
        question: The user's question; its values need no other evidence.
    """

    def __init__(self, answer: str, evidence: Evidence, question: str | None) -> None:
        self._answer = answer
        self._evidence = evidence
        self._question = question
        self._index: ValueIndex = evidence.derived(ValueIndex)
        self._all = [widen_hedged(one, answer) for one in on_24_hour_clock(figures(answer))]
        self._values = self._all[:MOST_VALUES]
        self._starts = [one.start for one in self._all]
        self._room = MOST_VALUES
        self._conflicts = 0
        self._matches = _matches(self._values, self._index)
        # after the lookup: two values that are found are not joined
        self._join()
        self._bindings = RecordBindings(answer, self._values, evidence)
        scope = self._bindings.scope
        requested = figures(question) if question else []
        self._exemptions = Exemptions(answer, requested, self._index)
        both = zip(self._values, self._matches, strict=True)
        grounded = [one for one, matches in both if matches or self._exemptions.is_requested(one)]
        shared = {"index": self._index, "scope": scope}
        self._derivation = Derivation(answer, self._all, grounded, most=MOST_VALUES, **shared)
        self._moments = DateArithmetic(answer, self._values, grounded, **shared)
        self._paid = Paid(answer, evidence, scope)

    def _join(self) -> None:
        """Combine two values that are one: 1 hour 30 minutes, or a number in groups, 2 871."""
        for n, (one, other) in enumerate(pairwise(self._values)):
            if not (self._matches[n] and self._matches[n + 1]):
                whole = join_durations(self._answer, one, other) or join_number_groups(
                    self._answer, one, other
                )
                for last in range(n + 1, min(n + _MOST_GROUPS, len(self._values))):
                    if whole and last > n + 1:
                        whole = join_number_groups(self._answer, whole, self._values[last])
                    if whole and (matches := self._index.find(whole)):
                        self._matches[n : last + 1] = [matches] * (last + 1 - n)
                        break

    def within(self, start: int, end: int) -> Iterator[CheckedValue]:
        """Yield the result for each value that begins between two offsets, in order."""
        for n in range(bisect_left(self._starts, start), len(self._all)):
            if self._starts[n] >= end:
                return
            if n < MOST_VALUES:
                yield self._check(self._values[n], self._matches[n])
            else:
                yield self._look_up(self._all[n])

    def _check(self, value: Figure, matches: Sequence[EvidenceValue]) -> CheckedValue:
        # also a date of the question: its weekday may be the agent's
        if conflict := weekday_conflict(
            self._answer, value, matches, index=self._index, question=self._question
        ):
            return self._absent(value, conflict)
        if other := other_record_of(
            value, matches, self._answer, index=self._index, scope=self._bindings.scope
        ):
            return self._absent(value, _conflict(value, other))
        # small counts are often a fair count of a list, so they are wrong only if swapped
        if value.soft and (other := self._swapped_count(value, matches)):
            return self._absent(value, _conflict(value, other))
        if value.soft or value in self._exemptions:
            spelling = self._spelling(value, matches[0], matches) if matches else None
            return CheckedValue(
                ValueStatus.FREE if matches or not value.soft else ValueStatus.IDLE,
                spelling=spelling,
            )
        contradiction = self._contradiction(value, matches)
        if contradiction is not None:
            return self._absent(value, contradiction)
        return self._check_records(value, matches)

    def _contradiction(self, value: Figure, matches: Sequence[EvidenceValue]) -> str | None:
        """Return a sentence about why a value is wrong, "" without one; None if it is not."""
        # first what has a sentence
        if conflict := self._other_unit(value, matches):
            return conflict
        if (
            self._has_other_sign(value, matches)
            or self._reverses_growth(value, matches)
            or self._bindings.is_outdated(value, matches)
            or self._moments.is_reversed(value)
            or self._bindings.is_of_another(value, matches)
        ):
            return ""
        return self._bindings.date_conflict(value, matches) or None

    def _check_records(self, value: Figure, matches: Sequence[EvidenceValue]) -> CheckedValue:
        """Check a value by the records that its sentence names, and by what follows from them."""
        records = self._bindings.records(value)
        matches = self._bindings.of_field(value, matches, records)
        one = self._bindings.own(matches, records, value)
        if one is None and matches:
            one = self._bindings.changed(value, matches)
        other = (
            self._bindings.find_replacement(value, matches, records)
            if matches and one is None
            else None
        )
        if other is not None and value.kind in SUMS and self._is_swapped(value, other):
            return self._absent(value, _conflict(value, other))
        # before derivation: a payment is stated, not computed
        agrees = self._paid.agrees(value, is_found=bool(matches))
        if agrees is False:
            return self._absent(value)
        if agrees and not matches:
            return CheckedValue(ValueStatus.DERIVED)
        # the record's own value is better evidence than a computation
        if one is None and (self._follows(value) or (not matches and self._is_broken(value))):
            return CheckedValue(ValueStatus.DERIVED)
        if other is not None:
            # for sums no conflict is reported: several amounts may be in one record
            return self._absent(value, "" if value.kind in SUMS else _conflict(value, other))
        one = one or next(iter(matches), None)
        if one is not None or self._is_vouched(value):
            span = None if one is None else self._span(one)
            return CheckedValue(
                ValueStatus.PRESENT, span, spelling=self._spelling(value, one, matches)
            )
        if self._conflicts >= _MOST_CONFLICTS:
            return self._absent(value)
        self._conflicts += 1
        # a computed amount has no value in its place
        announced = value.kind == MONEY and self._derivation.says_computed(value)
        return self._absent(value, "" if announced else self._bindings.conflict(value))

    def _swapped_count(
        self, value: Figure, matches: Sequence[EvidenceValue]
    ) -> EvidenceValue | None:
        """
        Return the record's own value in place of a small count that belongs to another record.
        """
        records = self._bindings.scope.paired(value) if matches and value.kind == NUMBER else ()
        if not records or self._bindings.own(matches, records) is not None:
            return None
        other = self._bindings.find_replacement(value, matches, records)
        return other if other is not None and self._is_swapped(value, other) else None

    def _is_swapped(self, value: Figure, other: EvidenceValue) -> bool:
        """Return whether the sentence also has the record's own value, for another record."""
        start, end = self._bindings.scope.sentence(value.start)
        first, last = bisect_left(self._starts, start), bisect_left(self._starts, end)
        return any(other in matches for matches in self._matches[first:last])

    def _absent(self, value: Figure, conflict: str = "") -> CheckedValue:
        missing = MissingValue(value.kind, value.text, value.start, value.end)
        return CheckedValue(ValueStatus.ABSENT, missing=missing, conflict=conflict)

    def _look_up(self, value: Figure) -> CheckedValue:
        """Check a value beyond the first 500, without regard to records."""
        if value.soft:
            return CheckedValue(ValueStatus.IDLE)
        if matches := self._index.find(value):
            return CheckedValue(ValueStatus.PRESENT, self._span(matches[0]))
        if self._room > 0:
            self._room -= 1
            if value in self._exemptions or self._is_vouched(value):
                return CheckedValue(ValueStatus.FREE)
            # a sum of values that are not checked in full cannot be computed again
            if self._derivation.says_computed(value) or self._follows(value):
                return CheckedValue(ValueStatus.DERIVED)
            if self._is_broken(value):
                return CheckedValue(ValueStatus.DERIVED)
        return self._absent(value)

    def _follows(self, value: Figure) -> bool:
        return self._derivation.supports(value) or self._moments.supports(value)

    def _other_unit(self, value: Figure, matches: Sequence[EvidenceValue]) -> str:
        """Return a conflict if the evidence has a number only in another unit or currency."""
        if value.kind not in SUMS or any(not (one.is_result or one.is_argument) for one in matches):
            return ""
        # the argument of a call states no currency
        results = [one for one in matches if one.is_result]
        if not results or not all(self._index.units.has_other_unit(value, one) for one in results):
            return ""
        return f"{shown(value.text)} is in another unit than {describe(results[0])}"

    def _has_other_sign(self, value: Figure, matches: Sequence[EvidenceValue]) -> bool:
        """
        Return whether results have only the negative of a value, without a word that explains it.
        """
        if value.kind not in SUMS or not matches or not all(one.is_number for one in matches):
            return False
        if value.unit in (CELSIUS, FAHRENHEIT) and not any(
            figures_agree(value, one.figure) for one in matches
        ):
            return False  # -15 C are 5 F
        start, end = self._bindings.scope.sentence(value.start)
        minus = minus_before(self._answer, value)
        negative = minus is not None
        numbers = [one.figure.numbers[0] for one in matches]
        if not all(number and negative != (number < 0) for number in numbers):  # zero has no sign
            return False
        if any(_REMOVED.search(one.field) for one in matches):
            return False  # a diff of 12 deletions is written as "-12"
        # the words on both sides, without the minus itself, which some of them match
        stretches = ((start, value.start if minus is None else minus), (value.start, end))
        return not any(_NEGATIVE.search(self._answer, *stretch) for stretch in stretches)

    def _reverses_growth(self, value: Figure, matches: Sequence[EvidenceValue]) -> bool:
        """Return whether results have a value only as growth where the sentence reports a fall."""
        if value.kind not in SUMS or not matches:
            return False
        sentence = self._answer[slice(*self._bindings.scope.sentence(value.start))]
        return all(
            one.is_result
            and one.is_sum
            and one.figure.numbers[0] > 0
            and reverses_growth(sentence, one.field)
            for one in matches
        )

    def _spelling(
        self, value: Figure, one: EvidenceValue | None, matches: Sequence[EvidenceValue]
    ) -> Spelling | None:
        """Return the evidence's spelling of a value; None if it also has the answer's."""
        written = value.text.casefold()
        if one is None or any(each.figure.text.casefold() == written for each in matches):
            return None
        if not _is_as_exact(value, one.figure):
            return None
        text, end = one.figure.text, value.end
        if value.kind in SUMS and not figures_agree(
            value, one.figure
        ):  # the evidence has another unit
            text = f"{text} {one.figure.unit}".strip()
            behind = self._answer[end : end + len(value.unit) + 1]
            end += len(behind) if behind.casefold().endswith(value.unit.casefold()) else 0
        return Spelling(text, value.start, end)

    def _is_vouched(self, value: Figure) -> bool:
        """Return whether the session's forgotten text or an allowlist has a value."""
        return self._evidence.vouches is not None and self._evidence.vouches(value.text)

    def _is_broken(self, value: Figure) -> bool:
        """Return whether the evidence has a value in another spelling, or with blanks inside."""
        if has_other_spelling(self._answer, value, self._index):
            return True
        day = value.value
        if isinstance(day, Day):
            return None not in day and self._index.has_broken("{}-{:02}-{:02}".format(*day))
        if value.kind in SUMS:
            return self._index.has_spaced(value.numbers[0])
        return value.kind == ID and self._index.has_broken(value.text)

    def _span(self, one: EvidenceValue) -> Span | None:
        """Return the part of the evidence with a value; None for an argument of a call."""
        if one.piece < 0 or one.is_argument:
            return None
        piece = self._evidence.pieces[one.piece]
        if not piece.lines:
            start, end = one.figure.start, one.figure.end
            return Span(piece.id, start, end, piece.text[start:end])
        where = pointer(one.steps)
        line = self._evidence.derived(_lines)[one.piece].get(where)
        if line is None:
            return None
        start, end = line
        return Span(piece.id, start, end, piece.text[start:end], where)


def _conflict(value: Figure, other: EvidenceValue) -> str:
    return f"{shown(value.text)} belongs to another record; this one has {describe(other)}"


def _is_as_exact(value: Figure, match: Figure) -> bool:
    """Return whether two equal values are equally precise: not a date without the other's year."""
    one, other = value.value, match.value
    numbers = {value.kind, match.kind} <= SUMS
    if not (numbers or value.kind == match.kind) or (value.unit == "%") != (match.unit == "%"):
        return False
    if isinstance(one, Minute) and isinstance(other, Minute):
        return one.minutes == other.minutes
    if isinstance(one, Decimal) and isinstance(other, Decimal):
        return abs(one) == abs(other) or not figures_agree(value, match)
    return one == other


def _lines(evidence: Evidence) -> list[dict[str, tuple[int, int]]]:
    """Return the lines of each passage by their pointer."""
    return [{where: (start, end) for start, end, where in piece.lines} for piece in evidence]


def _matches(values: Sequence[Figure], index: ValueIndex) -> list[Sequence[EvidenceValue]]:
    """Return the places of each value in the evidence."""
    return [index.find(one) for one in values]
