"""Units and currencies of values: by the word after them, their field, or their record."""

from __future__ import annotations

from collections import defaultdict
from decimal import Decimal

from abs_shield.answer.evidence.evidence_value import EvidenceValue
from abs_shield.answer.evidence.record_paths import Leaf, Steps, names_money
from abs_shield.text.identifier_words import name_words
from abs_shield.text.values.figure import MONEY, Figure, figures_agree, is_near
from abs_shield.text.values.number_values import SIGNS
from abs_shield.text.values.numerals import CODES
from abs_shield.text.values.units import Unit, converted_units, field_units, units_of

_CENTS = units_of("cents")
_MONEY = (Unit("money", Decimal(1)),)
_CODES = frozenset(CODES.split("|"))
_UNIT_FIELDS = frozenset("currency unit".split())
_FIELD_CURRENCIES = SIGNS | {"pence": "GBP"}
_OF_WORDS = {
    "pesos": "MXN ARS CLP COP PHP UYU DOP CUP", "francs": "CHF XOF XAF XPF", "kronor": "SEK",
    "kroner": "NOK DKK", "crowns": "CZK SEK NOK DKK ISK", "yuan": "CNY", "zloty": "PLN",
    "reais": "BRL", "rand": "ZAR", "baht": "THB", "lira": "TRY", "shekels": "ILS",
    "dirhams": "AED MAD", "forints": "HUF", "rubles": "RUB",
}  # fmt: skip
"""The currencies of words that several countries use, or that are no figure of money."""
_MEASURES = frozenset("mass length volume energy data area".split())
"""Kinds of units that no amount of money has."""
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
        self._currencies: dict[int, set[str]] = defaultdict(set)

    def add(self, piece: int, leaf: Leaf) -> None:
        """Add the text of a leaf, if its field declares a unit."""
        names = name_words(leaf.field)
        if _UNIT_FIELDS.isdisjoint(names):
            return
        code = SIGNS.get(leaf.value, leaf.value.upper())
        # `unit: "3B"` is a flat; an unknown currency is none of those declared farther up
        if "currency" in names or code in _CODES or units_of(leaf.value):
            self._texts[piece, leaf.steps[:-1]] = leaf.value
        if "currency" in names or code in _CODES:
            self._currencies[piece].add(code)

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
        words = _OF_WORDS.get(value.unit, "").split()
        if words or value.kind == MONEY:
            if self._measures(one):  # pounds may be those of weight
                return value.unit != "GBP" or self._differs(value._replace(unit="lb"), one)
            other = self._currency(one) or self._only_currency(one)
            # an unknown currency may be the same
            if words or not (value.unit and other):
                return bool(words and other) and other not in words
            return not _is_same_currency(value.unit, other)
        return self._differs(value, one)

    def _differs(self, value: Figure, one: EvidenceValue) -> bool:
        units, others = units_of(value.unit), self.units_of(one)
        kinds = {unit.kind for unit in units} & {unit.kind for unit in others}
        if not kinds or not figures_agree(value, one.figure) or not {*units}.isdisjoint(others):
            return False
        return not any(  # 2.345 may be 2,345, and 2.345 MWh are 2345 kWh
            unit in others and is_near(number, one.figure.numbers[0], step)
            for number, step, unit in converted_units(value)
        )

    def _measures(self, one: EvidenceValue) -> bool:
        """Return whether a value is a measure, and no amount of money."""
        return not names_money(one.field) and any(
            unit.kind in _MEASURES for unit in self.units_of(one)
        )

    def _only_currency(self, one: EvidenceValue) -> str:
        """Return the currency of a result that declares one, for an amount; else empty."""
        codes = self._currencies.get(one.piece, set())
        only = next(iter(codes)) if len(codes) == 1 and names_money(one.field) else ""
        return only if only in _CODES else ""

    def _currency(self, one: EvidenceValue) -> str:
        """Return the currency of an amount; empty if unknown."""
        if one.figure.kind == MONEY:
            return one.figure.unit
        for name in (*name_words(one.field)[::-1], self._declared_unit(one)):
            code = _FIELD_CURRENCIES.get(name, name.upper())
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
