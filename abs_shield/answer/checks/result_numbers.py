"""Numbers of the newest result and of short texts, as operands: columns, counts, totals."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal
from itertools import accumulate, combinations, islice

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
from abs_shield.text.values.figure import SUMS, Figure, is_year
from abs_shield.text.values.number_values import NTH

# some 1,100 pairs; an answer with more figures is a table, of which any sum would then follow
MOST_OPERANDS = 48
"""Operands of an answer, at most: all pairs of them are combined."""
# a list of records has some 20 fields; each column costs all its sums
_MOST_COLUMNS = 200
_MOST_READ = 2_000  # values of a result; a result of thousands of rows is not added up in an answer
_MOST_RUN = 24  # all runs of 24 numbers are 276 sums; of more, some sum is near any number
_FEW = 4  # any two of four are six sums; of many numbers, some two make any number
"""Numbers of a column or sentence up to which any two are combined; of more, all or none."""
# a longer text is a document, whose numbers have nothing to do with each other
_SHORT_TEXT = 12
"""Numbers of a prose passage up to which its sentences are operands."""
_ZERO = Decimal(0)


class ResultNumbers:
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
        of_calls = [self._arguments(place) for place in self._places]
        self.arguments = frozenset(int(n) for some in of_calls for n in some if n == int(n))
        several = (*self.columns, *of_calls)
        # the arguments of the call as well: "3 nights at 120" has its 3 in the call
        self.few = [column for column in several if len(column) <= _FEW]
        self.counts = frozenset(n for place in self._places for n in self._counts(place))
        newest = index.numbers_of(index.newest)[:MOST_OPERANDS] if index.newest >= 0 else []
        self.percents = [one.figure.numbers[0] for one in newest if one.figure.unit == "%"]

    @property
    def singles(self) -> list[Decimal]:
        """The numbers that fill their field."""
        return [one.figure.numbers[0] for fields in self._fields for one in fields][:MOST_OPERANDS]

    def _arguments(self, place: int) -> list[Decimal]:
        """Return the numbers among the arguments of a result's call."""
        values = (self._index.values[n] for n in self._index.of_piece[place][:MOST_OPERANDS])
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
                yield [one.numbers[0] for one in figures if is_operand(one) and not is_year(one)]

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
            # an object inside a record may be about something else, such as the next delivery
            objects: dict[object, list[EvidenceValue]] = defaultdict(list)
            for one in fields:
                objects[one.steps[:-1]].append(one)
            for record in (*_by_record(fields).values(), *objects.values()):
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


def sum_neighbours(numbers: Sequence[Decimal]) -> Iterator[Decimal]:
    """Yield sums of neighbours: of two, of three, up to all."""
    numbers = numbers[:_MOST_RUN]
    for start in range(len(numbers)):
        yield from [*accumulate(numbers[start:])][1:]


def is_operand(value: Figure) -> bool:
    return value.kind in SUMS and not value.soft and value.unit not in (NTH, "%")
