"""Whether a number follows from figures of the same reply and the newest result."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import date, timedelta
from decimal import Decimal
from itertools import accumulate, combinations, islice

from abs_shield.answer.evidence import Source
from abs_shield.answer.figure import DATE, MONEY, SUMS, TIME, Day, Figure, Minute, near, same
from abs_shield.answer.known import Known
from abs_shield.answer.read_numbers import NTH
from abs_shield.answer.records import Steps, blocks, walked
from abs_shield.answer.stand import Stand, names_money

_MOST = 48
"""Figures of a kind that are reckoned with."""
_COUNTS = range(2, 13)
_SLACK = Decimal("1e-9")
_FEW = 4
_FEWEST = 12
_MOST_RUN = 24
_MOST_READ = 2_000
_MOST_RATES = 8
_MOST_COLUMNS = 200
_MOST_ROUNDS = 3
_LENGTHS = frozenset(
    "hour hours hr hrs minute minutes min mins day days night nights week weeks".split()
)
_HUNDRED = Decimal(100)
ZERO = Decimal(0)
_LEAP = 2024
_FORTNIGHT = 14


class Reckoned:
    """
    What follows from the figures of a reply that the evidence has, and from the newest result.

    What follows may be reckoned with again: a total of totals.

    Args:
        found: Figures of the reply that stand in the evidence.
        said: All figures of the reply.
        known: The evidence.
        items: How many items the reply lists.
        shared: Whether the reply speaks of halves and shares.
        multiplied: Whether it speaks of something that there is several times.
        remains: Whether it speaks of what is left, or of a difference.
        monthly: Whether it speaks of what is paid or used by the month.
        weekdays: Days of the week that it names, Monday as 0.
    """

    def __init__(
        self,
        found: Sequence[Figure],
        said: Sequence[Figure],
        known: Known,
        *,
        items: int = 0,
        shared: bool = False,
        multiplied: bool = False,
        remains: bool = False,
        monthly: bool = False,
        weekdays: frozenset[int] = frozenset(),
    ) -> None:
        place = known.newest
        newest = known.numbers_of(place) if place >= 0 else []
        there = [known.stands[n] for n in known.of_piece[place]] if place >= 0 else []
        system = [s for s in known.stands[:_MOST_READ] if s.source is Source.SYSTEM]
        self._own = [one.numbers[0] for one in found if _reckons(one)][:_MOST]
        both = (*found, *(stand.figure for stand in newest[:_MOST]))
        rates = (one.numbers[0] for one in both if one.unit == "%")
        self._rates = [rate for rate in rates if rate > 0][:_MOST_RATES]
        self._columns = [*_columns(there)][:_MOST_COLUMNS]
        self._whole = _total(there)
        self._pairs = [*_pairs(there)] if remains else []
        self._lists = _lists(known)
        counts = {int(n) for one in said if one.unit != NTH for n in one.numbers if n in _COUNTS}
        counts.update({2} if shared else ())
        self._shared, self._multiplied = shared, multiplied
        self._year = [one.numbers[0] for one in found if _reckons(one)] if monthly else []
        self._year += [s.figure.numbers[0] for s in _alone(there) if monthly][:_MOST]
        self._counts = sorted(counts | {n for n in self._lists if n in _COUNTS})
        moments = (*found, *(stand.figure for stand in (*there[:_MOST_READ], *system)))
        self._moments = [one for one in moments if one.kind in (DATE, TIME)][:_MOST]
        self._told = [one for one in found if one.kind in (DATE, TIME)][:_MOST]
        asked = (stand.figure for stand in known.asked)
        self._said = [one for one in said if one.unit in _LENGTHS]
        self._asked = [one for one in asked if one.unit in _LENGTHS][:_MOST_RATES]
        self._items = items
        self._weekdays = weekdays
        self._days = [day for one in self._moments for day in _dates(one, None)]
        self._sums: list[Decimal] = []
        self._reckon(said, {id(one) for one in found})

    def _reckon(self, said: Sequence[Figure], known: set[int]) -> None:
        """Take in what follows, as long as something more does."""
        for _ in range(_MOST_ROUNDS):
            self._sums = sorted({abs(value) for value in self._all_sums()})
            fresh = [one for one in said if id(one) not in known and _reckons(one)]
            more = [one for one in fresh if len(self._own) < _MOST and self.gives(one)]
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
            return self._is_later(figure, *line)
        if figure.kind not in SUMS:
            return False
        if any(_among(self._sums, abs(value), step) for value, step in figure.readings):
            return True
        if figure.unit == "%":
            return self._is_share(figure)
        whole = figure.numbers[0]
        if whole == whole.to_integral_value() and figure.kind != MONEY:
            counted = whole in self._lists or whole == self._items
            return counted or (figure.unit in _LENGTHS and self._is_length(figure))
        factors = (1 + rate / _HUNDRED for rate in self._rates if figure.kind != MONEY)
        return any(near(whole, factor, figure.step) for factor in factors)

    def _all_sums(self) -> Iterator[Decimal]:
        """Sums of neighbours, differences, multiples and parts."""
        sums = [*_runs(self._own)]
        singles = list(self._own)
        for column in self._columns:
            sums.append(sum(column, ZERO))
            if len(column) <= _FEW:
                sums += _runs(column)
                singles += column
        yield from sums
        yield from (*self._whole, *self._pairs, *(value / 12 for value in self._year))
        for one, other in combinations(self._own, 2):
            yield one + other
            yield one - other
        for column in self._columns:
            if len(column) <= _FEW:
                yield from (one - other for one, other in combinations(column, 2))
        for value in [*singles, *sums] if self._multiplied else ():
            for count in self._counts:
                yield value * count
        for value in [*self._own, *sums] if self._shared else ():
            yield from (
                value / count for count in (*self._counts, *sorted(self._lists)[:_FEWEST]) if count
            )
        for value, rate in ((v, r) for v in [*singles, *sums] for r in self._rates):
            part = value * rate / _HUNDRED
            yield from (part, value + part, value - part, value / (1 + rate / _HUNDRED))

    def _is_later(self, figure: Figure, start: int, end: int) -> bool:
        """Whether a day or a time lies a length that is said before or behind a known one."""
        near_by = [one for one in self._said if start <= one.start < end]
        if _lies(figure, self._told, [*near_by, *self._asked]):
            return True
        if figure.kind == TIME and figure.text.startswith("0"):  # a length, as a clock shows it
            pairs = combinations((m for m in self._told if m.kind == TIME), 2)
            return _as_clock(self._said) == figure.value or any(
                _apart(*pair) == figure.value for pair in pairs
            )
        return any(
            abs((day - near_by).days) <= _FORTNIGHT
            for near_by in self._days
            for day in _dates(figure, near_by.year)
            if day.weekday() in self._weekdays
        )

    def _is_share(self, figure: Figure) -> bool:
        few = [column for column in self._columns if len(column) <= _FEW]
        pairs = ((a, b) for some in (self._own, *few) for a in some for b in some if b)
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


def _lies(figure: Figure, moments: Sequence[Figure], spans: Sequence[Figure]) -> bool:
    """Whether a moment lies a length before or behind one of some."""
    pairs = ((moment, span) for moment in moments for span in spans)
    return any(same(figure, moved) for pair in pairs for moved in _moved(*pair))


def _runs(values: Sequence[Decimal]) -> Iterator[Decimal]:
    """Sums of neighbours: of two, of three, up to all."""
    values = values[:_MOST_RUN]
    for start in range(len(values)):
        yield from [*accumulate(values[start:])][1:]


def _among(values: list[Decimal], value: Decimal, step: Decimal) -> bool:
    reach = step / 2 + _SLACK
    place = bisect_left(values, value - reach)
    return place < len(values) and values[place] <= value + reach


def _columns(stands: Iterable[Stand]) -> Iterator[list[Decimal]]:
    """The numbers of a result that stand alone under one name, each of its lists by itself."""
    columns: dict[object, list[Decimal]] = defaultdict(list)
    for stand in _alone(stands):
        value = stand.figure.numbers[0]
        names = tuple(step if type(step) is str else "" for step in stand.steps)
        columns[names].append(value)
        above = next(
            (n for n in range(len(stand.steps), 0, -1) if type(stand.steps[n - 1]) is not str), 0
        )
        if above:
            columns[stand.steps[: above - 1], stand.field].append(value)
    seen: set[tuple[Decimal, ...]] = set()
    for column in columns.values():
        if len(column) > 1 and tuple(column) not in seen:
            seen.add(tuple(column))
            yield column


def _alone(stands: Iterable[Stand]) -> Iterator[Stand]:
    """The numbers that are all that their field says; not those of running text."""
    fields: dict[object, list[Stand]] = defaultdict(list)
    for stand in stands:
        fields[stand.steps, stand.field].append(stand)
    for field in fields.values():
        if len(field) == 1 and field[0].sum:
            yield field[0]


def _total(stands: Iterable[Stand]) -> list[Decimal]:
    """All amounts of a result in one sum; nothing where one is none, or there are many."""
    amounts = [stand.figure.numbers[0] for stand in _alone(stands) if names_money(stand.field)]
    return [sum(amounts, ZERO)] if 1 < len(amounts) <= _MOST_RUN else []


def _pairs(stands: Iterable[Stand]) -> Iterator[Decimal]:
    """The differences of the numbers of one record: what is left of what there was."""
    records: dict[object, list[Decimal]] = defaultdict(list)
    for stand in islice(_alone(stands), _MOST_READ):
        records[_record(stand.steps)].append(stand.figure.numbers[0])
    for record in records.values():
        if len(record) <= _FEW:
            yield from (one - other for one, other in combinations(record, 2))


def _record(steps: Steps) -> Steps:
    """The way to the record in which a value stands."""
    return steps[: next((n for n in range(len(steps), 0, -1) if type(steps[n - 1]) is not str), 0)]


def _lists(known: Known) -> frozenset[int]:
    """How long the lists of the newest result are, and how often its fields have one value."""
    value = known.pieces[known.newest].value if known.newest >= 0 else None
    if not isinstance(value, (dict, list)):
        text = known.pieces[known.newest].text if known.newest >= 0 else ""
        return frozenset({len(blocks(text))} - {0})
    sizes: dict[object, set[object]] = defaultdict(set)
    equal: dict[object, int] = defaultdict(int)
    for leaf in walked(value):
        for n, step in enumerate(leaf.steps):
            if type(step) is not str:
                sizes[leaf.steps[:n]].add(step)
        if isinstance(leaf.value, (str, bool)) and leaf.field:
            equal[leaf.field, leaf.value] += 1
    return frozenset(
        {len(steps) for steps in sizes.values()} | {n for n in equal.values() if n > 1}
    )


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


def _reckons(figure: Figure) -> bool:
    return figure.kind in SUMS and not figure.soft and figure.unit not in (NTH, "%")


def _moved(moment: Figure, span: Figure) -> Iterator[Figure]:
    """A moment, a length later and earlier."""
    value, length = moment.value, int(span.numbers[0])
    for sign in (1, -1):
        match value:
            case Minute(minutes=at) if span.unit[0] in "hm":
                minutes = at + sign * length * (60 if span.unit[0] == "h" else 1)
                yield replace(moment, values=(Minute(minutes % 1440, value.half),))
            case Day(year=year, month=month, day=int(day)) if span.unit[0] in "dnw":
                days = length * (7 if span.unit[0] == "w" else 1)
                try:
                    there = date(year or _LEAP, month, day) + timedelta(days=sign * days)
                except (ValueError, OverflowError):
                    continue
                yield replace(moment, values=(Day(year and there.year, there.month, there.day),))


def _apart(one: Figure, other: Figure) -> Minute | None:
    """How far two times of a day are from each other, as a clock shows it."""
    match one.value, other.value:
        case Minute(minutes=start), Minute(minutes=end):
            return Minute(abs(end - start), whole=True)
    return None


def _as_clock(spans: Iterable[Figure]) -> Minute | None:
    """Hours and minutes that are said, as a clock shows them."""
    lengths = {span.unit[0]: int(span.numbers[0]) for span in spans if span.unit[0] in "hm"}
    minutes = 60 * lengths.get("h", 0) + lengths.get("m", 0)
    return Minute(minutes, whole=True) if lengths else None


def _dates(figure: Figure, year: int | None) -> Iterator[date]:
    """The days that a figure can mean, in *year* where it names none."""
    for value in figure.values:
        if isinstance(value, Day) and value.day is not None and (value.year or year):
            try:
                yield date(value.year or year or _LEAP, value.month, value.day)
            except ValueError:
                continue
