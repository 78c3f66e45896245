"""Whether a number follows from figures of the same reply and the newest result."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal
from itertools import accumulate, combinations

from abs_shield.answer.figure import DATE, SUMS, TIME, Day, Figure, Minute, near
from abs_shield.answer.known import Known, Stand
from abs_shield.answer.records import Leaf, walked

_MOST = 48
"""Figures of a kind that are reckoned with."""
_COUNTS = range(2, 13)
_SLACK = Decimal("1e-9")
_LENGTHS = frozenset("hour hours hr hrs minute minutes min mins day days night nights week weeks".split())
_HUNDRED = Decimal(100)
ZERO = Decimal(0)


class Reckoned:
    """
    What follows from the figures of a reply that the evidence has, and from the newest result.

    Args:
        found: Figures of the reply that stand in the evidence.
        said: All figures of the reply.
        known: The evidence.
        items: How many items the reply lists.
    """

    def __init__(
        self, found: Sequence[Figure], said: Sequence[Figure], known: Known, *, items: int = 0
    ) -> None:
        newest = known.numbers_of(known.newest) if known.newest >= 0 else []
        self._own = [one.numbers[0] for one in found if one.kind in SUMS and one.numbers][:_MOST]
        self._rates = [
            one.numbers[0] for one in (*found, *(s.figure for s in newest[:_MOST])) if one.unit == "%"
        ]
        self._columns = [*_columns(newest)]
        self._lists = _lists(known)
        counts = {int(n) for one in said for n in one.numbers if n in _COUNTS}
        self._counts = sorted(counts | {n for n in self._lists if n in _COUNTS})
        self._moments = [one for one in found if one.kind in (DATE, TIME)][:_MOST]
        self._moments += [
            known.stands[n].figure
            for n in (known.of_piece[known.newest] if known.newest >= 0 else ())
            if known.stands[n].figure.kind in (DATE, TIME)
        ][:_MOST]
        self._items = items
        self._sums = sorted({abs(value) for value in self._all_sums()})

    def gives(self, figure: Figure) -> bool:
        """Whether *figure* is a sum, difference, multiple, share, count or length of these."""
        if figure.kind not in SUMS:
            return False
        if any(_among(self._sums, abs(value), figure.step) for value in figure.numbers):
            return True
        if figure.unit == "%":
            return self._is_share(figure)
        whole = figure.numbers[0]
        if whole == whole.to_integral_value() and figure.kind != "money":
            counted = whole in self._lists or whole == self._items
            return counted or (figure.unit in _LENGTHS and self._is_length(figure))
        return False

    def _all_sums(self) -> Iterator[Decimal]:
        """Sums of neighbours, differences and multiples."""
        sums = [*_runs(self._own)]
        for column in self._columns:
            sums += [sum(column, ZERO), *_runs(column[:_MOST // 4])]
        yield from sums
        pairs = [self._own, *(column[:_MOST] for column in self._columns)]
        for column in pairs:
            for one, other in combinations(column, 2):
                yield one + other
                yield one - other
        for value in [*self._own, *sums]:
            yield from (value * count for count in self._counts)
            for rate in self._rates:
                part = value * rate / _HUNDRED
                yield from (part, value + part, value - part)

    def _is_share(self, figure: Figure) -> bool:
        pairs = ((a, b) for a in self._own for b in self._own if b)
        said = figure.numbers[0]
        return any(
            near(said, a / b * _HUNDRED, figure.step)
            or near(said, (a - b) / b * _HUNDRED, figure.step)
            for a, b in pairs
        )

    def _is_length(self, figure: Figure) -> bool:
        said = figure.numbers[0]
        return any(
            near(said, length, figure.step)
            for one, other in combinations(self._moments, 2)
            for length in _lengths(one, other, figure.unit)
        )


def _runs(values: Sequence[Decimal]) -> Iterator[Decimal]:
    """Sums of neighbours: of two, of three, up to all."""
    values = values[:_MOST]
    for start in range(len(values)):
        yield from [*accumulate(values[start:])][1:]


def _among(values: list[Decimal], value: Decimal, step: Decimal) -> bool:
    reach = step / 2 + _SLACK
    place = bisect_left(values, value - reach)
    return place < len(values) and values[place] <= value + reach


def _columns(stands: Iterable[Stand]) -> Iterator[list[Decimal]]:
    """The numbers of a result that stand under one name, each of its lists by itself."""
    columns: dict[object, list[Decimal]] = defaultdict(list)
    for stand in stands:
        value = stand.figure.numbers[0]
        names = tuple(step if type(step) is str else "" for step in stand.steps)
        columns[names].append(value)
        above = next((n for n in range(len(stand.steps), 0, -1) if type(stand.steps[n - 1]) is not str), 0)
        if above:
            columns[stand.steps[: above - 1], stand.field].append(value)
    seen: set[tuple[Decimal, ...]] = set()
    for column in columns.values():
        if len(column) > 1 and tuple(column) not in seen:
            seen.add(tuple(column))
            yield column


def _lists(known: Known) -> frozenset[int]:
    """How long the lists of the newest result are, and how often its fields have one value."""
    value = known.pieces[known.newest].value if known.newest >= 0 else None
    if not isinstance(value, (dict, list)):
        from abs_shield.answer.records import blocks

        text = known.pieces[known.newest].text if known.newest >= 0 else ""
        return frozenset({len(blocks(text))} - {0})
    sizes: dict[object, set[object]] = defaultdict(set)
    equal: dict[object, int] = defaultdict(int)
    for leaf in walked(value):
        for n, step in enumerate(leaf.steps):
            if type(step) is not str:
                sizes[leaf.steps[:n]].add(step)
        if isinstance(leaf.value, (str, bool)) and isinstance(leaf, Leaf) and leaf.field:
            equal[leaf.field, leaf.value] += 1
    return frozenset({len(steps) for steps in sizes.values()} | {n for n in equal.values() if n > 1})


def _lengths(one: Figure, other: Figure, unit: str) -> Iterator[Decimal]:
    match one.value, other.value:
        case Minute(minutes=start), Minute(minutes=end):
            between = Decimal(abs(end - start))
            if unit.startswith("h"):
                yield from (between / 60, between // 60, 24 - between / 60)
            elif unit.startswith("m"):
                yield from (between, between % 60)
        case Day(month=month, day=int(start)), Day(month=other_month, day=int(end)):
            if month == other_month and unit[0] in "dn":
                yield from (Decimal(abs(end - start)), Decimal(abs(end - start) + 1))
            elif month == other_month and unit.startswith("w"):
                yield Decimal(abs(end - start)) / 7
