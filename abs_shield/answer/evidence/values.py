"""One value of the evidence: where it is, and under which keys it is found."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, NamedTuple

from abs_shield.answer.evidence.fields import may_name_money
from abs_shield.answer.evidence.records import Leaf, Steps
from abs_shield.answer.evidence.types import Source
from abs_shield.plan.parameter_names import classify_name
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
from abs_shield.text.values.reader import figures

LONGEST_NAME = 60
"""Characters of a text that may be a name."""
_LEAST_PART = 4
_HALF_DAY = 720
_SMALL = 100
_CODE = re.compile(r"[#A-Za-z_][A-Za-z_-]{1,20}[0-9]{3,20}")


@dataclass(frozen=True, slots=True)
class Place:
    """
    Where a key of a record is: its id or its name.

    Attributes:
        piece: The place of its passage.
        steps: The way to it inside the passage.
        name: The name, if it is one: others may speak of the same thing in more words.
    """

    piece: int
    steps: Steps
    name: str = ""


class EvidenceValue(NamedTuple):
    """
    One value of the evidence.

    Attributes:
        piece: The place of its passage; -1 for an argument of a call without one.
        source: Where the passage came from.
        steps: The way to it inside the passage.
        field: The name under which it is; empty if there is none.
        figure: It, with offsets in its text.
        is_argument: Whether it was an argument of the call instead of a part of its result.
    """

    piece: int
    source: Source
    steps: Steps
    field: str
    figure: Figure
    is_argument: bool = False

    @property
    def is_result(self) -> bool:
        """Whether a tool returned it."""
        return self.source is Source.TOOL_RESULT and not self.is_argument

    @property
    def is_number(self) -> bool:
        """Whether a tool returned it as a JSON number, which has a sign."""
        return (
            self.is_result
            and self.figure.kind == NUMBER
            and bool(self.steps)
            and not self.figure.step
        )

    @property
    def is_sum(self) -> bool:
        """Whether it is a number that identifies nothing."""
        return self.figure.kind in SUMS and classify_name(self.field) != "hard"

    @property
    def is_money(self) -> bool:
        """Whether it may be an amount of money: written as one, or under a name of one."""
        if self.figure.kind == MONEY or not (self.field and self.figure.kind in SUMS):
            return self.figure.kind in SUMS and not self.figure.soft
        if self._is_named_amount:
            return True
        return self.is_sum and (abs(self.figure.numbers[0]) >= _SMALL or "." in self.figure.text)

    @property
    def may_be_cents(self) -> bool:
        """Whether it is a whole number of at least 100 under the name of an amount of money."""
        figure = self.figure
        whole = figure.kind == NUMBER and figure.text.isdigit()
        return whole and figure.numbers[0] >= _SMALL and self._is_named_amount

    @property
    def _is_named_amount(self) -> bool:
        names = (step for step in self.steps if type(step) is str)
        return any(map(may_name_money, (*names, self.field)))


def figures_of(leaf: Leaf) -> list[Figure]:
    """Return the values of one leaf of a result."""
    value = leaf.value
    if isinstance(value, str):
        return _of_text(value) or _of_letters(leaf)
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return []
    text = repr(value) if not isinstance(value, int) or value.bit_length() < 128 else ""
    try:
        number = Decimal(text)
    except ArithmeticError:
        return []
    return [Figure(NUMBER, text, 0, len(text), (number,))] if number.is_finite() else []


def _of_text(text: str) -> list[Figure]:
    if _CODE.fullmatch(text) and is_code(text):  # most ids, without looking further
        return [Figure(ID, text, 0, len(text), (id_key(text),))]
    found = figures(text)
    if len(found) == 1 and found[0].kind == TIME and found[0].text == text.strip():
        at = found[0].value
        if isinstance(at, Minute) and ":" in text:  # a machine's clock has 24 hours
            return [Figure(TIME, text, 0, len(text), (Minute(at.minutes),))]
    return found


def _of_letters(leaf: Leaf) -> list[Figure]:
    """Return an id of letters alone, under the name of an id."""
    text = leaf.value
    if len(text) > LONGEST_NAME or not text.isalnum() or classify_name(leaf.field) != "hard":
        return []
    return [Figure(ID, text, 0, len(text), (id_key(text),))]


def keys_of(figure: Figure) -> Iterator[Any]:
    """Yield the keys under which a value is found that is no number, or identifies something."""
    yield from id_keys_of(figure)
    yield from moment_keys_of(figure)


def moment_keys_of(figure: Figure) -> Iterator[Any]:
    """Yield the keys of a day, of a time, and of a number that may be a year."""
    if figure.kind == ID or (figure.kind == NUMBER and len(figure.text) < _LEAST_PART):
        return
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
    """Yield the keys of an id, or of a number that may be one."""
    if figure.kind == ID:
        yield str(figure.value)
        yield from _parts(figure.text)
    elif figure.kind in SUMS and len(figure.text) >= _LEAST_PART and figure.text.isdigit():
        yield figure.text


def _parts(text: str) -> Iterator[str]:
    """Yield the shorter names of a compound id: ``card_4065275`` of ``credit_card_4065275``."""
    if text.isascii() and text.isalnum():
        return
    own = id_key(text)
    if "/" in own or "@" in own:
        yield from {own.partition("/")[0], own.rpartition("@")[2]} - {own}
        return
    split = words(normal(text[:256]))
    yield from {part for part in split if len(part) >= _LEAST_PART and part.isdigit()} - {own}
    if len(split) > 2:  # a shorter name of it
        yield from ("".join(split[n:]) for n in range(1, min(len(split) - 1, 6)))
