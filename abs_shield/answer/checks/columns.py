"""The numbers of the newest result: its columns, its records, its lists, and their sums."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal
from itertools import accumulate, combinations, islice

from abs_shield.answer.evidence.records import Steps, blocks, walked
from abs_shield.answer.evidence.value_index import ValueIndex
from abs_shield.answer.evidence.values import EvidenceValue, counts_pieces, names_money

FEW = 4
"""Numbers of which any may be reckoned with, and not only all."""
MOST_READ = 2_000
ZERO = Decimal(0)

_MOST_RUN = 24
_SLACK = Decimal("1e-9")


def alone(stands: Iterable[EvidenceValue]) -> Iterator[EvidenceValue]:
    """The numbers that are all that their field says; not those of running text."""
    fields: dict[object, list[EvidenceValue]] = defaultdict(list)
    for stand in stands:
        fields[stand.steps, stand.field].append(stand)
    for field in fields.values():
        if len(field) == 1 and field[0].sum:
            yield field[0]


def columns(stands: Iterable[EvidenceValue]) -> Iterator[list[Decimal]]:
    """The numbers of a result that stand alone under one name, each of its lists by itself."""
    found: dict[object, list[Decimal]] = defaultdict(list)
    for stand in alone(stands):
        value = stand.figure.numbers[0]
        names = tuple(step if type(step) is str else "" for step in stand.steps)
        found[names].append(value)
        above = next(
            (n for n in range(len(stand.steps), 0, -1) if type(stand.steps[n - 1]) is not str), 0
        )
        if above:
            found[stand.steps[: above - 1], stand.field].append(value)
    seen: set[tuple[Decimal, ...]] = set()
    for column in found.values():
        if len(column) > 1 and tuple(column) not in seen:
            seen.add(tuple(column))
            yield column


def total(stands: Iterable[EvidenceValue]) -> list[Decimal]:
    """All amounts of a result in one sum; nothing where one is none, or there are many."""
    amounts = [stand.figure.numbers[0] for stand in alone(stands) if names_money(stand.field)]
    return [sum(amounts, ZERO)] if 1 < len(amounts) <= _MOST_RUN else []


def priced(stands: Iterable[EvidenceValue]) -> Iterator[Decimal]:
    """How many times what each costs, of every record that tells both; and these of each list."""
    records: dict[Steps, list[EvidenceValue]] = defaultdict(list)
    for stand in islice(alone(stands), MOST_READ):
        records[_record(stand.steps)].append(stand)
    lists: dict[tuple[Steps, str], list[Decimal]] = defaultdict(list)
    for steps, record in records.items():
        counts = [one for one in record if counts_pieces(one.field)][:1]
        for count, price in ((c, p) for c in counts for p in record if names_money(p.field)):
            worth = count.figure.numbers[0] * price.figure.numbers[0]
            lists[steps[:-1], price.field].append(worth)
    for worths in lists.values():
        if len(worths) <= _MOST_RUN:
            yield from (*worths, sum(worths, ZERO))


def differences(stands: Iterable[EvidenceValue]) -> Iterator[Decimal]:
    """The differences of the numbers of one record: what is left of what there was."""
    records: dict[object, list[Decimal]] = defaultdict(list)
    for stand in islice(alone(stands), MOST_READ):
        records[_record(stand.steps)].append(stand.figure.numbers[0])
    for record in records.values():
        if len(record) <= FEW:
            yield from (one - other for one, other in combinations(record, 2))


def _record(steps: Steps) -> Steps:
    """The way to the record in which a value stands."""
    return steps[: next((n for n in range(len(steps), 0, -1) if type(steps[n - 1]) is not str), 0)]


def runs(values: Sequence[Decimal]) -> Iterator[Decimal]:
    """Sums of neighbours: of two, of three, up to all."""
    values = values[:_MOST_RUN]
    for start in range(len(values)):
        yield from [*accumulate(values[start:])][1:]


def among(values: list[Decimal], value: Decimal, step: Decimal) -> bool:
    reach = step / 2 + _SLACK
    place = bisect_left(values, value - reach)
    return place < len(values) and values[place] <= value + reach


def lists_of(known: ValueIndex) -> frozenset[int]:
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
