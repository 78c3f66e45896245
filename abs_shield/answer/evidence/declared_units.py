"""Units and currencies of values: by the word after them, their field, or their record."""

from __future__ import annotations

from decimal import Decimal

from abs_shield.answer.evidence.evidence_value import EvidenceValue
from abs_shield.answer.evidence.record_paths import Leaf, Steps
from abs_shield.text.identifier_words import name_words
from abs_shield.text.values.figure import MONEY, Figure, figures_agree, is_near
from abs_shield.text.values.number_values import SIGNS
from abs_shield.text.values.numerals import CODES
from abs_shield.text.values.units import Unit, converted_units, field_units, units_of

_CENTS = units_of("cents")
_MONEY = (Unit("money", Decimal(1)),)
_CODES = frozenset(CODES.split("|"))
_UNIT_FIELDS = frozenset("currency unit".split())
# "$" may be any of the first, "kr" any of the last
_FAMILIES = (
    frozenset("USD CAD AUD NZD SGD HKD MXN".split()),
    frozenset("JPY CNY".split()),
    frozenset("SEK NOK DKK".split()),
)
"""Currencies that share a sign."""


class DeclaredUnits:
    """The units that results declare in a field of a record, such as ``currency``."""

    def __init__(self) -> None:
        self._texts: dict[tuple[int, Steps], str] = {}

    def add(self, piece: int, leaf: Leaf) -> None:
        """Add the text of a leaf, if its field declares a unit."""
        if not _UNIT_FIELDS.isdisjoint(name_words(leaf.field)):
            self._texts[piece, leaf.steps[:-1]] = leaf.value

    def units_of(self, one: EvidenceValue) -> tuple[Unit, ...]:
        """
        Return the possible units of a value, by the word after it, its field or its record.

        A whole number in a field for amounts may count cents, as in payment APIs.
        """
        units = units_of(one.figure.unit) or field_units(one.field)
        if len(units) != 1:  # a temperature field does not state its unit
            units = units_of(self._declared_unit(one)) or units
        units = units or (_CENTS if one.may_be_cents else ())
        return units or (_MONEY if self._texts and self._currency(one) else ())

    def has_other_unit(self, value: Figure, one: EvidenceValue) -> bool:
        """Return whether two equal numbers have different known units of one kind."""
        if value.kind == MONEY:
            other = self._currency(one)
            # an unknown currency may be the same
            return bool(value.unit and other) and not _is_same_currency(value.unit, other)
        units, others = units_of(value.unit), self.units_of(one)
        kinds = {unit.kind for unit in units} & {unit.kind for unit in others}
        if not kinds or not figures_agree(value, one.figure) or not {*units}.isdisjoint(others):
            return False
        return not any(  # 2.345 may be 2,345, and 2.345 MWh are 2345 kWh
            unit in others and is_near(number, one.figure.numbers[0], step)
            for number, step, unit in converted_units(value)
        )

    def _currency(self, one: EvidenceValue) -> str:
        """Return the currency of an amount; empty if unknown."""
        if one.figure.kind == MONEY:
            return one.figure.unit
        for name in (*name_words(one.field)[::-1], self._declared_unit(one)):
            code = SIGNS.get(name, name.upper())
            if code in _CODES:
                return code
        return ""

    def _declared_unit(self, one: EvidenceValue) -> str:
        """Return the nearest ``unit`` or ``currency`` beside a value or above it."""
        if not self._texts:
            return ""
        ways = (one.steps[:n] for n in range(len(one.steps) - 1, -1, -1))
        return next((u for way in ways if (u := self._texts.get((one.piece, way)))), "")


def _is_same_currency(one: str, other: str) -> bool:
    return one == other or any({one, other} <= family for family in _FAMILIES)
