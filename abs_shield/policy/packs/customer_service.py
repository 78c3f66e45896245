"""Rules for customer service: required earlier calls, single calls, and refund limits."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from typing import Any

from abs_shield.core import ToolCall
from abs_shield.core.events import MessageText
from abs_shield.errors import PolicyError
from abs_shield.policy.rule import Rule
from abs_shield.policy.rule_factory import (
    Tools,
    build_rule,
    has_failed,
    one_of_text,
    quoted_names,
    word_set,
)
from abs_shield.session import Executed, RunningCall, Session
from abs_shield.text.exact_values import amount as amount_of
from abs_shield.text.exact_values import is_same_value, total
from abs_shield.text.json_leaves import parse_container
from abs_shield.text.safe_display import shown

Same = str | Mapping[str, str] | None
"""A parameter of both tools, or a mapping of the tool's parameter to that of the other tool."""

_WORD = re.compile(r"\w+")
_MOST_CHARACTERS = 20_000  # longer than messages; each call searches the text
_ITS = "its "
"""Prefix of the other tool's parameters, to distinguish them from ``session`` and ``call``."""


def verified_first(check: str | Iterable[str], *, tool: Tools, same: Same = None) -> Rule:
    """
    Another tool, such as a check or a look-up, has succeeded earlier in this session.

    A result that is only an error, such as ``{"error": "no such customer"}``, counts as a failure.

    Args:
        check: The other tool, or several tools; one successful call is enough.
        same: Parameters that must be equal in both calls; None to accept any call.

    >>> verified_first("verify_customer", tool="refund", same="customer_id").sentence
    '`verify_customer` comes first, with the same `customer_id`.'
    """
    checks = word_set(
        [check] if isinstance(check, str) else check, of="customer_service.verified_first"
    )
    takes = _build_takes(same, of="verified_first")

    def has_run(session: Session, **arguments: Any) -> bool:
        return bool(_successful_calls(session, checks, _other_arguments(arguments)))

    shared = f", with the same {_names_text(takes)}" if takes else ""
    sentence = f"{quoted_names(sorted(checks))} comes first{shared}."
    return build_rule(has_run, tool=tool, takes=takes, sentence=sentence)


def confirmed_first(said: Iterable[str], *, tool: Tools) -> Rule:
    """
    The user's latest message contains one of these words or phrases; letter case is ignored.

    Args:
        said: Words of agreement in your users' languages. They match anywhere in the message:
            "no, yes" contains "yes".

    >>> confirmed_first(["yes", "go ahead"], tool="cancel_order").sentence
    'The user has just said one of go ahead, yes.'
    """
    phrases = word_set(said, of="customer_service.confirmed_first")
    normalised = sorted(_spaced_words(phrase) for phrase in phrases)
    # A phrase without letters or digits has no words, and would match every message.
    if any(phrase.isspace() for phrase in normalised):
        raise PolicyError(f"`customer_service.confirmed_first` got {shown(said)}; give words")

    def is_confirmed(session: Session) -> bool:
        events = [entry.event for entry in session.entries()]
        messages = [
            event.text
            for event in events
            if isinstance(event, MessageText) and event.role == "user"
        ]
        # Only the newest message: an earlier "yes" was for something else.
        newest = _spaced_words(messages[-1][:_MOST_CHARACTERS]) if messages else ""
        return any(phrase in newest for phrase in normalised)

    sentence = f"The user has just said {one_of_text(phrases)}."
    return build_rule(is_confirmed, tool=tool, takes={}, sentence=sentence)


def once(*, tool: Tools, same: Same = None) -> Rule:
    """
    A tool runs once in a session, or once per entity that *same* names.

    Calls that are still running count; failed calls do not, by an exception or by a result that is
    only an error, such as ``{"error": "card declined"}``.

    >>> once(tool="refund", same="order_id").sentence
    'It runs once for each `order_id`.'
    """
    takes = _build_takes(same, of="once")

    def is_first(session: Session, call: ToolCall, **arguments: Any) -> bool | str:
        required = {takes[name]: value for name, value in arguments.items() if name in takes}
        # Without the entity there is nothing to compare; other layers report the missing argument.
        if len(required) < len(takes):
            return True
        if _successful_calls(session, {call.name}, required):
            return False
        return f"{sentence} It is running." if _running_calls(session, call, required) else True

    sentence = f"It runs once {f'for each {_names_text(takes)}' if takes else 'in a session'}."
    return build_rule(is_first, tool=tool, takes=takes, sentence=sentence)


def refund_at_most_what_was_paid(
    lookup: str, *, tool: Tools, same: Same, paid: str = "total", amount: str = "amount"
) -> Rule:
    """
    All refunds of an order together, including running ones, do not exceed the paid amount.

    Without a result of *lookup* that contains a number, this rule accepts the call;
    `verified_first` makes the look-up mandatory.

    Args:
        lookup: The tool whose result contains the paid amount.
        same: The parameter that names the order.
        paid: Path of the paid amount in the result, with dots for nested fields, such as
            ``payment.total``.
        amount: The parameter with the amount to refund.

    >>> refund_at_most_what_was_paid("get_order", tool="refund", same="order_id").sentence
    '`amount` is at most what `get_order` says was paid in `total`.'
    """
    lookups = word_set([lookup], of="customer_service.refund_at_most_what_was_paid")
    takes = _build_takes(same, of="refund_at_most_what_was_paid")

    def is_covered(sums: Any, session: Session, call: ToolCall, **arguments: Any) -> bool | str:
        looked_up = _successful_calls(session, lookups, _other_arguments(arguments))
        limit = _latest_number(looked_up, paid)
        if limit is None or len(arguments) < len(takes):
            return True
        required = {takes[name]: value for name, value in arguments.items()}
        refunds: list[Executed | RunningCall] = [
            *_successful_calls(session, {call.name}, required),
            *_running_calls(session, call, required),
        ]
        before = total(refund.arguments.get(amount) for refund in refunds)
        requested = total([sums])
        # `compare`, because `<=` raises for NaN.
        if requested == 0 or (before + requested).compare(limit) in (-1, 0):
            return True
        return f"{sentence} Paid: {limit}; given back before: {before}."

    source = f"what {quoted_names(lookup)} says was paid in {quoted_names(paid)}"
    sentence = f"{quoted_names(amount)} is at most {source}."
    return build_rule(is_covered, tool=tool, takes={"sums": amount, **takes}, sentence=sentence)


def _successful_calls(
    session: Session, tools: Iterable[str], required: Mapping[str, Any]
) -> list[Executed]:
    """Return the successful calls of these tools with these arguments."""
    return [
        done
        for done in session.executed
        if done.tool in tools and _has_arguments(done.arguments, required) and not has_failed(done)
    ]


def _running_calls(
    session: Session, call: ToolCall, required: Mapping[str, Any]
) -> list[RunningCall]:
    """Return the running calls of the same tool with these arguments."""
    return [
        other
        for other in session.running
        if other.tool == call.name and _has_arguments(other.arguments, required)
    ]


def _has_arguments(arguments: Mapping[str, Any], required: Mapping[str, Any]) -> bool:
    # A missing argument does not equal any value, not even None.
    return all(
        name in arguments and is_same_value(arguments[name], required[name]) for name in required
    )


def _build_takes(same: Same, *, of: str) -> dict[str, str]:
    """Return ``takes`` of a rule: the prefixed parameter of the other tool to the tool's own."""
    if same is None:
        return {}
    pairs = {same: same} if isinstance(same, str) else same
    if not isinstance(pairs, Mapping) or not pairs:
        raise PolicyError(f"`customer_service.{of}`: `same` is {shown(same)}; name a parameter")
    word_set([*pairs, *pairs.values()], of=f"customer_service.{of}")
    return {_ITS + its: mine for mine, its in pairs.items()}


def _other_arguments(arguments: Mapping[str, Any]) -> dict[str, Any]:
    return {name.removeprefix(_ITS): value for name, value in arguments.items() if _ITS in name}


def _names_text(takes: Mapping[str, str]) -> str:
    # "and", because all of them must be equal.
    return quoted_names(sorted(takes.values())).replace(" or ", " and ")


def _spaced_words(text: str) -> str:
    """Return the words of *text*, each between spaces, so that only whole words match."""
    return f" {' '.join(_WORD.findall(text.casefold()))} "


def _latest_number(calls: Sequence[Executed], path: str) -> Decimal | None:
    """Return the number at *path* in the latest result that has one, as records change."""
    numbers = (_number_at(call.value, path) for call in reversed(calls))
    return next((number for number in numbers if number is not None), None)


def _number_at(value: Any, path: str) -> Decimal | None:
    """Return the number at *path* in a result; None without one."""
    for step in path.split("."):
        value = parse_container(value) if isinstance(value, str) else value
        value = value.get(step) if isinstance(value, Mapping) else None
    return amount_of(value)
