"""The values of an answer against the evidence: found, derived, absent or contradicted."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from enum import Enum
from itertools import pairwise

from abs_shield.answer.checks.bindings import Bindings, described
from abs_shield.answer.checks.derivation import Derivation
from abs_shield.answer.checks.exemptions import Exemptions
from abs_shield.answer.checks.growth import turns_round
from abs_shield.answer.checks.moments import Moments
from abs_shield.answer.checks.opinions import ABSENT, CONTRADICTED, FOUND, NOTHING
from abs_shield.answer.checks.paid import Paid
from abs_shield.answer.evidence.types import Evidence
from abs_shield.answer.evidence.value_index import ValueIndex
from abs_shield.answer.evidence.values import EvidenceValue
from abs_shield.answer.types import (
    Claim,
    MissingValue,
    Opinion,
    Opinions,
    Span,
    Spelling,
    Unavailable,
)
from abs_shield.text.leaves import pointer
from abs_shield.text.show import shown
from abs_shield.text.values.figure import ID, MONEY, NUMBER, SUMS, Day, Figure, Minute, same
from abs_shield.text.values.patterns import CELSIUS, FAHRENHEIT
from abs_shield.text.values.reader import figures, settled
from abs_shield.text.values.signs import minus_before
from abs_shield.text.values.units import grouped, together

MOST_VALUES = 500
"""
Values of one answer that are checked in full: a long table has as many, and each takes some .3 ms.

The ones after them are looked up, which is cheap, and as many of the absent ones are derived.
"""
_BEGINNING = 10_000
_MOST_SPANS = 3
_MOST_CONFLICTS = 50
"""Absent values of an answer for which the evidence is asked what it has instead."""
DERIVED = 0.9
"""P(grounded) of a claim whose worst value is derived."""
_HEDGE = re.compile(
    r"(?:\b(?:about|around|roughly|approximately|approx\.?|circa|ca\.|nearly|almost|some|over"
    r"|more than|under|less than|up to|close to|rund|etwa|knapp|environ|casi|unos)|[~\u2248])"
    r"[ *_]{0,4}\Z",
    re.IGNORECASE,
)
_LONGEST_HEDGE = 24
_ROUNDED = Decimal("0.05")
"""By which part of itself a number may be rounded where the answer says so."""
_NEGATIVE = re.compile(
    r"(?<![a-z])(?:minus|negative|below|under|overdr|owe|owing|debt|debit|credit|refund|deduct|deficit"
    r"|loss|lost|los[et]|fell|fall|drop|down|declin|decreas|lower|less|reduc|discount|off\b|paid"
    r"|pay|charge|spen[dt]|cost|fee|withdr|differen|change|short|cheap|sav|back|return|remov"
    r"|behind|before|early|earlier|cut|shr[aiu]nk|slip|gain|up\b|owed|due|transfer|out\b|sent)",
    re.IGNORECASE,
)
"""Words that give a number its sign, or leave it open."""


_REMOVED = re.compile(r"delet|remov|lost|loss|decreas|debit|withdraw|discount|minus", re.IGNORECASE)
"""Words of fields whose values count what goes away, with or without a minus."""


class How(Enum):
    """What becomes of a value."""

    IDLE = "needs no evidence, and is not looked for"
    FREE = "needs no evidence"
    FOUND = "found"
    DERIVED = "derived"
    ABSENT = "absent"


_SCORES = {How.FOUND: FOUND, How.DERIVED: DERIVED, How.ABSENT: ABSENT}


@dataclass(frozen=True, slots=True)
class CheckedValue:
    """
    One value of an answer, checked.

    Attributes:
        how: What became of it.
        span: Where it was found; None if it was not, or in the arguments of a call.
        missing: It, if it is absent.
        conflict: What the evidence has instead, in one line; empty if that is not known.
        spelling: How the evidence writes it, if it writes it otherwise.
    """

    how: How
    span: Span | None = None
    missing: MissingValue | None = None
    conflict: str = ""
    spelling: Spelling | None = None


def facts(
    claims: Sequence[Claim],
    evidence: Evidence,
    *,
    question: str | None = None,
    answer: str | None = None,
) -> Opinions:
    """
    Check the values of claims: found, derived from others, missing, or contradicted.

    Args:
        claims: The claims of one answer, in order.
        evidence: What they may rest on.
        question: What was asked; its values need no other evidence.
        answer: The whole answer, so that headings count that are no claims; without it what is
            around a claim is the other claims.
    """
    values = AnswerValues(joined(claims) if answer is None else answer, evidence, question)
    return tuple(_opinion([*values.within(one.start, one.end)], evidence) for one in claims)


def _opinion(checked: Sequence[CheckedValue], evidence: Evidence) -> Opinion | Unavailable:
    if all(one.how is How.IDLE for one in checked):
        return NOTHING
    conflict = next((one.conflict for one in checked if one.conflict), "")
    score = min((_SCORES[one.how] for one in checked if one.how in _SCORES), default=FOUND)
    if evidence.blind and score < DERIVED and not conflict:
        return Unavailable(evidence.blind)
    spans = dict.fromkeys(one.span for one in checked if one.span)
    return Opinion(
        score=CONTRADICTED if conflict else score,
        spans=tuple(spans)[:_MOST_SPANS],
        missing=tuple(one.missing for one in checked if one.missing),
        contradicted=conflict,
        spellings=tuple(one.spelling for one in checked if one.spelling),
    )


class AnswerValues:
    """
    The values of one answer against its evidence.

    Args:
        answer: The answer.
        evidence: What it may rest on.
        question: What was asked; its values need no other evidence.
    """

    def __init__(self, answer: str, evidence: Evidence, question: str | None) -> None:
        self._answer = answer
        self._evidence = evidence
        self._index: ValueIndex = evidence.derived(ValueIndex)
        self._all = [_rounded(one, answer) for one in settled(figures(answer))]
        self._values = self._all[:MOST_VALUES]
        self._starts = [one.start for one in self._all]
        self._room = MOST_VALUES
        self._conflicts = 0
        self._found = _found(self._values, self._index)
        self._join()
        self._bindings = Bindings(answer, self._values, evidence)
        scope = self._bindings.scope
        requested = figures(question) if question else []
        self._exemptions = Exemptions(answer, requested, self._index)
        both = zip(self._values, self._found, strict=True)
        grounded = [one for one, found in both if found or self._exemptions.is_requested(one)]
        known = {"index": self._index, "scope": scope}
        self._derivation = Derivation(answer, self._all, grounded, most=MOST_VALUES, **known)
        self._moments = Moments(answer, self._values, grounded, **known)
        self._paid = Paid(answer, evidence, scope)

    def _join(self) -> None:
        """Look for two values that are one: 1 hour 30 minutes, or a number in groups, 2 871."""
        for n, (one, other) in enumerate(pairwise(self._values)):
            if not (self._found[n] and self._found[n + 1]):
                whole = together(self._answer, one, other) or grouped(self._answer, one, other)
                if whole and (found := self._index.find(whole)):
                    self._found[n] = self._found[n + 1] = found

    def within(self, start: int, end: int) -> Iterator[CheckedValue]:
        """Yield what becomes of each value that begins between two places, in order."""
        for n in range(bisect_left(self._starts, start), len(self._all)):
            if self._starts[n] >= end:
                return
            if n < MOST_VALUES:
                yield self._check(self._values[n], self._found[n])
            else:
                yield self._look_up(self._all[n])

    def _check(self, value: Figure, found: Sequence[EvidenceValue]) -> CheckedValue:
        if value.soft and (other := self._swapped_count(value, found)):
            return self._absent(value, _conflict(value, other))
        if value.soft or value in self._exemptions:
            spelling = self._spelling(value, found[0], found) if found else None
            return CheckedValue(
                How.FREE if found or not value.soft else How.IDLE, spelling=spelling
            )
        if conflict := self._other_unit(value, found):
            return self._absent(value, conflict)
        if self._has_other_sign(value, found) or self._turns_round(value, found):
            return self._absent(value)
        if self._bindings.is_outdated(value, found) or self._moments.is_turned(value):
            return self._absent(value)
        if self._bindings.is_of_another(value, found):
            return self._absent(value)
        records = self._bindings.records(value)
        found = self._bindings.of_field(value, found, records)
        one = self._bindings.own(found, records)
        other = self._bindings.instead(value, found, records) if found and one is None else None
        if other is not None and value.kind in SUMS and self._is_swapped(value, other):
            return self._absent(value, _conflict(value, other))
        if not found and (agrees := self._paid.agrees(value)) is not None:
            return CheckedValue(How.DERIVED) if agrees else self._absent(value)
        if one is None and (self._follows(value) or (not found and self._is_broken(value))):
            return CheckedValue(How.DERIVED)
        if other is not None:
            return self._absent(value, "" if value.kind in SUMS else _conflict(value, other))
        one = one or next(iter(found), None)
        if one is not None or self._is_vouched(value):
            span = None if one is None else self._span(one)
            return CheckedValue(How.FOUND, span, spelling=self._spelling(value, one, found))
        if self._conflicts >= _MOST_CONFLICTS:
            return self._absent(value)
        self._conflicts += 1
        announced = value.kind == MONEY and self._derivation.is_announced(value)
        return self._absent(value, "" if announced else self._bindings.conflict(value))

    def _swapped_count(self, value: Figure, found: Sequence[EvidenceValue]) -> EvidenceValue | None:
        """Return what a record has in place of a small count that is another record's."""
        records = self._bindings.scope.paired(value) if found and value.kind == NUMBER else ()
        if not records or self._bindings.own(found, records) is not None:
            return None
        other = self._bindings.instead(value, found, records)
        return other if other is not None and self._is_swapped(value, other) else None

    def _is_swapped(self, value: Figure, other: EvidenceValue) -> bool:
        """Return whether the sentence has what the record has, too: for another record."""
        start, end = self._bindings.scope.sentence(value.start)
        first, last = bisect_left(self._starts, start), bisect_left(self._starts, end)
        return any(other in found for found in self._found[first:last])

    def _absent(self, value: Figure, conflict: str = "") -> CheckedValue:
        missing = MissingValue(value.kind, value.text, value.start, value.end)
        return CheckedValue(How.ABSENT, missing=missing, conflict=conflict)

    def _look_up(self, value: Figure) -> CheckedValue:
        """Check a value after those that are checked in full, whichever record is meant."""
        if value.soft:
            return CheckedValue(How.IDLE)
        if found := self._index.find(value):
            return CheckedValue(How.FOUND, self._span(found[0]))
        if self._room > 0:
            self._room -= 1
            if value in self._exemptions or self._is_vouched(value):
                return CheckedValue(How.FREE)
            # a sum of values that are not checked in full cannot be computed again
            if self._derivation.is_announced(value) or self._follows(value):
                return CheckedValue(How.DERIVED)
            if self._is_broken(value):
                return CheckedValue(How.DERIVED)
        return self._absent(value)

    def _follows(self, value: Figure) -> bool:
        return self._derivation.supports(value) or self._moments.supports(value)

    def _other_unit(self, value: Figure, found: Sequence[EvidenceValue]) -> str:
        """Return what the evidence has, if it has a number only in another unit or currency."""
        if not found or value.kind not in SUMS or not all(one.is_result for one in found):
            return ""
        if not all(self._index.has_other_unit(value, one) for one in found):
            return ""
        return f"{shown(value.text)} is in another unit than {described(found[0])}"

    def _has_other_sign(self, value: Figure, found: Sequence[EvidenceValue]) -> bool:
        """Return whether results have only the negative of a value, and no word explains it."""
        if value.kind not in SUMS or not found or not all(one.is_number for one in found):
            return False
        if value.unit in (CELSIUS, FAHRENHEIT) and not any(
            same(value, one.figure) for one in found
        ):
            return False  # -15 C are 5 F
        start, end = self._bindings.scope.sentence(value.start)
        minus = minus_before(self._answer, value)
        negative = minus is not None
        numbers = [one.figure.numbers[0] for one in found]
        if not all(number and negative != (number < 0) for number in numbers):
            return False
        if any(_REMOVED.search(one.field) for one in found):
            return False  # a diff of 12 deletions is written as "-12"
        stretches = ((start, value.start if minus is None else minus), (value.start, end))
        return not any(_NEGATIVE.search(self._answer, *stretch) for stretch in stretches)

    def _turns_round(self, value: Figure, found: Sequence[EvidenceValue]) -> bool:
        """Return whether results have a value only as a growth that the sentence calls a fall."""
        if value.kind not in SUMS or not found:
            return False
        sentence = self._answer[slice(*self._bindings.scope.sentence(value.start))]
        return all(
            one.is_result
            and one.is_sum
            and one.figure.numbers[0] > 0
            and turns_round(sentence, one.field)
            for one in found
        )

    def _spelling(
        self, value: Figure, one: EvidenceValue | None, found: Sequence[EvidenceValue]
    ) -> Spelling | None:
        """Return how the evidence writes a value; None if it writes it so somewhere."""
        written = value.text.casefold()
        if one is None or any(each.figure.text.casefold() == written for each in found):
            return None
        if not _is_as_exact(value, one.figure):
            return None
        text, end = one.figure.text, value.end
        if value.kind in SUMS and not same(value, one.figure):  # it is in another unit
            text = f"{text} {one.figure.unit}".strip()
            behind = self._answer[end : end + len(value.unit) + 1]
            end += len(behind) if behind.casefold().endswith(value.unit.casefold()) else 0
        return Spelling(text, value.start, end)

    def _is_vouched(self, value: Figure) -> bool:
        """Return whether forgotten text had a value, or an allowlist has it."""
        return self._evidence.vouches is not None and self._evidence.vouches(value.text)

    def _is_broken(self, value: Figure) -> bool:
        """Return whether the evidence has a value with blanks within, as wrapped text has it."""
        day = value.value
        if isinstance(day, Day):
            return None not in day and self._index.has_broken("{}-{:02}-{:02}".format(*day))
        if value.kind in SUMS:
            return self._index.has_spaced(value.numbers[0])
        return value.kind == ID and self._index.has_broken(value.text)

    def _span(self, one: EvidenceValue) -> Span | None:
        """Return the part of the evidence that has a value; None for an argument of a call."""
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
    return f"{shown(value.text)} stands for another record; here it has {described(other)}"


def _rounded(value: Figure, answer: str) -> Figure:
    """Return a round number as exact as its first digits, where the answer says ``about``."""
    if value.kind not in SUMS or value.soft:
        return value
    if not _HEDGE.search(answer, max(0, value.start - _LONGEST_HEDGE), value.start):
        return value
    number = abs(value.numbers[0])
    if number != number.to_integral_value() or not number:
        return value
    zeros = len(str(int(number))) - len(str(int(number)).rstrip("0"))
    step = min(Decimal(10) ** zeros, 2 * _ROUNDED * number)
    return value._replace(step=max(value.step, step))


def _is_as_exact(value: Figure, found: Figure) -> bool:
    """Return whether two equal values are equally exact: not a day without the other's year."""
    one, other = value.value, found.value
    numbers = {value.kind, found.kind} <= SUMS
    if not (numbers or value.kind == found.kind) or (value.unit == "%") != (found.unit == "%"):
        return False
    if isinstance(one, Minute) and isinstance(other, Minute):
        return one.minutes == other.minutes
    if isinstance(one, Decimal) and isinstance(other, Decimal):
        return abs(one) == abs(other) or not same(value, found)
    return one == other


def has_unchecked_figures(answer: str) -> bool:
    """
    Return whether *answer* has more values than the 500 that are checked in full.

    >>> has_unchecked_figures("$1 " * 501), has_unchecked_figures("$1 " * 500)
    (True, False)
    """
    # an answer with many values has them from its beginning on, and need not be read again whole
    beginnings = (_BEGINNING, len(answer)) if len(answer) > MOST_VALUES else ()
    return any(len(figures(answer[:end])) > MOST_VALUES for end in beginnings)


def joined(claims: Sequence[Claim]) -> str:
    """Return the answer as far as its claims show it, each on a line of its own."""
    pieces, at = [], 0
    for claim in sorted(claims, key=lambda one: one.start):
        if claim.start >= at:
            pieces += ["\n" * (claim.start - at), claim.text]
            at = claim.start + len(claim.text)
    return "".join(pieces)


def _lines(evidence: Evidence) -> list[dict[str, tuple[int, int]]]:
    """Return the lines of each passage by their pointer."""
    return [{where: (start, end) for start, end, where in piece.lines} for piece in evidence]


def _found(values: Sequence[Figure], index: ValueIndex) -> list[Sequence[EvidenceValue]]:
    """Return where each value is in the evidence."""
    return [index.find(one) for one in values]
