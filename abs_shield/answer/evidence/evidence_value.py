"""One value of the evidence: its place, and the keys of its index entries."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, NamedTuple

from abs_shield.answer.evidence.evidence_passages import PassageSource
from abs_shield.answer.evidence.record_paths import Leaf, Steps, may_name_money
from abs_shield.plan.parameter_names import classify_name
from abs_shield.text.normal_form import normal, words
from abs_shield.text.value_shapes import is_code
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
from abs_shield.text.values.figure_reader import figures
from abs_shield.text.values.number_values import id_key

# names of people and products; a longer text is a description
LONGEST_NAME = 60
"""Most characters of a name."""
_LEAST_PART = 4  # three digits or letters are in too many ids
_HALF_DAY = 720  # 12 hours: 6 may be am or pm
# below, a whole number is a count more often than an amount
_SMALL = 100
_DECIMALS = re.compile(r"\.|,\d\d?$")
_CODE = re.compile(r"[#A-Za-z_][A-Za-z_-]{1,20}[0-9]{3,20}")


@dataclass(frozen=True, slots=True)
class KeyPlace:
    """
    The place of a record's key: its id or its name.

    Attributes:
        piece: The position of its passage.
        steps: The path to it inside the passage.
        name: The name, if it is one: other records may refer to the same thing in more words.
    """

    piece: int
    steps: Steps
    name: str = ""


class EvidenceValue(NamedTuple):
    """
    One value of the evidence.

    Attributes:
        piece: The position of its passage; -1 for an argument of a call without one.
        source: The origin of the passage.
        steps: The path to it inside the passage.
        field: Its field's name; empty if there is none.
        figure: The value, with offsets in its text.
        is_argument: Whether it was an argument of the call, and not part of its result.
    """

    piece: int
    source: PassageSource
    steps: Steps
    field: str
    figure: Figure
    is_argument: bool = False

    @property
    def is_result(self) -> bool:
        """True if a tool returned it."""
        return self.source is PassageSource.TOOL_RESULT and not self.is_argument

    @property
    def is_number(self) -> bool:
        """True if a tool returned it as a JSON number, which has a sign."""
        return (
            self.is_result
            and self.figure.kind == NUMBER
            and bool(self.steps)
            and not self.figure.step
        )

    @property
    def is_sum(self) -> bool:
        """True if it is a number that is not an identifier."""
        return self.figure.kind in SUMS and classify_name(self.field) != "hard"

    @property
    def is_money(self) -> bool:
        """True if it may be an amount of money: written as one, or in a field for one."""
        if self.figure.kind == MONEY or not (self.field and self.figure.kind in SUMS):
            return self.figure.kind in SUMS and not self.figure.soft
        if self._is_in_amount_field:
            return True
        has_decimals = _DECIMALS.search(self.figure.text) is not None
        return self.is_sum and (abs(self.figure.numbers[0]) >= _SMALL or has_decimals)

    @property
    def may_be_cents(self) -> bool:
        """True if it is a whole number of at least 100 in a field for amounts of money."""
        figure = self.figure
        whole = figure.kind == NUMBER and figure.text.isdigit()
        return whole and figure.numbers[0] >= _SMALL and self._is_in_amount_field

    @property
    def _is_in_amount_field(self) -> bool:
        names = (step for step in self.steps if type(step) is str)
        return any(map(may_name_money, (*names, self.field)))


def figures_of(leaf: Leaf) -> list[Figure]:
    """Return the values of one leaf of a result."""
    value = leaf.value
    if isinstance(value, str):
        return _figures_in_text(value) or _letter_id(leaf)
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return []
    # an integer of 39 digits is no amount, and Python refuses to write very long ones
    text = repr(value) if not isinstance(value, int) or value.bit_length() < 128 else ""
    try:
        number = Decimal(text)
    except ArithmeticError:  # an empty text
        return []
    return [Figure(NUMBER, text, 0, len(text), (number,))] if number.is_finite() else []


def _figures_in_text(text: str) -> list[Figure]:
    if _CODE.fullmatch(text) and is_code(text):  # most ids, without looking further
        return [Figure(ID, text, 0, len(text), (id_key(text),))]
    parsed = figures(text)
    if len(parsed) == 1 and parsed[0].kind == TIME and parsed[0].text == text.strip():
        at = parsed[0].value
        if isinstance(at, Minute) and ":" in text:  # a machine's clock has 24 hours
            return [Figure(TIME, text, 0, len(text), (Minute(at.minutes), *parsed[0].values[1:]))]
    return parsed


def _letter_id(leaf: Leaf) -> list[Figure]:
    """Return an id that consists only of letters, from an id field."""
    text = leaf.value
    if len(text) > LONGEST_NAME or not text.isalnum() or classify_name(leaf.field) != "hard":
        return []
    return [Figure(ID, text, 0, len(text), (id_key(text),))]


def keys_of(figure: Figure) -> Iterator[Any]:
    """Yield the index keys of a value that is not a plain number, or that may be an identifier."""
    yield from id_keys_of(figure)
    yield from date_keys_of(figure)


def date_keys_of(figure: Figure) -> Iterator[Any]:
    """Yield the keys of a date, of a time, and of a number that may be a year."""
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
    """Yield the shorter forms of a compound id: ``card_4065275`` of ``credit_card_4065275``."""
    if text.isascii() and text.isalnum():
        return
    own = id_key(text)
    if "/" in own or "@" in own:  # an address also by its host, a path by its first part
        yield from {own.partition("/")[0], own.rpartition("@")[2]} - {own}
        return
    split = words(normal(text[:256]))  # bounded, as a hostile id may have a megabyte
    yield from {part for part in split if len(part) >= _LEAST_PART and part.isdigit()} - {own}
    if len(split) > 2:  # its endings, of at most five parts
        yield from ("".join(split[n:]) for n in range(1, min(len(split) - 1, 6)))
