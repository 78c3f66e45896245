"""What the name of a field says of its values."""

from __future__ import annotations

from abs_shield.text.names import name_words
from abs_shield.text.values.patterns import CODES
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
"""Words of names under which amounts of money are."""
_OF_ANYTHING = frozenset("total sum value rate due".split())
"""Those that are used of anything: the total of bags."""
_COUNTS = frozenset(
    "qty quantity count unit piece night hour day seat ticket person guest item copy share".split()
)
"""Words of names under which counts are of what is paid by the piece."""


def may_name_money(name: str) -> bool:
    """
    Return whether a name has a word of those under which amounts of money are.

    >>> may_name_money("total_price"), may_name_money("total_bags"), may_name_money("bags")
    (True, True, False)
    """
    return not _AMOUNTS.isdisjoint(name_words(name))


def names_money(name: str) -> bool:
    """
    Return whether a name is that of an amount of money, and of nothing else that is counted.

    >>> names_money("total_price"), names_money("total"), names_money("total_bags")
    (True, True, False)
    """
    parts = {*name_words(name)}
    return not parts.isdisjoint(_AMOUNTS - _OF_ANYTHING) or (bool(parts) and parts <= _OF_ANYTHING)


def counts_pieces(name: str) -> bool:
    """
    Return whether a name is that of a count of what is paid by the piece.

    >>> counts_pieces("qty"), counts_pieces("item_count"), counts_pieces("unit_price")
    (True, True, False)
    """
    parts = name_words(name)
    return bool(parts) and parts[-1] in _COUNTS and not names_money(name)


def names_measure(name: str) -> bool:
    """
    Return whether a name is that of an amount, a count or a length, and of no thing that has one.

    >>> names_measure("TotalPrice"), names_measure("Weight kg"), names_measure("Alder Hotel")
    (True, True, False)
    """
    return may_name_money(name) or counts_pieces(name) or bool(field_units(name))
