"""Rules for amounts of money: limits, decimals, currencies and totals of a session."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from abs_shield.core import ToolCall
from abs_shield.policy.rule import Rule
from abs_shield.policy.rule_factory import (
    Tools,
    build_rule,
    exact_number,
    has_failed,
    one_of_text,
    sentence_subject,
    word_set,
)
from abs_shield.session import Executed, RunningCall, Session
from abs_shield.text.exact_values import all_within, amounts, decimals, total
from abs_shield.text.json_leaves import texts


def at_most(
    limit: float | Decimal, *, tool: Tools, parameter: str = "amount", what: str | None = None
) -> Rule:
    """
    An amount has an upper limit.

    Args:
        limit: The largest allowed amount.
        what: Subject of the rule's sentence, such as ``"A refund"``; None for the parameter.

    >>> at_most(500, tool="refund", what="A refund").sentence
    'A refund is at most 500.'
    """
    most = exact_number(limit, of="money.at_most")

    def check(sums: Any) -> bool:
        return all_within(sums, most=most)

    sentence = f"{sentence_subject(what, parameter)} is at most {most:f}."
    return build_rule(
        check, tool=tool, takes={"sums": parameter}, sentence=sentence, tries=(float(most),)
    )


def above_zero(*, tool: Tools, parameter: str = "amount", what: str | None = None) -> Rule:
    """
    An amount is neither zero nor negative.

    >>> above_zero(tool="transfer", what="A transfer").sentence
    'A transfer is above 0.'
    """

    def check(sums: Any) -> bool:
        return all_within(sums, above=Decimal(0))

    sentence = f"{sentence_subject(what, parameter)} is above 0."
    return build_rule(check, tool=tool, takes={"sums": parameter}, sentence=sentence, tries=(0, -1))


def at_most_decimals(
    most: int = 2, *, tool: Tools, parameter: str = "amount", what: str | None = None
) -> Rule:
    """
    An amount has at most as many decimals as its currency; trailing zeros do not count.

    >>> at_most_decimals(2, tool="pay").sentence
    '`amount` has at most 2 decimals.'
    """
    finest = exact_number(most, of="money.at_most_decimals")

    def check(sums: Any) -> bool:
        return all(decimals(read) <= finest for read in amounts(sums))

    sentence = f"{sentence_subject(what, parameter)} has at most {finest:f} decimals."
    return build_rule(
        check,
        tool=tool,
        takes={"sums": parameter},
        sentence=sentence,
        # One decimal too many.
        tries=(1, float(Decimal(10) ** -(finest + 1))),
    )


def known_currency(
    currencies: Any, *, tool: Tools, parameter: str = "currency", what: str | None = None
) -> Rule:
    """
    A currency is one of a list, including letter case.

    >>> known_currency(["USD", "EUR"], tool="pay").sentence
    '`currency` is one of EUR, USD.'
    """
    codes = word_set(currencies, of="money.known_currency")

    def check(currency: Any) -> bool:
        return all(code in codes for code in texts(currency))

    sentence = f"{sentence_subject(what, parameter)} is {one_of_text(codes)}."
    return build_rule(check, tool=tool, takes={"currency": parameter}, sentence=sentence)


def in_all_at_most(
    limit: float | Decimal, *, tool: Tools, parameter: str = "amount", what: str | None = None
) -> Rule:
    """
    The total of all amounts in one session has an upper limit.

    Successful and running calls of the tools count; failed calls do not, by an exception or by a
    result that is only an error, such as ``{"error": "card declined"}``.

    >>> in_all_at_most(1000, tool="refund").sentence
    '`amount` adds up to at most 1000 in one session.'
    """
    most = exact_number(limit, of="money.in_all_at_most")
    # The tools share one total, or a second tool could evade the limit.
    tools = word_set([tool] if isinstance(tool, str) else tool, of="money.in_all_at_most")

    def check(sums: Any, session: Session, call: ToolCall) -> bool | str:
        done = [one for one in session.executed if not has_failed(one)]
        others: list[Executed | RunningCall] = [*done, *session.running]
        before = total(
            other.arguments.get(parameter)
            for other in others
            if other.tool in (tools | {call.name})
        )
        now = total([sums])
        # `compare`, because `<=` raises for NaN.
        if now == 0 or (before + now).compare(most) in (-1, 0):
            return True
        return f"{sentence} Moved before: {before}."

    sentence = f"{sentence_subject(what, parameter)} adds up to at most {most:f} in one session."
    return build_rule(
        check, tool=tools, takes={"sums": parameter}, sentence=sentence, tries=(1, float(most))
    )
