"""Records of a tool result, the values that belong together, and their kinds by field name."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from abs_shield.text.identifier_words import name_words
from abs_shield.text.json_leaves import DEEPEST, MOST, pointer
from abs_shield.text.values.numerals import CODES
from abs_shield.text.values.units import field_units

_AMOUNTS_IN_OTHER_LANGUAGES = (
    "preis betrag kosten summe gebühr gebuehr rabatt miete lohn gehalt steuer mwst "
    "prix montant coût cout frais solde tarif remise loyer salaire somme taxe tva "
    "precio importe costo coste tarifa saldo descuento alquiler salario monto suma iva "
    "prezzo importo tariffa sconto affitto stipendio somma "
    "preço preco valor custo desconto aluguel salário soma prijs bedrag korting huur "
    "cena kwota koszt opłata oplata částka castka poplatek "
    "pris belopp beløp beløb kostnad avgift gebyr hinta summa maksu fiyat tutar ücret ucret "
    "цена сумма стоимость 価格 料金 金額 价格 金额 가격 금액 요금 سعر السعر المبلغ कीमत"
)
_AMOUNTS = frozenset(
    "amount price cost total fee fees balance sum value charge payment refund subtotal tax rate "
    "salary budget income due paid fare tip fine penalty wage bill invoice premium deposit rent "
    "toll tariff discount bonus freight surcharge commission revenue copay copayment deductible "
    "gratuity postage stipend levy vat gst bid offer quote payout cashback credit amt msrp rrp "
    "allowance excess surplus arrears overdraft interest repayment instalment installment mortgage "
    "loan debt principal proceeds turnover earnings expense expenses spend savings cash tuition "
    "dues pledge donation reward bounty royalty compensation settlement retainer markup shipping "
    "handling delivery pension profit loss margin".split()
) | frozenset(CODES.casefold().split("|"))
_AMOUNTS |= frozenset(_AMOUNTS_IN_OTHER_LANGUAGES.split())
"""Words in names of fields with amounts of money."""
_OF_ANYTHING = frozenset(
    "total sum value rate due summe somme suma somma soma summa valor сумма".split()
)
"""The ones that also name other quantities: the total of bags."""
_COUNTS = frozenset(
    "qty quantity count unit piece night hour day seat ticket person guest item copy share".split()
)
"""Words in names of fields that count items with a unit price."""


def may_name_money(name: str) -> bool:
    """
    Return whether a name contains a word for amounts of money.

    >>> may_name_money("total_price"), may_name_money("total_bags"), may_name_money("bags")
    (True, True, False)
    """
    return not _AMOUNTS.isdisjoint(name_words(name))


def names_money(name: str) -> bool:
    """
    Return whether a name is that of an amount of money, and not of another quantity.

    >>> names_money("total_price"), names_money("total"), names_money("total_bags")
    (True, True, False)
    """
    parts = {*name_words(name)}
    return not parts.isdisjoint(_AMOUNTS - _OF_ANYTHING) or (bool(parts) and parts <= _OF_ANYTHING)


def counts_pieces(name: str) -> bool:
    """
    Return whether a name is that of a count of items with a unit price.

    >>> counts_pieces("qty"), counts_pieces("item_count"), counts_pieces("unit_price")
    (True, True, False)
    """
    parts = name_words(name)
    return bool(parts) and parts[-1] in _COUNTS and not names_money(name)


def names_measure(name: str) -> bool:
    """
    Return whether a name is that of an amount, a count or a measure, and not of a thing.

    >>> names_measure("TotalPrice"), names_measure("Weight kg"), names_measure("Alder Hotel")
    (True, True, False)
    """
    return may_name_money(name) or counts_pieces(name) or bool(field_units(name))


_DIGIT = re.compile(r"\d")
_NAME = re.compile(r"[^\W\d_a-z]|[^\W_]+[ ]")
"""Beginning of a thing's name; names of fields seldom begin so."""
_LONGEST_LINE = 200  # characters; searching farther back would take quadratic time
_FIELD = re.compile(r"[ \t\-*|]{0,40}[\"']?([A-Za-z_][\w .-]{0,40}?)[\"']?[ ]?[:=][ \t]")


class RecordKey(str):
    """A name that identifies one record of many, as an index does: an id, a date."""

    __slots__ = ()


Steps = tuple[str | int, ...]
"""The path to a value: names and indices; a `RecordKey` counts as an index."""


@dataclass(frozen=True, slots=True)
class Leaf:
    """
    One scalar of a result.

    Attributes:
        steps: Its path.
        value: The scalar; for a `RecordKey` its text.
        is_name: Whether it is the name of an object, and not a value.
    """

    steps: Steps
    value: Any
    is_name: bool = False

    @property
    def field(self) -> str:
        """The innermost name on its path that is not an index."""
        return next((step for step in reversed(self.steps) if type(step) is str), "")

    @property
    def pointer(self) -> str:
        """Its JSON pointer."""
        return pointer(self.steps)


def walk(value: Any) -> Iterator[Leaf]:
    """Yield every scalar of a JSON value, and every record key, in order."""
    left: list[tuple[Steps, Any]] = [((), value)]
    count = 0
    while left and count < MOST:
        steps, item = left.pop()
        count += 1
        if isinstance(item, Mapping) and len(steps) < DEEPEST:
            rows = _has_record_keys(item)
            inside: list[tuple[Steps, Any]] = []
            for name, inner in ((str(name), inner) for name, inner in item.items()):
                step = (
                    # a digit in the name of an object is usually its id or date
                    RecordKey(name) if rows or (_DIGIT.search(name) and _is_inner(inner)) else name
                )
                inside.append(((*steps, step), inner))
                if isinstance(step, RecordKey):
                    yield Leaf((*steps, step), str(name), is_name=True)
            left += reversed(inside)  # reversed, as the stack returns the last first
        elif isinstance(item, (list, tuple)) and len(steps) < DEEPEST:
            left += reversed([((*steps, n), inner) for n, inner in enumerate(item)])
        elif not isinstance(item, (Mapping, list, tuple)):
            yield Leaf(steps, item)


def _is_inner(value: Any) -> bool:
    return isinstance(value, (Mapping, list, tuple))


def _has_record_keys(item: Mapping[str, Any]) -> bool:
    """
    Return whether the names of an object are record keys: ``{"Alder": {...}, "Birch": {...}}``.
    """
    if len(item) < 2:  # one name is a field more often than a key
        return False
    if all(_DIGIT.search(str(name)) for name in item):
        return True
    return _has_thing_names(item)


def _has_thing_names(item: Mapping[str, Any]) -> bool:
    """
    Return whether an object's names are those of things with the same fields, or a number each.
    """
    if not all(_NAME.match(str(name)) for name in item):
        return False
    values = [*item.values()]
    if all(isinstance(value, Mapping) for value in values):
        return bool(values[0]) and all(value.keys() == values[0].keys() for value in values)
    is_plain = all(type(value) in (int, float) for value in values)
    return is_plain and not any(names_measure(str(name)) for name in item)


def is_foreign(key: Steps, other: Steps) -> bool:
    """
    Return whether two paths differ first at an index: the values belong to different records.

    >>> is_foreign(("flights", 0, "number"), ("flights", 1, "date"))
    True
    >>> is_foreign(("flights", 0, "number"), ("created_at",)), is_foreign((0, "id"), (0, "at", 3))
    (False, False)
    """
    for one, another in zip(key, other, strict=False):
        if one != another:
            return not (type(one) is str or type(another) is str)
    return False


def common_length(one: Steps, other: Steps) -> int:
    """
    Return the number of leading steps that two paths share.

    >>> common_length(("flights", 0, "number"), ("flights", 0, "date"))
    2
    """
    pairs = zip(one, other, strict=False)
    return next((n for n, (a, b) in enumerate(pairs) if a != b), min(len(one), len(other)))


def enclosing(steps: Steps) -> Iterator[Steps]:
    """
    Yield the paths of the records that contain a value, from the smallest to the whole result.

    >>> [*enclosing(("flights", 0, "legs", 1, "at"))]
    [('flights', 0, 'legs', 1), ('flights', 0), ()]
    """
    for n in range(len(steps), 0, -1):
        if type(steps[n - 1]) is not str:
            yield steps[:n]
    yield ()


def record_of(steps: Steps) -> Steps:
    """Return the path of the smallest record that contains a value."""
    return next(enclosing(steps))


def without_indices(steps: Steps) -> Steps:
    """
    Return a path with empty indices: the same for a field of all records of a list.

    >>> without_indices(("flights", 0, "at"))
    ('flights', '', 'at')
    """
    return tuple(step if type(step) is str else "" for step in steps)


def field_of(text: str, at: int) -> str:
    """
    Return the name before the colon on the line of *text* at an offset.

    >>> field_of("to: Mia\\nstart_time: 2024-05-15 10:00", 20)
    'start_time'
    >>> field_of(f"to: Mia\\nnote: {240 * 'x'}7", 254)
    ''
    """
    start = text.rfind("\n", max(0, at - _LONGEST_LINE), at) + 1
    if not start and at > _LONGEST_LINE:  # the line begins farther back
        return ""
    match = _FIELD.match(text, start, max(start, min(at, start + 60)))
    return match[1] if match else ""
