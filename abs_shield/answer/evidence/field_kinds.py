"""Kinds of values by field name: amounts of money, counts and measures."""

from __future__ import annotations

from abs_shield.text.identifier_words import name_words
from abs_shield.text.values.numerals import CODES
from abs_shield.text.values.units import field_units

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
"""Words in names of fields with amounts of money."""
_OF_ANYTHING = frozenset("total sum value rate due".split())
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
