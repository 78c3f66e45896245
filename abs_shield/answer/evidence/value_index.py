"""Index of the values of some evidence, by meaning and by the record they belong to."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterator, Sequence
from decimal import Decimal
from functools import cached_property
from itertools import islice
from operator import itemgetter
from typing import Any

from abs_shield.answer.evidence.declared_units import DeclaredUnits
from abs_shield.answer.evidence.evidence_passages import Evidence, Passage, PassageSource
from abs_shield.answer.evidence.evidence_value import (
    EvidenceValue,
    KeyPlace,
    date_keys_of,
    figures_of,
    id_keys_of,
    keys_of,
)  # fmt: skip
from abs_shield.answer.evidence.id_texts import IdTexts
from abs_shield.answer.evidence.record_names import RecordNames
from abs_shield.answer.evidence.record_paths import Leaf, Steps, is_foreign, record_of, walk
from abs_shield.answer.evidence.record_values import RecordValues
from abs_shield.answer.evidence.text_rows import PROSE, rows
from abs_shield.text.values.figure import (
    ID,
    MONEY,
    NUMBER,
    SUMS,
    TIME,
    Figure,
    Minute,
    figures_agree,
)
from abs_shield.text.values.figure_reader import figures, on_24_hour_clock
from abs_shield.text.values.units import converted_units, lengths_in

MOST_PLACES = 500
"""Occurrences of one value that are read."""
_MOST_CACHED = 1_000  # answers repeat values; more distinct ones are only looked up once
_MOST_IDS = 40
"""Values of a record, and places of its id, that are read for the same record elsewhere."""
_MOST_PERIODS = 20
"""Records with one time that are read."""
_NEAR_TIMES = 60
"""Characters around a time in a text in which the other end of its period may stand."""
_LEAST_BROKEN = 8  # shorter texts without blanks occur by chance in the running letters of others
_LEAST_GROUPED = 1_000  # smaller numbers have no groups
_BLANK = re.compile(r"\s+")
_SLACK = Decimal("1e-9")  # quotients of `Decimal` are rounded
_CODE = re.compile(r"\b[A-Za-z]+(?:_[A-Za-z0-9]+)+")
"""A code in a text, such as the reason of an error."""
_WORDS_OF_CODE = re.compile(r"[A-Za-z]\w{2,59}")


class ValueIndex:
    """
    The values of some evidence, indexed once in linear time.

    Args:
        evidence: The evidence.
    """

    def __init__(self, evidence: Evidence) -> None:
        self.pieces = evidence.pieces
        self.values: list[EvidenceValue] = []
        self.of_piece: list[range] = []
        self.ids: dict[str, list[KeyPlace]] = defaultdict(list)
        self.names = RecordNames()
        self.units = DeclaredUnits()
        self.records = RecordValues()
        self._by_key: dict[Any, list[int]] = defaultdict(list)
        self._find_cache: dict[Any, tuple[EvidenceValue, ...]] = {}
        self._tables: set[int] = set()
        self._other_places: dict[tuple[int, Steps], list[KeyPlace]] = {}
        for place, piece in enumerate(self.pieces):
            first = len(self.values)
            self._read(place, piece)
            self.of_piece.append(range(first, len(self.values)))
        # calls whose results are not recorded: their arguments were seen all the same
        for action in evidence.executed or ():
            self._read_arguments(-1, action.arguments)
        numbers = [
            (abs(number), n) for n, one in enumerate(self.values) for number in one.figure.numbers
        ]
        numbers.sort(key=itemgetter(0))  # sorted for `bisect`: a value is near others, not equal
        self._numbers = [number for number, _ in numbers]
        self._owners = [owner for _, owner in numbers]

    # Reading -------------------------------------------------------------------------------------

    def _read(self, place: int, piece: Passage) -> None:
        if piece.arguments is not None:
            self._read_arguments(place, piece.arguments)
        if isinstance(piece.value, (dict, list)):
            fields: set[str] = set()
            for leaf in walk(piece.value):
                self._read_leaf(place, piece.source, leaf)
                for name in _names_beside(leaf, fields):
                    self._read_name(place, piece.source, name, leaf.steps, leaf.field)
        else:
            self._read_text(place, piece)

    def _read_arguments(self, place: int, arguments: Any) -> None:
        for leaf in walk(arguments):
            for figure in figures_of(leaf):
                steps = ("", *leaf.steps)
                # with an empty step, so that an argument is in no record of the result
                self._add(
                    EvidenceValue(place, PassageSource.TOOL_RESULT, steps, leaf.field, figure, True)
                )

    def _read_leaf(self, place: int, source: PassageSource, leaf: Leaf) -> None:
        for figure in figures_of(leaf):
            self._add(EvidenceValue(place, source, leaf.steps, leaf.field, figure))
        if isinstance(leaf.value, str) and source is PassageSource.TOOL_RESULT:
            self.names.add(leaf.value, KeyPlace(place, leaf.steps))
            self.records.add_text(place, leaf.steps, leaf.value)
            self.units.add(place, leaf)

    def _read_name(
        self, place: int, source: PassageSource, name: str, steps: Steps = (), field: str = ""
    ) -> None:
        """Read the durations in a name: ``faults_30d`` has the faults of 30 days."""
        for number, unit in lengths_in(name):
            figure = Figure(NUMBER, number, 0, len(number), (Decimal(number),), unit=unit)
            self._add(EvidenceValue(place, source, steps, field, figure))

    def _read_text(self, place: int, piece: Passage) -> None:
        table = rows(piece.text) if piece.source is PassageSource.TOOL_RESULT else PROSE
        if table.is_table:
            self._tables.add(place)
        has_fields = bool(table.columns) or ":" in piece.text or "=" in piece.text
        steps: Steps = ()
        for figure in on_24_hour_clock(figures(piece.text)):
            row = table.row(figure.start)
            if table.starts and steps != (row,):
                steps = (row,)  # one tuple for all values of a record
            field = table.field(piece.text, figure.start) if has_fields else ""
            self._add(EvidenceValue(place, piece.source, steps, field, figure))
        for code in islice(_CODE.finditer(piece.text), MOST_PLACES):
            self._read_name(place, piece.source, code[0])
        ends = [*table.starts[1:], len(piece.text)]
        for n, (start, end) in enumerate(zip(table.starts, ends, strict=bool(table.starts)), 1):
            self.records.add_text(place, (n,), piece.text[start:end])
            for name in table.names[n - 1]:
                self.names.add(name, KeyPlace(place, (n,)))

    def _add(self, one: EvidenceValue) -> None:
        n = len(self.values)
        self.values.append(one)
        ids = [*id_keys_of(one.figure)]
        for key in (*ids, *date_keys_of(one.figure)):
            self._by_key[key].append(n)
        if not one.is_result:
            return
        if ids:
            place = KeyPlace(one.piece, one.steps)
            for name in ids:
                self.ids[name].append(place)
        self.records.add(one)

    # Values --------------------------------------------------------------------------------------

    def find(self, value: Figure) -> tuple[EvidenceValue, ...]:
        """Return the places of an answer's value in the evidence, at most 500."""
        key = value.kind, value.values, value.step, value.unit
        matches = self._find_cache.get(key)
        if matches is None:
            if len(self._find_cache) >= _MOST_CACHED:
                # cleared whole, which is simpler than dropping the oldest and rare
                self._find_cache.clear()
            matches = self._find_cache[key] = tuple(self._matches(value))
        return matches

    def _matches(self, value: Figure) -> Iterator[EvidenceValue]:
        tried: set[int] = set()
        for n in islice(self._candidates(value), MOST_PLACES):
            if n not in tried:
                tried.add(n)
                one = self.values[n]
                # ids are equal by their key; other kinds share keys and must agree
                alike = ID in (value.kind, one.figure.kind) or figures_agree(value, one.figure)
                if alike and (value.kind != MONEY or one.is_money):
                    yield one
        for n in islice(self._convert_units(value), MOST_PLACES):
            if n not in tried:
                tried.add(n)
                yield self.values[n]

    def _candidates(self, value: Figure) -> Iterator[int]:
        if value.kind in SUMS:
            for number, step in value.readings:
                yield from self._near(number, step)
        elif value.text[:1] == "#" and value.text[1:].isdigit():  # "PR #318" of ``number: 318``
            yield from self._near(Decimal(value.text[1:]), Decimal(0))
        for key in (value.value,) if value.kind == ID else keys_of(value):
            yield from self._by_key.get(key, ())

    def _convert_units(self, value: Figure) -> Iterator[int]:
        """Yield values that equal *value* in another unit: grams for kilograms."""
        for number, step, unit in converted_units(value) if value.kind in SUMS else ():
            for n in self._near(number, step):
                if unit in self.units.units_of(self.values[n]):
                    yield n

    def _near(self, number: Decimal, step: Decimal) -> Iterator[int]:
        reach = step / 2 + _SLACK
        # by absolute values: signs are compared by another check
        low = bisect_left(self._numbers, abs(number) - reach)
        high = bisect_right(self._numbers, abs(number) + reach)
        return islice(self._owners, low, min(high, low + MOST_PLACES))

    def numbers_of(self, piece: int) -> list[EvidenceValue]:
        """Return the numbers of a passage, in order."""
        places = self.of_piece[piece]
        return [one for one in self.values[places.start : places.stop] if one.is_sum]

    def is_prose(self, one: EvidenceValue) -> bool:
        """Return whether a value is in running text, without a field that says what it counts."""
        return not (self.pieces[one.piece].lines or one.piece in self._tables)

    def ends_period(self, value: Figure, other: Figure) -> bool:
        """
        Return whether a record with a time has an earlier one, and nothing has it with *other*.

        Other records that have the time, without *other*, prove nothing.
        """
        places = self.find(value)[:_MOST_PERIODS]
        return any(self._has_earlier_time(one) for one in places) and not any(
            self._has_both(one, other) for one in places
        )

    def _times_beside(self, one: EvidenceValue) -> list[Figure]:
        """Return the times of a value's record; of its line, if it is in a text."""
        if one.steps:
            record = self.records.inside(one.piece, one.steps)
            return [each.figure for each in record if each.figure.kind == TIME]
        if one.piece < 0:
            return []
        text = self.pieces[one.piece].text
        start, end = max(0, one.figure.start - _NEAR_TIMES), one.figure.end + _NEAR_TIMES
        return [each for each in figures(text[start:end]) if each.kind == TIME]

    def _has_earlier_time(self, one: EvidenceValue) -> bool:
        return bool(one.steps) and any(
            _is_earlier(each, one.figure) for each in self._times_beside(one)
        )

    def _has_both(self, one: EvidenceValue, other: Figure) -> bool:
        """Return whether *other* is beside a time, as the start or end of an unusual period."""
        return any(
            # a time that may be the same one is no other end
            figures_agree(each, other)
            and (_is_earlier(each, one.figure) or not figures_agree(each, one.figure))
            for each in self._times_beside(one)
        )

    # Ids -----------------------------------------------------------------------------------------

    @cached_property
    def id_texts(self) -> IdTexts:
        """The ids, in comparable form, and the telephone numbers of the evidence."""
        keys = (key for key in self._by_key if isinstance(key, str))
        texts = (one.figure.text for one in self.values if one.figure.kind in {ID, *SUMS})
        return IdTexts(keys, texts)

    def has_broken(self, text: str) -> bool:
        """Return whether the evidence has a long *text* with blanks or line breaks inside."""
        plain = _BLANK.sub("", text.casefold())
        return len(plain) >= _LEAST_BROKEN and any(plain in whole for whole in self._without_blanks)

    def has_spaced(self, number: Decimal) -> bool:
        """Return whether the evidence has a number in blank-separated groups: 1 000."""
        if number != number.to_integral_value() or abs(number) < _LEAST_GROUPED:
            return False
        text = f"{abs(int(number)):,}".replace(",", " ")
        return any(text in piece.text for piece in self.pieces)

    @cached_property
    def _without_blanks(self) -> list[str]:
        return [_BLANK.sub("", piece.text.casefold()) for piece in self.pieces]

    # Records -------------------------------------------------------------------------------------

    def other_places(self, place: KeyPlace) -> list[KeyPlace]:
        """
        Return where other results have the record of a key, by its id: the list has the loan L551,
        and so has the result of its renewal, or the call.
        """
        key = place.piece, record_of(place.steps)
        places = self._other_places.get(key)
        if places is None:
            places = self._other_places[key] = [*self._places_of_ids(*key)]
        return places

    def _places_of_ids(self, piece: int, record: Steps) -> Iterator[KeyPlace]:
        for one in self.records.inside(piece, record)[:_MOST_IDS]:
            for key in (*id_keys_of(one.figure),)[:1]:
                others = [self.values[n] for n in self._by_key[key][:_MOST_IDS]]
                # an id of several records, such as a customer's, identifies none of them
                if one.steps[len(record) :] == (one.field,) and all(
                    other.piece != piece or other.steps[: len(record)] == record
                    for other in others
                    if other.is_result
                ):
                    yield from (
                        KeyPlace(other.piece, () if other.is_argument else other.steps)
                        for other in others
                        if other.piece not in (piece, -1) and _is_same_field(one, other)
                    )

    def is_in_place(self, one: EvidenceValue, place: KeyPlace) -> bool:
        """Return whether a value is in the record of a key; of a call, in its only record."""
        if place.piece != one.piece:
            return False
        return not (is_foreign(place.steps, one.steps) if place.steps else record_of(one.steps))

    def newer(self, one: EvidenceValue) -> EvidenceValue | None:
        """
        Return the value of the newest result of the same call at the same path, if it differs.
        """
        if not one.is_result or one.piece < 0:
            return None
        piece = self._newest_of.get(self._call(one.piece), -1)
        if piece <= one.piece:
            return None
        members = self.records.inside(piece, one.steps)
        there = [other for other in members if other.steps == one.steps]
        is_comparable = len(there) == 1 and there[0].figure.kind == one.figure.kind
        return (
            there[0] if is_comparable and not figures_agree(one.figure, there[0].figure) else None
        )

    def _call(self, piece: int) -> tuple[str, str]:
        return self.pieces[piece].name, repr(self.pieces[piece].arguments)

    @cached_property
    def _newest_of(self) -> dict[tuple[str, str], int]:
        """The newest result of each call with known arguments."""
        # without arguments, results of the same tool may be about different things
        return {
            self._call(n): n
            for n, piece in enumerate(self.pieces)
            if piece.source is PassageSource.TOOL_RESULT and piece.arguments is not None
        }

    # Passages ------------------------------------------------------------------------------------

    @cached_property
    def newest(self) -> int:
        """The position of the newest tool result; -1 if there is none."""
        results = (
            n for n, piece in enumerate(self.pieces) if piece.source is PassageSource.TOOL_RESULT
        )
        return max(results, default=-1)

    @cached_property
    def newest_request(self) -> Sequence[EvidenceValue]:
        """The values of the user's newest message."""
        user_pieces = [
            n for n, piece in enumerate(self.pieces) if piece.source is PassageSource.USER
        ]
        return (
            [self.values[n] for n in self.of_piece[user_pieces[-1]][:MOST_PLACES]]
            if user_pieces
            else []
        )


def _names_beside(leaf: Leaf, visited: set[str]) -> Iterator[str]:
    """Yield the field of a leaf, if new, and its value, if that is a code."""
    if leaf.field not in visited:
        visited.add(leaf.field)
        yield leaf.field
    if isinstance(leaf.value, str) and _WORDS_OF_CODE.fullmatch(leaf.value):
        yield leaf.value


def _is_same_field(one: EvidenceValue, other: EvidenceValue) -> bool:
    """Return whether two ids are of one kind, by their fields: ``loan_id``, or ``id`` of a loan."""
    return one.field == other.field or "id" in (one.field.casefold(), other.field.casefold())


def _is_earlier(one: Figure, other: Figure) -> bool:
    match one.value, other.value:
        case Minute(minutes=start), Minute(minutes=end):
            return start < end
    return False
