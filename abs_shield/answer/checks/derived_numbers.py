"""Numbers that can be computed from others: sums, differences, products, shares and counts."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal
from itertools import accumulate, combinations, islice, permutations

from abs_shield.answer.checks.polarity_check import FALLS, RISES
from abs_shield.answer.checks.record_scope import RecordScope
from abs_shield.answer.evidence.evidence_passages import PassageSource
from abs_shield.answer.evidence.evidence_value import EvidenceValue
from abs_shield.answer.evidence.record_paths import (
    counts_pieces,
    names_money,
    record_of,
    walk,
    without_indices,
)
from abs_shield.answer.evidence.text_rows import rows
from abs_shield.answer.evidence.value_index import ValueIndex
from abs_shield.text.sentences import sentence_spans
from abs_shield.text.values.figure import MONEY, NUMBER, SUMS, Figure, Value, is_near, is_year
from abs_shield.text.values.number_values import NTH
from abs_shield.text.values.numerals import WORDS, parse_number_words
from abs_shield.text.values.units import converted_units, units_of

# some 1,100 pairs; an answer with more figures is a table, of which any sum would then follow
_MOST = 48
"""Operands of an answer, at most: all pairs of them are combined."""
# a list of records has some 20 fields; each column costs all its sums
_MOST_COLUMNS = 200
_MOST_READ = 2_000  # values of a result; a result of thousands of rows is not added up in an answer
_MOST_RUN = 24  # all runs of 24 numbers are 276 sums; of more, some sum is near any number
_MOST_RATES = 8  # with many rates, nearly every amount follows from another one
_MOST_PARTS = 24  # "3 of 5" occurs a few times in an answer; each part is a percentage to compare
_MOST_PLACES = 8  # a value that occurs more often is a row label, and one sentence suffices
"""Occurrences of one value whose sentences are read."""
_ROUNDS = 3  # a third round finds a total of totals; each one costs all pairs again
"""Derived numbers may be operands again: a total of totals."""
_FEW = 4  # any two of four are six sums; of many numbers, some two make any number
"""Numbers of a column or sentence up to which any two are combined; of more, all or none."""
# a longer text is a document, whose numbers have nothing to do with each other
_SHORT_TEXT = 12
"""Numbers of a prose passage up to which its sentences are operands."""
_FEWEST = 12  # divisors: counts of lists beyond a dozen divide no bill
_FACTORS = range(2, 13)  # people, nights or items that an answer multiplies by; 1 changes nothing
_HUNDRED = Decimal(100)
_MONTHS = 12  # of a year, for "per month"
_ZERO = Decimal(0)
_SLACK = Decimal("1e-9")  # quotients of `Decimal` are rounded after 28 digits
_DERIVED = re.compile(
    r"\b(?:total|subtotal|sum|differen|additional|extra|remain|left|refund|charge|due"
    r"|ow(?:e|ed|es|ing)\b|over(?:paid|all|charge)|missing|short\b|shortfall|fewer|rest\b|leav"
    r"|sav|cheap|more|less|increase|decrease|reduc|discount|net|combin|altogether|together"
    r"|average|mean|per|each|spen[dt]|instal|month"
    r"|deduct|therefore|thus\b|hence\b|which means|before|without|excluding"
    r"|insgesamt|gesamt|zusammen|summe|macht\b|ergibt|also\b|somme|ensemble|soit\b|suma|junt[oa]s"
    r"|unterschied|\u00fcbrig|g\u00fcnstig|teurer|mehr|weniger|reste|moins|diff\u00e9ren|queda"
    r"|menos|barat|ahorr|pro\b|je\b|par\b|chacun|por\b|cada"
    r"|share|half|split|both|adjust|new (?:total|price|balance|amount|cost|fare))"
    r"|[=+\u2212\u00d7%]|[ ]-[ ][$\d]",
    re.IGNORECASE,
)
"""Words of a sentence with a computed or counted value."""
_DIFFERENCE = re.compile(
    r"\b(?:differen|additional|extra|remain|left|leav|refund|due|ow(?:e|ed|es|ing)\b|over|missing"
    r"|short|fewer|rest\b|sav|cheap|more|less|increas|decreas|reduc|discount|net\b|deduct|adjust|new"
    r"|chang|minus|up\b|down|drop|rose|fell|grew|gap|higher|lower|charge|credit|pay|paid|balance"
    r"|subtract|unused|still|available|therefore|thus\b|hence\b|before|without|excluding|subtotal"
    r"|unterschied|\u00fcbrig|g\u00fcnstig|teurer|billig|mehr|weniger|gespart|ersparnis|ohne\b"
    r"|diff\u00e9ren|moins|\u00e9cart|\u00e9conom|sans\b|diferencia|queda|menos|barat|ahorr|sin\b"
    r"|m\u00e1s[ ](?:car|alt)|plus[ ](?:ch|\u00e9lev))|[\u2212\u2013]|[ ]-[ ]",
    re.IGNORECASE,
)
"""Words of a sentence with an amount that is a difference."""
_SHARED = re.compile(
    r"\b(?:half|halves|split|share|shared|each|per|equally|both|average|mean|instal\w+|monthly"
    r"|month|h\u00e4lfte|je|jeweils|pro|moiti\u00e9|chacun|chacune|par|mitad|cada|por)\b",
    re.IGNORECASE,
)
_REMAINS = re.compile(
    r"\b(?:left|remain|differ|net\b|still|unused|leav|outstanding|available|minus|short\b|missing"
    r"|before|without|excluding|subtotal|ohne\b|sans\b|\u00fcbrig|reste|queda)",
    re.IGNORECASE,
)
_MONTHLY = re.compile(r"\b(?:monthly|(?:per|a|each|every)[ ]month)\b", re.IGNORECASE)
_MULTIPLIED = re.compile(
    r"\b(?:per|each|every|both|times|twice|double|passenger|person|people|travell?er|guest|adult"
    r"|n[a\u00e4]cht|nuit|noche|personne|persona|pro\b|je\b|par\b|por\b|cada|chaque|monat|mois"
    r"|woche|semaine|semana|st\u00fcck|fois|veces|mal\b"
    r"|night|ticket|seat|bag|unit|piece|month|week|all[ ](?:two|three|four|five|six|of))"
    r"|\u00d7|\bx[ ]?\$?\d|\d[ ]?x\b|\d[ ]\*[ ]\d|\d[ ][^\W\d_]{2,20}[ ](?:at|for|\u00e0)[ ]\W?\d",
    re.IGNORECASE,
)
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
        self._scope = scope
        self._places: defaultdict[tuple[Value, ...], list[int]] = defaultdict(list)
        # also of values that are no operands: any sentence of a value may say that it is computed
        for one in values:
            self._places[one.values].append(one.start)
        values = values[:most]
        self._worded: dict[object, bool] = {}
        self._results = _Results(index)
        self._items = len(_ITEM.findall(answer))
        self._has_shares = _SHARED.search(answer) is not None
        self._has_products = _MULTIPLIED.search(answer) is not None
        self._grounded = [one for one in grounded if one.kind in SUMS][:_MOST]
        self._operands = [one for one in grounded if _is_operand(one)][:_MOST]
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
        self._extend([one for one in values if _is_operand(one)], {id(one) for one in grounded})

    def supports(self, value: Figure) -> bool:
        """
        Return whether a number follows from others, and for money whether its sentence says so.
        """
        return value.kind in SUMS and (self._follows(value) or self._is_restated(value))

    def says_computed(self, value: Figure) -> bool:
        """Return whether a sentence with this value says that it is computed."""
        return self._has_wording(_DERIVED, value)

    def _has_wording(self, wording: re.Pattern[str], value: Figure) -> bool:
        key = wording, value.values
        worded = self._worded.get(key)
        if worded is None:
            places = islice(self._places[value.values], _MOST_PLACES)
            spans = (self._scope.sentence(at) for at in places)
            worded = any(wording.search(self._answer, *span) for span in spans)
            self._worded[key] = worded
        return worded

    def _extend(self, values: Sequence[Figure], operand_ids: set[int]) -> None:
        """Add derived numbers to the operands until no more follow."""
        for _ in range(_ROUNDS):
            self._own = [one.numbers[0] for one in self._operands]
            self._results_of = [
                (wording, sorted({abs(number) for number in numbers}))
                for wording, numbers in (
                    (_DERIVED, self._all_sums()),
                    (_DIFFERENCE, self._all_differences()),
                    (_MULTIPLIED, self._all_products()),
                    (_SHARED, self._all_quotients()),
                )
            ]
            self._ratios = sorted({abs(number) for number in self._all_ratios()})
            shares = {*self._all_shares()}
            self._shares = sorted(shares)
            self._rises = sorted(share - _HUNDRED for share in shares if share > _HUNDRED)
            self._falls = sorted(_HUNDRED - share for share in shares if share < _HUNDRED)
            # the operands of the evidence first: they are certain
            room = max(0, _MOST - len(self._operands))  # sums are made of pairs of these
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
        return any(_contains(some, value.numbers[0], value.step) for some in candidates)

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
        if _MONTHLY.search(self._answer):
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

    def _plain_sums(self) -> Iterator[Decimal]:
        """Yield the sums of neighbours in the answer, of lines, and of columns."""
        yield from (*_runs(self._own), *_runs(self._last_of_lines()))
        yield from (sum(column, _ZERO) for column in self._results.columns)
        yield from (number for column in self._results.few for number in _runs(column))

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
        if _REMAINS.search(self._answer):
            yield from self._results.differences()

    def _factors_in(self, values: Sequence[Figure]) -> list[int]:
        """Return possible factors and divisors: counts, lengths of lists."""
        numbers = [one for one in values if one.kind == NUMBER and one.unit not in (NTH, "%")]
        factors = {int(n) for one in numbers for n in one.numbers if n in _FACTORS}
        factors |= {n for n in self._results.counts if n in _FACTORS}
        # "half" and "split" divide by two without saying so
        return sorted(factors | ({2} if self._has_shares else set()))


class _Results:
    """
    The numbers of the newest result and of short texts.

    Args:
        index: The values of the evidence.
    """

    def __init__(self, index: ValueIndex) -> None:
        self._index = index
        self._places = [index.newest] if index.newest >= 0 else []
        self._fields = [
            [*_fields(index.values[n] for n in index.of_piece[place])] for place in self._places
        ]
        columns = (column for fields in self._fields for column in _columns(fields))
        self.columns = [*islice(columns, _MOST_COLUMNS), *self._prose()]
        several = (*self.columns, *map(self._arguments, self._places))
        # the arguments of the call as well: "3 nights at 120" has its 3 in the call
        self.few = [column for column in several if len(column) <= _FEW]
        self.counts = frozenset(n for place in self._places for n in self._counts(place))
        newest = index.numbers_of(index.newest)[:_MOST] if index.newest >= 0 else []
        self.percents = [one.figure.numbers[0] for one in newest if one.figure.unit == "%"]

    @property
    def singles(self) -> list[Decimal]:
        """The numbers that fill their field."""
        return [one.figure.numbers[0] for fields in self._fields for one in fields][:_MOST]

    def _arguments(self, place: int) -> list[Decimal]:
        """Return the numbers among the arguments of a result's call."""
        values = (self._index.values[n] for n in self._index.of_piece[place][:_MOST])
        return [one.figure.numbers[0] for one in values if one.is_argument and one.is_sum]

    def _prose(self) -> Iterator[list[Decimal]]:
        """Yield the numbers of each sentence of a short text."""
        for place, piece in enumerate(self._index.pieces):
            numbers = self._index.numbers_of(place)
            prose = piece.source is PassageSource.TOOL_RESULT and not isinstance(
                piece.value, (dict, list)
            )
            if not prose or not 0 < len(numbers) <= _SHORT_TEXT:
                continue
            for start, end in sentence_spans(piece.text):
                figures = (one.figure for one in numbers if start <= one.figure.start < end)
                yield [one.numbers[0] for one in figures if _is_operand(one) and not is_year(one)]

    def _counts(self, place: int) -> Iterator[int]:
        """Yield the lengths of a result's lists, and how often a field has one value."""
        piece = self._index.pieces[place]
        if not isinstance(piece.value, (dict, list)):
            # a text without rows would count as zero of something
            yield from {len(rows(piece.text).starts)} - {0}
            return
        sizes: dict[object, set[object]] = defaultdict(set)
        equal: dict[object, int] = defaultdict(int)
        for leaf in walk(piece.value):
            for n, step in enumerate(leaf.steps):
                if type(step) is not str:
                    sizes[leaf.steps[:n]].add(step)
            if isinstance(leaf.value, (str, bool)) and leaf.field:
                equal[leaf.field, leaf.value] += 1
        yield from map(len, sizes.values())
        yield from (n for n in equal.values() if n > 1)

    def totals(self) -> Iterator[Decimal]:
        """Yield the sum of all amounts of a result, and of counts times prices."""
        for fields in self._fields:
            amounts = [one.figure.numbers[0] for one in fields if names_money(one.field)]
            if 1 < len(amounts) <= _MOST_RUN:
                yield sum(amounts, _ZERO)
            priced: dict[object, list[Decimal]] = defaultdict(list)
            for steps, record in _by_record(fields).items():
                count = next((one for one in record if counts_pieces(one.field)), None)
                for price in record if count else ():
                    if count and names_money(price.field):
                        worth = count.figure.numbers[0] * price.figure.numbers[0]
                        priced[steps[:-1], price.field].append(worth)
            for worths in priced.values():
                if len(worths) <= _MOST_RUN:
                    yield from (*worths, sum(worths, _ZERO))

    def differences(self) -> Iterator[Decimal]:
        """Yield the differences between numbers of one record: the rest of a limit."""
        for fields in self._fields:
            for record in _by_record(fields).values():
                if len(record) <= _FEW:
                    numbers = [one.figure.numbers[0] for one in record]
                    yield from (one - other for one, other in combinations(numbers, 2))


def _fields(values: Iterable[EvidenceValue]) -> Iterator[EvidenceValue]:
    """Yield the numbers that fill their field, and are not a part of a text."""
    fields: dict[object, list[EvidenceValue]] = defaultdict(list)
    for one in islice(values, _MOST_READ):
        if not one.steps or one.figure.text != str(one.steps[-1]):  # the name of a record
            fields[one.steps, one.field].append(one)
    # a text with two numbers is no field of a number
    return (some[0] for some in fields.values() if len(some) == 1 and some[0].is_sum)


def _columns(fields: Iterable[EvidenceValue]) -> Iterator[list[Decimal]]:
    """Yield the numbers of one field across all records of a list."""
    columns: dict[object, list[Decimal]] = defaultdict(list)
    for one in fields:
        number = one.figure.numbers[0]
        columns[without_indices(one.steps)].append(number)
        if above := record_of(one.steps):
            columns[above[:-1], one.field].append(number)
    unique = dict.fromkeys(tuple(column) for column in columns.values() if len(column) > 1)
    return map(list, unique)


def _by_record(fields: Iterable[EvidenceValue]) -> dict[tuple[str | int, ...], list[EvidenceValue]]:
    records: dict[tuple[str | int, ...], list[EvidenceValue]] = defaultdict(list)
    for one in fields:
        records[record_of(one.steps)].append(one)
    return records


def _runs(numbers: Sequence[Decimal]) -> Iterator[Decimal]:
    """Yield sums of neighbours: of two, of three, up to all."""
    numbers = numbers[:_MOST_RUN]
    for start in range(len(numbers)):
        yield from [*accumulate(numbers[start:])][1:]


def _parts(text: str) -> Iterator[tuple[Decimal, Decimal]]:
    """Yield each part and its whole in "part of whole" phrases."""
    for match in islice(_PART.finditer(text), _MOST_PARTS):
        part, whole = map(_number, match.groups())
        if 0 <= part <= whole:
            yield part, whole


def _number(text: str) -> Decimal:
    return Decimal(text.replace(",", "")) if text[0].isdigit() else parse_number_words(text)


def _is_operand(value: Figure) -> bool:
    return value.kind in SUMS and not value.soft and value.unit not in (NTH, "%")


def _contains(numbers: list[Decimal], number: Decimal, step: Decimal) -> bool:
    reach = step / 2 + _SLACK
    # sorted once, and searched by halves: thousands of numbers for each value
    place = bisect_left(numbers, number - reach)
    return place < len(numbers) and numbers[place] <= number + reach
