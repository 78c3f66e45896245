"""Every figure of the evidence, found by its value."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator
from decimal import Decimal
from functools import cached_property
from itertools import islice, pairwise
from typing import Any

from abs_shield.answer.evidence.record_index import Records
from abs_shield.answer.evidence.records import Leaf, Steps, blocks, field_of, walked
from abs_shield.answer.evidence.types import Evidence, Passage, Source
from abs_shield.answer.evidence.values import (
    LONGEST_NAME,
    EvidenceValue,
    Place,
    figures_of,
    id_keys_of,
    keys_of,
    letters_alone,
    units_at,
)  # fmt: skip
from abs_shield.text.normal import normal, words
from abs_shield.text.values.figure import DATE, ID, MONEY, SUMS, Figure, same
from abs_shield.text.values.ids import id_key
from abs_shield.text.values.reader import figures, settled
from abs_shield.text.values.units import in_others

MOST_KEYS = 20_000
"""Ids whose ends are looked at."""
_MOST_LINES = 200
_LEAST_BROKEN = 8
_BLANK = re.compile(r"\s+")
_DIGIT = re.compile(r"\d")
_LONGEST_MADE = 120
MOST_PLACES = 500
"""Places of one value that are looked at."""
_MOST_FOUND = 1_000
_SLACK = Decimal("1e-9")


class ValueIndex:
    """The figures of some evidence; made once, asked many times. Time and memory are linear."""

    def __init__(self, evidence: Evidence) -> None:
        self.pieces = evidence.pieces
        self._found: dict[Any, tuple[EvidenceValue, ...]] = {}
        self.stands: list[EvidenceValue] = []
        self._by_key: dict[Any, list[int]] = defaultdict(list)
        self.ids: dict[str, list[Place]] = defaultdict(list)
        self.names: dict[str, list[Place]] = defaultdict(list)
        self._whole: set[str] = set()
        self.of_piece: list[list[int]] = []
        self.records = Records()
        for place, piece in enumerate(self.pieces):
            first = len(self.stands)
            self._read(place, piece)
            self.of_piece.append(list(range(first, len(self.stands))))
        for deed in evidence.deeds or ():
            self._given(-1, deed.arguments)
        numbers = [
            (abs(value), n) for n, stand in enumerate(self.stands) for value in stand.figure.numbers
        ]
        numbers.sort(key=lambda one: one[0])
        self._values = [value for value, _ in numbers]
        self._owners = [owner for _, owner in numbers]

    # What comes in -------------------------------------------------------------------------------

    def _read(self, place: int, piece: Passage) -> None:
        if piece.arguments is not None:
            self._given(place, piece.arguments)
        if isinstance(piece.value, (dict, list)):
            for leaf in walked(piece.value):
                self._leaf(place, piece.source, leaf)
        else:
            self._text(place, piece)

    def _given(self, place: int, arguments: Any) -> None:
        for leaf in walked(arguments):
            self._leaf(place, Source.TOOL_RESULT, Leaf(("", *leaf.steps), leaf.value), given=True)

    def _leaf(self, place: int, source: Source, leaf: Leaf, *, given: bool = False) -> None:
        for figure in figures_of(leaf.value) or letters_alone(leaf):
            self._take(EvidenceValue(place, source, leaf.steps, leaf.field, figure, given=given))
        if isinstance(leaf.value, str) and source is Source.TOOL_RESULT and not given:
            self._name(leaf.value, Place(place, leaf.steps))
            self.records.write(place, leaf.steps, leaf.value)

    def _text(self, place: int, piece: Passage) -> None:
        starts = blocks(piece.text) if piece.source is Source.TOOL_RESULT else []
        for figure in settled(figures(piece.text)):
            steps: Steps = (bisect_right(starts, figure.start),) if starts else ()
            name = field_of(piece.text, figure.start)
            self._take(EvidenceValue(place, piece.source, steps, name, figure))
        for n, (start, end) in enumerate(pairwise([*starts, len(piece.text)]) if starts else (), 1):
            self.records.write(place, (n,), piece.text[start:end])
            for line in islice(piece.text[start:end].splitlines(), _MOST_LINES):
                _, _, value = line.partition(": ")
                self._name(value.strip("'\" "), Place(place, (n,)))

    def _name(self, text: str, place: Place) -> None:
        if len(text) <= LONGEST_NAME and any(map(str.isalpha, text)):
            said = words(normal(text))
            if 1 <= len(said) <= 6:
                self.names[" ".join(said)].append(place)

    def _take(self, stand: EvidenceValue) -> None:
        n = len(self.stands)
        self.stands.append(stand)
        for key in keys_of(stand.figure):
            self._by_key[key].append(n)
        if stand.figure.kind == ID:
            self._whole.add(str(stand.figure.value))
        if stand.source is Source.TOOL_RESULT and not stand.given:
            self.records.add(stand)
            for key in id_keys_of(stand.figure):
                self.ids[key].append(Place(stand.piece, stand.steps))

    # What is asked -------------------------------------------------------------------------------

    def find(self, said: Figure) -> Iterable[EvidenceValue]:
        """Give where *said* stands, as far as it goes; at most 500 places."""
        key = said.kind, said.values, said.step, said.unit
        found = self._found.get(key)
        if found is None:
            if len(self._found) >= _MOST_FOUND:
                self._found.clear()
            found = self._found[key] = tuple(self._standing(said))
        return found

    def _standing(self, said: Figure) -> Iterator[EvidenceValue]:
        tried: set[int] = set()
        for n in islice(self._near(said), MOST_PLACES):
            if n not in tried:
                tried.add(n)
                stand = self.stands[n]
                alike = ID in (said.kind, stand.figure.kind) or same(said, stand.figure)
                if alike and (said.kind != MONEY or stand.money):
                    yield stand

        for n in islice(self._converted(said), MOST_PLACES):
            if n not in tried:
                tried.add(n)
                yield self.stands[n]

    def _converted(self, said: Figure) -> Iterator[int]:
        """What stands in another unit than *said*: grams under the name of grams, for kilograms."""
        for value, step, unit in in_others(said) if said.kind in SUMS else ():
            for n in self._valued(value, step):
                if unit in units_at(self.stands[n]):
                    yield n

    def ends(self, said: Figure) -> bool:
        """Whether an id or a long number of the evidence ends with the digits of *said*."""
        return any(key.endswith(said.text) for key in islice(self.ids, MOST_KEYS))

    def _near(self, said: Figure) -> Iterator[int]:
        if said.kind in SUMS:
            for value, step in said.readings:
                yield from self._valued(value, step)
        elif said.text[:1] == "#" and said.text[1:].isdigit():  # "PR #318" of ``number: 318``
            yield from self._valued(Decimal(said.text[1:]), Decimal(0))
        keys = (said.value,) if said.kind == ID else keys_of(said)
        for key in keys:
            yield from self._by_key.get(key, ())

    def _valued(self, value: Decimal, step: Decimal) -> Iterator[int]:
        reach = step / 2 + _SLACK
        low = bisect_left(self._values, abs(value) - reach)
        high = bisect_right(self._values, abs(value) + reach)
        return islice(self._owners, low, min(high, low + MOST_PLACES))

    def names_known(self, said: Figure) -> bool:
        """Whether *said* is made of words around an id or a day that stands in the evidence."""
        parts = said.text[:_LONGEST_MADE].split("_")
        digits = [n for n, part in enumerate(parts) if _DIGIT.search(part)]
        if said.kind != ID or len(parts) == 1 or not digits:
            return False
        last = digits[-1] + 1
        if any(id_key("_".join(parts[n:last])) in self._whole for n in range(digits[0] + 1)):
            return True
        inside = figures("_".join(parts[digits[0] : last]))
        return [DATE] == [one.kind for one in inside] and any(self.find(inside[0]))

    def alone(self, stand: EvidenceValue) -> bool:
        """Whether a figure is all that its result says, as what a calculator gives."""
        own = [n for n in self.of_piece[stand.piece][:_MOST_LINES] if not self.stands[n].given]
        return not stand.given and len(own) == 1

    def numbers_of(self, piece: int) -> list[EvidenceValue]:
        """Give the sums of a piece, in order."""
        return [self.stands[n] for n in self.of_piece[piece] if self.stands[n].sum]

    def broken(self, text: str) -> bool:
        """Whether the evidence has a long *text* with blanks or line ends within."""
        plain = _BLANK.sub("", text.casefold())
        return len(plain) >= _LEAST_BROKEN and any(plain in whole for whole in self._tight)

    @cached_property
    def _tight(self) -> list[str]:
        return [_BLANK.sub("", piece.text.casefold()) for piece in self.pieces]

    @cached_property
    def asked(self) -> list[EvidenceValue]:
        """What stands in the newest words of the user."""
        said = [n for n, piece in enumerate(self.pieces) if piece.source is Source.USER]
        return [self.stands[n] for n in self.of_piece[said[-1]][:MOST_PLACES]] if said else []

    @cached_property
    def newest(self) -> int:
        """The place of the newest tool result; -1 where there is none."""
        return next(
            (
                n
                for n in range(len(self.pieces) - 1, -1, -1)
                if self.pieces[n].source is Source.TOOL_RESULT
            ),
            -1,
        )

    @cached_property
    def first_words(self) -> frozenset[str]:
        """The first words of all names."""
        return frozenset(name.partition(" ")[0] for name in self.names)
