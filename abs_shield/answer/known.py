"""Every figure of the evidence, found by its value."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from itertools import islice
from typing import Any

from abs_shield.answer.evidence import Evidence, Piece, Source
from abs_shield.answer.figure import ID, MONEY, NUMBER, SUMS, TIME, Day, Figure, Minute, same
from abs_shield.answer.figures import figures, id_key, settled
from abs_shield.answer.records import Leaf, Steps, blocks, field_of, walked
from abs_shield.plan.names import by_name
from abs_shield.text.leaves import pointer
from abs_shield.text.names import name_words
from abs_shield.text.normal import normal, words
from abs_shield.text.shape import is_code

MOST_KEYS = 20_000
"""Ids whose ends are looked at."""
_LONGEST_RECORD = 20_000
_MOST_LINES = 500
_LEAST_BROKEN = 8
_BLANK = re.compile(r"\s+")
MOST_PLACES = 500
"""Places of one value that are looked at."""
_LONGEST_NAME = 60
_LEAST_PART = 4
_HALF_DAY = 720
_YEARS = range(1000, 3000)
_SMALL = 100
_CODE = re.compile(r"[#A-Za-z_][A-Za-z_-]{1,20}[0-9]{3,20}")
SUM_WORDS = frozenset(
    "amount price cost total fee fees balance sum value charge payment refund subtotal tax rate "
    "salary budget income due paid fare tip".split()
)
"""Words of names under which amounts of money stand."""
_SLACK = Decimal("1e-9")


@dataclass(frozen=True, slots=True)
class Stand:
    """
    One figure of the evidence.

    Attributes:
        piece: The place of its piece.
        source: Where that came from.
        steps: The way to it inside the piece.
        field: The name under which it stands; empty where there is none.
        figure: It, with offsets in its value's text.
        at: Where that text begins in the piece's, where the piece is no JSON.
        given: Whether it was an argument of the call, and no part of its result.
    """

    piece: int
    source: Source
    steps: Steps
    field: str
    figure: Figure
    at: int = 0
    given: bool = False

    @property
    def sum(self) -> bool:
        """Whether it is a number, and names nothing."""
        return self.figure.kind in SUMS and by_name(self.field) != "hard"

    @property
    def money(self) -> bool:
        """Whether it may be an amount of money: written as one, or under a name of one."""
        if self.figure.kind == MONEY or not (self.field and self.figure.kind in SUMS):
            return self.figure.kind in SUMS
        names = (word for step in self.steps if type(step) is str for word in name_words(step))
        if not SUM_WORDS.isdisjoint((*names, *name_words(self.field))):
            return True
        return self.sum and (abs(self.figure.numbers[0]) >= _SMALL or "." in self.figure.text)


@dataclass(frozen=True, slots=True)
class Place:
    """
    Where a key stands: a record's own id or name.

    Attributes:
        piece: The place of its piece.
        steps: The way to it inside the piece.
        name: The name, where it is one: others may speak of the same thing in more words.
    """

    piece: int
    steps: Steps
    name: str = ""


class Known:
    """The figures of some evidence; made once, asked many times. Time and memory are linear."""

    def __init__(self, evidence: Evidence) -> None:
        self.pieces = evidence.pieces
        self.stands: list[Stand] = []
        self._by_key: dict[Any, list[int]] = defaultdict(list)
        self.ids: dict[str, list[Place]] = defaultdict(list)
        self.names: dict[str, list[Place]] = defaultdict(list)
        self.of_piece: list[list[int]] = []
        self._records: dict[tuple[int, Steps], str] = {}
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

    def _read(self, place: int, piece: Piece) -> None:
        if piece.arguments is not None:
            self._given(place, piece.arguments)
        if isinstance(piece.value, (dict, list)):
            for leaf in walked(piece.value):
                self._leaf(place, piece.source, leaf)
        else:
            self._text(place, piece)

    def _given(self, place: int, arguments: Any) -> None:
        for leaf in walked(arguments):
            self._leaf(place, Source.TOOL_RESULT, Leaf(("",), leaf.value), given=True)

    def _leaf(self, place: int, source: Source, leaf: Leaf, *, given: bool = False) -> None:
        for figure in _figures_of(leaf.value) or _named(leaf):
            self._take(Stand(place, source, leaf.steps, leaf.field, figure, given=given))
        if isinstance(leaf.value, str) and source is Source.TOOL_RESULT and not given:
            self._name(leaf.value, Place(place, leaf.steps))

    def _text(self, place: int, piece: Piece) -> None:
        starts = blocks(piece.text) if piece.source is Source.TOOL_RESULT else []
        for figure in settled(figures(piece.text)):
            steps: Steps = (bisect_right(starts, figure.start),) if starts else ()
            name = field_of(piece.text, figure.start)
            self._take(Stand(place, piece.source, steps, name, figure))
        if starts:
            for n, (start, end) in enumerate(
                zip(starts, [*starts[1:], len(piece.text)], strict=True), 1
            ):
                for line in islice(piece.text[start:end].splitlines(), 200):
                    _, _, value = line.partition(": ")
                    self._name(value.strip("'\" "), Place(place, (n,)))

    def _name(self, text: str, place: Place) -> None:
        if len(text) <= _LONGEST_NAME and any(map(str.isalpha, text)):
            said = words(normal(text))
            if 1 <= len(said) <= 6:
                self.names[" ".join(said)].append(place)

    def _take(self, stand: Stand) -> None:
        n = len(self.stands)
        self.stands.append(stand)
        for key in _keys(stand.figure):
            self._by_key[key].append(n)
        if stand.source is Source.TOOL_RESULT and not stand.given:
            for key in _id_keys(stand.figure):
                self.ids[key].append(Place(stand.piece, stand.steps))

    # What is asked -------------------------------------------------------------------------------

    def find(self, said: Figure) -> Iterator[Stand]:
        """Give where *said* stands, as far as it goes; at most 500 places."""
        tried: set[int] = set()
        for n in islice(self._near(said), MOST_PLACES):
            if n not in tried:
                tried.add(n)
                stand = self.stands[n]
                alike = ID in (said.kind, stand.figure.kind) or same(said, stand.figure)
                if alike and (said.kind != MONEY or stand.money):
                    yield stand

    def ends(self, said: Figure) -> bool:
        """Whether an id or a long number of the evidence ends with the digits of *said*."""
        return any(key.endswith(said.text) for key in islice(self.ids, MOST_KEYS))

    def _near(self, said: Figure) -> Iterator[int]:
        if said.kind in SUMS:
            for value in said.numbers:
                reach = said.step / 2 + _SLACK
                low = bisect_left(self._values, abs(value) - reach)
                high = bisect_right(self._values, abs(value) + reach)
                yield from islice(self._owners, low, min(high, low + MOST_PLACES))
        keys = (said.value,) if said.kind == ID else _keys(said)
        for key in keys:
            yield from self._by_key.get(key, ())

    def numbers_of(self, piece: int) -> list[Stand]:
        """Give the sums of a piece, in order."""
        return [self.stands[n] for n in self.of_piece[piece] if self.stands[n].sum]

    def speaks_of(self, stand: Stand, name: str) -> bool:
        """Whether the record of a figure has a name somewhere in its text."""
        index = next(
            (n for n in range(len(stand.steps), 0, -1) if type(stand.steps[n - 1]) is not str), 0
        )
        return name in self._record(stand.piece, stand.steps[:index])

    def _record(self, place: int, steps: Steps) -> str:
        text = self._records.get((place, steps))
        if text is None:
            text = self._records[place, steps] = " ".join(
                words(normal(self._written(place, steps)))
            )
        return text

    def _written(self, place: int, steps: Steps) -> str:
        piece = self.pieces[place]
        if not piece.lines:
            starts = blocks(piece.text)
            at = steps[0] if steps else 0
            if not starts or not isinstance(at, int) or at == 0:
                return piece.text[:_LONGEST_RECORD]
            end = starts[at] if at < len(starts) else len(piece.text)
            return piece.text[starts[at - 1] : end][:_LONGEST_RECORD]
        within = pointer(steps)
        inside = (
            piece.text[start:end]
            for start, end, where in piece.lines
            if where == within or where.startswith(f"{within}/")
        )
        return "\n".join(islice(inside, _MOST_LINES))[:_LONGEST_RECORD]

    def broken(self, text: str) -> bool:
        """Whether the evidence has a long *text* with blanks or line ends within."""
        plain = _BLANK.sub("", text.casefold())
        return len(plain) >= _LEAST_BROKEN and any(plain in whole for whole in self._tight)

    @cached_property
    def _tight(self) -> list[str]:
        return [_BLANK.sub("", piece.text.casefold()) for piece in self.pieces]

    @cached_property
    def asked(self) -> list[Stand]:
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


def _figures_of(value: Any) -> list[Figure]:
    if isinstance(value, str):
        if _CODE.fullmatch(value) and is_code(value):  # most ids, without looking further
            return [Figure(ID, value, 0, len(value), (id_key(value),))]
        found = figures(value)
        if len(found) == 1 and found[0].kind == TIME and found[0].text == value.strip():
            at = found[0].value
            if isinstance(at, Minute) and ":" in value:  # a machine's clock has 24 hours
                return [Figure(TIME, value, 0, len(value), (Minute(at.minutes),))]
        return found
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return []
    text = repr(value) if not isinstance(value, int) or value.bit_length() < 128 else ""
    try:
        number = Decimal(text)
    except ArithmeticError:
        return []
    return [Figure(NUMBER, text, 0, len(text), (number,))] if number.is_finite() else []


def _named(leaf: Leaf) -> list[Figure]:
    """An id of letters alone, under the name of one."""
    value = leaf.value
    if not isinstance(value, str) or len(value) > _LONGEST_NAME or not value.isalnum():
        return []
    hard = by_name(leaf.field) == "hard"
    return [Figure(ID, value, 0, len(value), (id_key(value),))] if hard else []


def _keys(figure: Figure) -> Iterator[Any]:
    """Under which keys a figure is found that is no sum, or names something."""
    yield from _id_keys(figure)
    for value in figure.values:
        match value:
            case Day():
                yield (value.month, value.day)
                if value.day is not None:
                    yield (value.month, None)
                if value.year is not None:
                    yield ("year", value.year)
            case Minute():
                yield value.minutes % _HALF_DAY
            case Decimal() if figure.kind == NUMBER and value in _YEARS:
                yield ("year", int(value))


def _id_keys(figure: Figure) -> Iterator[str]:
    if figure.kind == ID:
        yield str(figure.value)
        yield from _parts(figure.text)
    elif figure.kind in SUMS and len(figure.text) >= _LEAST_PART and figure.text.isdigit():
        yield figure.text


def _parts(text: str) -> Iterator[str]:
    """Shorter names of a compound id: ``card_4065275`` of ``credit_card_4065275``."""
    own = id_key(text)
    if "/" in own or "@" in own:
        yield from {own.partition("/")[0], own.rpartition("@")[2]} - {own}
        return
    split = words(normal(text[:256]))
    yield from {part for part in split if len(part) >= _LEAST_PART and part.isdigit()} - {own}
    if len(split) > 2:  # a shorter name of it
        yield from ("".join(split[n:]) for n in range(1, min(len(split) - 1, 6)))
