"""Numbers that can be computed from others: sums, differences, products, shares and counts."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Sequence
from decimal import Decimal
from itertools import combinations, islice, permutations

from abs_shield.answer.checks.computation_words import (
    COMPUTED,
    DIFFERENCE,
    MULTIPLIED,
    PER_MONTH,
    PER_YEAR,
    RATED,
    REMAINDER,
    SHARED,
    SMALL_RATE,
)
from abs_shield.answer.checks.polarity_check import FALLS, RISES
from abs_shield.answer.checks.record_scope import RecordScope
from abs_shield.answer.checks.result_numbers import (
    MOST_OPERANDS,
    ResultNumbers,
    is_operand,
    sum_neighbours,
)
from abs_shield.answer.evidence.value_index import ValueIndex
from abs_shield.text.stem import lower_case
from abs_shield.text.values.figure import MONEY, NUMBER, SUMS, Figure, Value, is_near
from abs_shield.text.values.number_values import NTH
from abs_shield.text.values.numerals import WORDS, parse_number_words
from abs_shield.text.values.units import converted_units, units_of

_MOST_RATES = 8  # with many rates, nearly every amount follows from another one
_MOST_FACTORS = 8  # a sentence about a rate has a few numbers
_MOST_PARTS = 24  # "3 of 5" occurs a few times in an answer; each part is a percentage to compare
_MOST_PLACES = 8  # a value that occurs more often is a row label, and one sentence suffices
"""Occurrences of one value whose sentences are read."""
_ROUNDS = 3  # a third round finds a total of totals; each one costs all pairs again
"""Derived numbers may be operands again: a total of totals."""
_FEWEST = 12  # divisors: counts of lists beyond a dozen divide no bill
_FACTORS = range(2, 13)  # people, nights or items that an answer multiplies by; 1 changes nothing
_HUNDRED = Decimal(100)
_MONTHS = 12  # of a year, for "per month"
_SLACK = Decimal("1e-9")  # quotients of `Decimal` are rounded after 28 digits
# bounded, so that a long row of digits is not tried from each position
_ANY = rf"\d{{1,3}}(?:,\d{{3}}){{1,4}}|\d{{1,12}}|{WORDS}"
_PART = re.compile(
    rf"(?<![\w.,])({_ANY})(?:[ ][A-Za-z]{{2,20}})?(?:[ ](?:out[ ])?of|[ ]?/)[ ]?"
    rf"(?:(?:the|a|all|your|our|its)[ ](?:total[ ])?(?:of[ ])?)?({_ANY})\b",
    re.IGNORECASE,
)
_ITEM = re.compile(r"^[ \t]*(?:[-*\u2022]|\d{1,3}[.)])[ ]", re.MULTILINE)


class Derivation:
    """
    The numbers that follow from those of an answer and of the results it is about.

    Args:
        answer: The answer.
        values: Its values, in order.
        grounded: Those that occur in the evidence or the question.
        most: How many of the values may be operands.
        index: The values of the evidence.
        scope: The lines and sentences of the answer.
    """

    def __init__(
        self,
        answer: str,
        values: Sequence[Figure],
        grounded: Sequence[Figure],
        *,
        most: int,
        index: ValueIndex,
        scope: RecordScope,
    ) -> None:
        self._answer = answer
        self._lower = lower_case(answer)
        self._scope = scope
        self._places: defaultdict[tuple[Value, ...], list[int]] = defaultdict(list)
        # also of values that are no operands: any sentence of a value may say that it is computed
        for one in values:
            self._places[one.values].append(one.start)
        values = values[:most]
        self._worded: dict[object, bool] = {}
        self._results = ResultNumbers(index)
        self._items = len(_ITEM.findall(answer))
        self._has_shares = SHARED.search(self._lower) is not None
        self._has_products = MULTIPLIED.search(self._lower) is not None
        self._grounded = [one for one in grounded if one.kind in SUMS][:MOST_OPERANDS]
        self._operands = [one for one in grounded if is_operand(one)][:MOST_OPERANDS]
        self._stated = self._operands
        self._percents = [one.numbers[0] for one in self._grounded if one.unit == "%"]
        rates = [*self._percents, *self._results.percents]
        self._rates = [rate for rate in rates if rate > 0][:_MOST_RATES]
        self._factors = self._factors_in(values)
        self._own: list[Decimal] = []
        self._results_of: list[tuple[re.Pattern[str], list[Decimal]]] = []
        self._shares: list[Decimal] = []
        self._rises: list[Decimal] = []
        self._falls: list[Decimal] = []
        self._ratios: list[Decimal] = []
        self._extend([one for one in values if is_operand(one)], {id(one) for one in grounded})

    def supports(self, value: Figure) -> bool:
        """
        Return whether a number follows from others, and for money whether its sentence says so.
        """
        return value.kind in SUMS and (self._follows(value) or self._is_restated(value))

    def says_computed(self, value: Figure) -> bool:
        """Return whether a sentence with this value says that it is computed."""
        return self._has_wording(COMPUTED, value)

    def _has_wording(self, wording: re.Pattern[str], value: Figure) -> bool:
        places = islice(self._places[value.values], _MOST_PLACES)
        return any(self._is_worded(wording, self._scope.sentence(at)) for at in places)

    def _is_worded(self, wording: re.Pattern[str], sentence: tuple[int, int]) -> bool:
        """Return whether a sentence has a wording; cached, as it may have thousands of values."""
        key = wording, sentence
        worded = self._worded.get(key)
        if worded is None:
            worded = wording.search(self._lower, *sentence) is not None
            self._worded[key] = worded
        return worded

    def _extend(self, values: Sequence[Figure], operand_ids: set[int]) -> None:
        """Add derived numbers to the operands until no more follow."""
        for _ in range(_ROUNDS):
            self._own = [one.numbers[0] for one in self._operands]
            self._results_of = [
                (wording, sorted({abs(number) for number in numbers}))
                for wording, numbers in (
                    (COMPUTED, self._all_sums()),
                    (DIFFERENCE, self._all_differences()),
                    (MULTIPLIED, self._all_products()),
                    (PER_YEAR, self._all_years()),
                    (RATED, self._all_rated()),
                    (SHARED, self._all_quotients()),
                )
            ]
            self._ratios = sorted({abs(number) for number in self._all_ratios()})
            shares = {*self._all_shares()}
            self._shares = sorted(shares)
            self._rises = sorted(share - _HUNDRED for share in shares if share > _HUNDRED)
            self._falls = sorted(_HUNDRED - share for share in shares if share < _HUNDRED)
            # the operands of the evidence first: they are certain
            room = max(0, MOST_OPERANDS - len(self._operands))  # sums are made of pairs of these
            rest = (one for one in values if id(one) not in operand_ids)
            more = [*islice(filter(self._follows, rest), room)]
            if not more:
                return
            operand_ids.update(map(id, more))
            self._grounded += more
            self._operands = sorted((*self._operands, *more), key=lambda one: one.start)

    def _follows(self, value: Figure) -> bool:
        for wording, numbers in self._results_of:
            follows = any(_contains(numbers, abs(number), step) for number, step in value.readings)
            # an amount is often near some sum by chance, so that a sentence must say it is computed
            if follows and (value.kind != MONEY or self._has_wording(wording, value)):
                return True
        number = value.numbers[0]
        if value.kind != MONEY and _contains(self._ratios, abs(number), value.step):
            return True
        if value.unit == "%":
            return self._is_share(value)
        if value.kind == MONEY:
            return False
        if number == number.to_integral_value() and number in (*self._results.counts, self._items):
            return True
        if any(is_near(number, a - b, value.step) for a, b in combinations(self._percents, 2)):
            return True
        # "1.2 times" for a rise of 20 %
        return any(is_near(number, 1 + rate / _HUNDRED, value.step) for rate in self._rates)

    def _is_share(self, value: Figure) -> bool:
        """Return whether a percentage is a share, or the change from one number to another."""
        rises, falls = self._has_wording(RISES, value), self._has_wording(FALLS, value)
        candidates = [self._shares]
        # if both or neither occur, either way is accepted
        candidates += [] if falls and not rises else [self._rises]
        candidates += [] if rises and not falls else [self._falls]
        return any(
            _contains(some, value.numbers[0], value.step) for some in candidates
        ) or self._is_share_of_count(value)

    def _is_share_of_count(self, value: Figure) -> bool:
        """Return whether a percentage is the share of a small count of its sentence."""
        # a small count is no operand of a sum, but it is a part of a whole
        start, end = self._scope.sentence(value.start)
        soft = [one for one in self._grounded if one.soft and start <= one.start < end]
        counts = [one.numbers[0] for one in soft if one.text.isdigit()][:_MOST_PARTS]
        return any(
            0 < part < whole and is_near(value.numbers[0], part / whole * _HUNDRED, value.step)
            for part in counts
            for whole in (*self._own, *counts)
        )

    def _is_restated(self, value: Figure) -> bool:
        """Return whether the answer has the same value in another unit: 800.5 kg, or 0.8 tonnes."""
        if not units_of(value.unit):
            return False
        return any(
            unit in units_of(other.unit) and is_near(number, other.numbers[0], step)
            for number, step, unit in converted_units(value)
            for other in self._grounded
            if other.unit
        )

    def _all_sums(self) -> Iterator[Decimal]:
        """Yield sums, and sums with rates applied."""
        sums = [*self._plain_sums()]
        yield from (*sums, *self._results.totals())
        for some in (self._own, *self._results.few):
            yield from (one + other for one, other in combinations(some, 2))
        for number, rate in ((n, r) for n in (*self._singles(), *sums) for r in self._rates):
            part = number * rate / _HUNDRED
            # the part, with it, without it, and the amount before it was added
            yield from (part, number + part, number - part, number / (1 + rate / _HUNDRED))

    def _all_quotients(self) -> Iterator[Decimal]:
        if PER_MONTH.search(self._lower):
            yield from (number / _MONTHS for number in (*self._own, *self._results.singles))
        if self._has_shares:
            parts = (*self._factors, *sorted(self._results.counts)[:_FEWEST])
            sums = (*self._own, *self._plain_sums())
            yield from (number / part for number in sums for part in parts if part)
            counts = [one.numbers[0] for one in self._operands if one.kind != MONEY]
            yield from (a / b for a in self._own for b in counts if b)

    def _all_ratios(self) -> Iterator[Decimal]:
        """Yield the ratios of amounts, which are not amounts of money."""
        if self._has_shares or self._has_products:
            amounts = [one.numbers[0] for one in self._operands if one.kind == MONEY]
            yield from (a / b for a, b in permutations(amounts, 2) if b)

    def _all_products(self) -> Iterator[Decimal]:
        if self._has_products:
            numbers = (*self._singles(), *self._plain_sums())
            yield from (number * factor for number in numbers for factor in self._factors)

    def _all_years(self) -> Iterator[Decimal]:
        """Yield the amounts of a year, from those of a month in the same sentence or, else, all."""
        for match in islice(PER_YEAR.finditer(self._lower), _MOST_PLACES):
            inside = [one.numbers[0] for one in self._within(self._scope.sentence(match.start()))]
            yield from (number * _MONTHS for number in inside or self._singles())

    def _all_rated(self) -> Iterator[Decimal]:
        """Yield the products of a rate and a number of its sentence: 40 kWh at 0.59 per kWh."""
        for match in islice(RATED.finditer(self._lower), _MOST_PLACES):
            sentence = self._scope.sentence(match.start())
            rates, inside = self._within(match.span()), self._within(sentence)
            products = [
                rate.numbers[0] * one.numbers[0]
                for rate in rates
                for one in inside
                if one is not rate
            ]
            yield from products
            if SMALL_RATE.search(self._lower, *sentence):
                yield from (product / _HUNDRED for product in products)

    def _within(self, span: tuple[int, int]) -> list[Figure]:
        """Return the first operands between two offsets that the evidence has."""
        inside = (one for one in self._stated if span[0] <= one.start < span[1])
        return [*islice(inside, _MOST_FACTORS)]

    def _plain_sums(self) -> Iterator[Decimal]:
        """Yield the sums of neighbours in the answer, of lines, and of columns."""
        yield from (*sum_neighbours(self._own), *sum_neighbours(self._last_of_lines()))
        # the sum of one number is that number, whatever record it belongs to
        columns = (column for column in self._results.columns if len(column) > 1)
        yield from (sum(column, Decimal(0)) for column in columns)
        yield from (number for column in self._results.few for number in sum_neighbours(column))

    def _singles(self) -> list[Decimal]:
        return [*self._own, *(number for column in self._results.few for number in column)]

    def _last_of_lines(self) -> list[Decimal]:
        """Return the last operand of each line, usually the total of an item."""
        ends = {self._scope.line(one.start): one.numbers[0] for one in self._operands}
        # only if lines have several operands: else these are the operands again
        return [*ends.values()] if len(ends) < len(self._operands) else []

    def _all_shares(self) -> Iterator[Decimal]:
        pairs = (pair for some in (self._own, *self._results.few) for pair in permutations(some, 2))
        for part, whole in (*_parts(self._answer), *pairs):
            if whole:
                yield abs(part / whole * _HUNDRED)

    def _all_differences(self) -> Iterator[Decimal]:
        for some in (self._own, *self._results.few):
            yield from (one - other for one, other in combinations(some, 2))
        # differences within records of the evidence explain much, so that a word must call for them
        if REMAINDER.search(self._lower):
            yield from self._results.differences()

    def _factors_in(self, values: Sequence[Figure]) -> list[int]:
        """Return possible factors and divisors: counts, lengths of lists."""
        numbers = [one for one in values if one.kind == NUMBER and one.unit not in (NTH, "%")]
        factors = {int(n) for one in numbers for n in one.numbers if n in _FACTORS}
        factors |= {n for n in (*self._results.counts, *self._results.arguments) if n in _FACTORS}
        # "half" and "split" divide by two without saying so
        return sorted(factors | ({2} if self._has_shares else set()))


def _parts(text: str) -> Iterator[tuple[Decimal, Decimal]]:
    """Yield each part and its whole in "part of whole" phrases."""
    for match in islice(_PART.finditer(text), _MOST_PARTS):
        part, whole = map(_number, match.groups())
        if 0 <= part <= whole:
            yield part, whole


def _number(text: str) -> Decimal:
    return Decimal(text.replace(",", "")) if text[0].isdigit() else parse_number_words(text)


def _contains(numbers: list[Decimal], number: Decimal, step: Decimal) -> bool:
    reach = step / 2 + _SLACK
    # sorted once, and searched by halves: thousands of numbers for each value
    place = bisect_left(numbers, number - reach)
    return place < len(numbers) and numbers[place] <= number + reach
