"""Whether a number follows from figures of the same reply and the newest result."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from decimal import Decimal
from itertools import chain, combinations, islice

from abs_shield.answer.checks.columns import (
    FEW,
    ZERO,
    alone,
    among,
    columns,
    differences,
    lists_of,
    priced,
    runs,
    total,
)
from abs_shield.answer.checks.cues import Wording
from abs_shield.answer.checks.moments import LENGTHS, Later
from abs_shield.answer.evidence.value_index import ValueIndex
from abs_shield.text.values.figure import DATE, MONEY, NUMBER, SUMS, TIME, Figure, near
from abs_shield.text.values.numbers import NTH

_MOST = 48
"""Figures of a kind that are reckoned with."""
_COUNTS = range(2, 13)
_FEWEST = 12
_MOST_RATES = 8
_MOST_COLUMNS = 200
_MOST_ROUNDS = 3
_HUNDRED = Decimal(100)
_MONTHS = 12


class Reckoned:
    """
    What follows from the figures of a reply that the evidence has, and from the newest result.

    What follows may be reckoned with again: a total of totals.

    Args:
        found: Figures of the reply that stand in the evidence.
        said: All figures of the reply.
        known: The evidence.
        says: What the reply says of how its figures were come by.
    """

    def __init__(
        self, found: Sequence[Figure], said: Sequence[Figure], known: ValueIndex, *, says: Wording
    ) -> None:
        place = known.newest
        there = [known.stands[n] for n in known.of_piece[place]] if place >= 0 else []
        newest = known.numbers_of(place)[:_MOST] if place >= 0 else []
        self._says = says
        self._later = Later(found, said, known, weekdays=says.weekdays)
        self._own = [one.numbers[0] for one in found if _reckons(one)][:_MOST]
        self._rates = _rates([*found, *(stand.figure for stand in newest)])
        self._columns = [*columns(there)][:_MOST_COLUMNS]
        self._lists = lists_of(known)
        self._counts = _counts(said, self._lists, shared=says.shared)
        self._once = [*total(there), *priced(there), *(differences(there) if says.remains else ())]
        if says.monthly:
            yearly = [stand.figure.numbers[0] for stand in alone(there)][:_MOST]
            self._once += [value / _MONTHS for value in (*self._own, *yearly)]
        self._sums: list[Decimal] = []
        self._reckon(said, {id(one) for one in found})

    def _reckon(self, said: Sequence[Figure], known: set[int]) -> None:
        """Take in what follows, as long as something more does."""
        for _ in range(_MOST_ROUNDS):
            self._sums = sorted({abs(value) for value in self._all_sums()})
            fresh = (one for one in said if id(one) not in known and _reckons(one))
            room = max(0, _MOST - len(self._own))  # sums are made of pairs of these
            more = [*islice(filter(self.gives, fresh), room)]
            if not more:
                return
            known.update(map(id, more))
            self._own += [one.numbers[0] for one in more]

    def gives(self, figure: Figure, *, line: tuple[int, int] = (0, 0)) -> bool:
        """
        Whether *figure* is a sum, difference, multiple, share, count or length of these.

        A day or a time may lie as far from a known one as its *line*, or the user, says.
        """
        if figure.kind in (DATE, TIME):
            return self._later.gives(figure, *line)
        if figure.kind not in SUMS:
            return False
        if any(among(self._sums, abs(value), step) for value, step in figure.readings):
            return True
        if figure.unit == "%":
            return self._is_share(figure)
        whole = figure.numbers[0]
        if figure.kind == MONEY:
            return False
        if whole == whole.to_integral_value():
            counted = whole in self._lists or whole == self._says.items
            return counted or (figure.unit in LENGTHS and self._later.is_length(figure))
        return any(near(whole, 1 + rate / _HUNDRED, figure.step) for rate in self._rates)

    def _all_sums(self) -> Iterator[Decimal]:
        """Sums of neighbours, differences, multiples and parts."""
        few = [column for column in self._columns if len(column) <= FEW]
        singles = [*self._own, *(value for column in few for value in column)]
        sums = [*runs(self._own), *(sum(column, ZERO) for column in self._columns)]
        sums += [value for column in few for value in runs(column)]
        yield from (*sums, *self._once)
        for one, other in combinations(self._own, 2):
            yield from (one + other, one - other)
        for column in few:
            yield from (one - other for one, other in combinations(column, 2))
        if self._says.multiplied:
            yield from (value * count for value in (*singles, *sums) for count in self._counts)
        if self._says.shared:
            parts = (*self._counts, *sorted(self._lists)[:_FEWEST])
            yield from (value / n for value in (*self._own, *sums) for n in parts if n)
        for value, rate in ((v, r) for v in (*singles, *sums) for r in self._rates):
            part = value * rate / _HUNDRED
            yield from (part, value + part, value - part, value / (1 + rate / _HUNDRED))

    def _is_share(self, figure: Figure) -> bool:
        few = [column for column in self._columns if len(column) <= FEW]
        some_pairs = ((a, b) for some in (self._own, *few) for a in some for b in some if b)
        pairs = chain(self._says.parts, some_pairs)
        said = figure.numbers[0]
        return any(
            near(said, a / b * _HUNDRED, figure.step)
            or near(said, (a - b) / b * _HUNDRED, figure.step)
            for a, b in pairs
        )


def _reckons(figure: Figure) -> bool:
    return figure.kind in SUMS and not figure.soft and figure.unit not in (NTH, "%")


def _rates(figures: Sequence[Figure]) -> list[Decimal]:
    rates = (one.numbers[0] for one in figures if one.unit == "%")
    return [rate for rate in rates if rate > 0][:_MOST_RATES]


def _counts(said: Sequence[Figure], lists: frozenset[int], *, shared: bool) -> list[int]:
    """By how much something may be multiplied or shared: counts that are said, and lengths."""
    numbers = [one for one in said if one.kind == NUMBER and one.unit not in (NTH, "%")]
    counts = {int(n) for one in numbers for n in one.numbers if n in _COUNTS}
    return sorted(counts | {n for n in lists if n in _COUNTS} | ({2} if shared else set()))
