"""One figure of the evidence: where it stands, and under which keys it is found."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from abs_shield.answer.evidence.records import Leaf, Steps
from abs_shield.answer.evidence.types import Source
from abs_shield.plan.names import by_name
from abs_shield.text.names import name_words
from abs_shield.text.normal import normal, words
from abs_shield.text.shape import is_code
from abs_shield.text.values.figure import (
    ID,
    MONEY,
    NUMBER,
    SUMS,
    TIME,
    Day,
    Figure,
    Minute,
    is_year,
)
from abs_shield.text.values.ids import id_key
from abs_shield.text.values.patterns import CODES
from abs_shield.text.values.reader import figures
from abs_shield.text.values.units import Unit, field_units, units_of

_CENTS = units_of("cents")
LONGEST_NAME = 60
"""Characters of a text that may be a name."""
_LEAST_PART = 4
_HALF_DAY = 720
_SMALL = 100
_CODE = re.compile(r"[#A-Za-z_][A-Za-z_-]{1,20}[0-9]{3,20}")
SUM_WORDS = frozenset(
    "amount price cost total fee fees balance sum value charge payment refund subtotal tax rate "
    "salary budget income due paid fare tip fine penalty wage bill invoice premium deposit rent "
    "toll tariff discount bonus freight surcharge commission revenue".split()
) | frozenset(CODES.casefold().split("|"))
"""Words of names under which amounts of money stand."""
_ANY_SUM = frozenset("total sum value rate due".split())
"""Those that are said of anything: the total of bags."""


_PIECES = frozenset(
    "qty quantity count unit piece night hour day seat ticket person guest item copy share".split()
)
"""Words of names under which counts stand of what is paid by the piece."""


@dataclass(frozen=True, slots=True)
class EvidenceValue:
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
            return self.figure.kind in SUMS and not self.figure.soft
        if self._is_named_sum:
            return True
        return self.sum and (abs(self.figure.numbers[0]) >= _SMALL or "." in self.figure.text)

    @property
    def is_whole_sum(self) -> bool:
        """Whether it is a whole number of at least 100 under the name of an amount of money."""
        figure = self.figure
        whole = figure.kind == NUMBER and figure.text.isdigit()
        return whole and figure.numbers[0] >= _SMALL and self._is_named_sum

    @property
    def _is_named_sum(self) -> bool:
        names = (word for step in self.steps if type(step) is str for word in name_words(step))
        return not SUM_WORDS.isdisjoint((*names, *name_words(self.field)))


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


def names_money(name: str) -> bool:
    """
    Whether a name is that of an amount of money, and of nothing else that is counted.

    >>> names_money("total_price"), names_money("total"), names_money("total_bags")
    (True, True, False)
    """
    said = {*name_words(name)}
    return not said.isdisjoint(SUM_WORDS - _ANY_SUM) or (bool(said) and said <= _ANY_SUM)


def counts_pieces(name: str) -> bool:
    """
    Whether a name is that of how many there are of what is paid for.

    >>> counts_pieces("qty"), counts_pieces("item_count"), counts_pieces("unit_price")
    (True, True, False)
    """
    said = name_words(name)
    return bool(said) and said[-1] in _PIECES and not names_money(name)


def units_at(stand: EvidenceValue) -> tuple[Unit, ...]:
    """
    Give the units in which a figure may be, by the word behind it or its field's name.

    A whole number under the name of a sum may count cents, as APIs of payments write it.
    """
    units = units_of(stand.figure.unit) or field_units(stand.field)
    return units or (_CENTS if stand.is_whole_sum else ())


def figures_of(value: Any) -> list[Figure]:
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


def letters_alone(leaf: Leaf) -> list[Figure]:
    """An id of letters alone, under the name of one."""
    value = leaf.value
    if not isinstance(value, str) or len(value) > LONGEST_NAME or not value.isalnum():
        return []
    hard = by_name(leaf.field) == "hard"
    return [Figure(ID, value, 0, len(value), (id_key(value),))] if hard else []


def keys_of(figure: Figure) -> Iterator[Any]:
    """Under which keys a figure is found that is no sum, or names something."""
    yield from id_keys_of(figure)
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
            case Decimal() if is_year(figure) and value == figure.value:
                yield ("year", int(value))


def id_keys_of(figure: Figure) -> Iterator[str]:
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
