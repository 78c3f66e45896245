"""Rules for customer service: required earlier calls, single calls, and refund limits."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import Any

from abs_shield.core import ToolCall
from abs_shield.core.events import MessageText
from abs_shield.errors import PolicyError
from abs_shield.policy.rule import Rule
from abs_shield.policy.rule_factory import Tools, build_rule, one_of_text, quoted_names, word_set
from abs_shield.session import Executed, RunningCall, Session
from abs_shield.text.exact_values import amount as amount_of
from abs_shield.text.exact_values import is_same_value, total
from abs_shield.text.json_leaves import parse_container
from abs_shield.text.safe_display import shown

Same = str | Mapping[str, str] | None
"""A shared parameter, or a mapping of the tool's parameter to the other tool's name for it."""

_WORD = re.compile(r"\w+")
_MOST_CHARACTERS = 20_000  # a message, not a document; more is searched by every call
_ITS = "its "
"""Prefix of the other tool's parameters, which keeps them apart from ``session`` and ``call``."""


def verified_first(check: str | Iterable[str], *, tool: Tools, same: Same = None) -> Rule:
    """
    Another tool, a check or a look-up, succeeded earlier in this session.

    Args:
        check: That tool, or several tools; one successful call is enough.
        same: Parameters that must be equal in both calls; None to accept any call.

    >>> verified_first("verify_customer", tool="refund", same="customer_id").sentence
    '`verify_customer` comes first, with the same `customer_id`.'
    """
    checks = word_set(
        [check] if isinstance(check, str) else check, of="customer_service.verified_first"
    )
    takes = _takes(same, of="verified_first")

    def has_run(session: Session, **arguments: Any) -> bool:
        return bool(_succeeded_calls(session, checks, _other_arguments(arguments)))

    shared = f", with the same {_names_text(takes)}" if takes else ""
    sentence = f"{quoted_names(sorted(checks))} comes first{shared}."
    return build_rule(has_run, tool=tool, takes=takes, sentence=sentence)


def confirmed_first(said: Iterable[str], *, tool: Tools) -> Rule:
    """
    The user's latest message contains one of these words or phrases, in any case.

    Args:
        said: Words of agreement in your users' languages; "no, yes" contains a yes, too.

    >>> confirmed_first(["yes", "go ahead"], tool="cancel_order").sentence
    'The user has just said one of go ahead, yes.'
    """
    phrases = word_set(said, of="customer_service.confirmed_first")
    normalised = sorted(_spaced_words(phrase) for phrase in phrases)
    # A phrase without a letter or digit has no words: it would be in every message.
    if any(phrase.isspace() for phrase in normalised):
        raise PolicyError(f"`customer_service.confirmed_first` got {shown(said)}; give words")

    def is_confirmed(session: Session) -> bool:
        events = [entry.event for entry in session.entries()]
        messages = [
            event.text
            for event in events
            if isinstance(event, MessageText) and event.role == "user"
        ]
        # The newest message only: an earlier yes was for something else.
        newest = _spaced_words(messages[-1][:_MOST_CHARACTERS]) if messages else ""
        return any(phrase in newest for phrase in normalised)

    sentence = f"The user has just said {one_of_text(phrases)}."
    return build_rule(is_confirmed, tool=tool, takes={}, sentence=sentence)


def once(*, tool: Tools, same: Same = None) -> Rule:
    """
    A tool runs once in a session, or once per entity that *same* names.

    A call that runs at this moment counts; one that failed does not.

    >>> once(tool="refund", same="order_id").sentence
    'It runs once for each `order_id`.'
    """
    takes = _takes(same, of="once")

    def is_first(session: Session, call: ToolCall, **arguments: Any) -> bool | str:
        wanted = {takes[name]: value for name, value in arguments.items() if name in takes}
        # Where an entity is not named there is nothing to compare: other layers report it.
        if len(wanted) < len(takes):
            return True
        if _succeeded_calls(session, {call.name}, wanted):
            return False
        return f"{sentence} It is running." if _running_calls(session, call, wanted) else True

    sentence = f"It runs once {f'for each {_names_text(takes)}' if takes else 'in a session'}."
    return build_rule(is_first, tool=tool, takes=takes, sentence=sentence)


def refund_at_most_what_was_paid(
    lookup: str, *, tool: Tools, same: Same, paid: str = "total", amount: str = "amount"
) -> Rule:
    """
    Refunds, with earlier ones and those that run now, do not exceed what *lookup* said was paid.

    Without a look-up, or without a number in its result, this rule accepts the call;
    `verified_first` with the same *lookup* makes the look-up mandatory.

    Args:
        lookup: The tool whose result says what was paid.
        same: The parameter that names the order.
        paid: Path of the paid amount in the result, with dots for nested fields:
            ``payment.total``.

    >>> refund_at_most_what_was_paid("get_order", tool="refund", same="order_id").sentence
    '`amount` is at most what `get_order` says was paid in `total`.'
    """
    lookups = word_set([lookup], of="customer_service.refund_at_most_what_was_paid")
    takes = _takes(same, of="refund_at_most_what_was_paid")

    def is_covered(sums: Any, session: Session, call: ToolCall, **arguments: Any) -> bool | str:
        amounts = [
            _number_at(done.value, paid)
            for done in _succeeded_calls(session, lookups, _other_arguments(arguments))
        ]
        # The latest look-up: an order may have changed since the first.
        limit = next((one for one in reversed(amounts) if one is not None), None)
        if limit is None or len(arguments) < len(takes):
            return True
        wanted = {takes[name]: value for name, value in arguments.items()}
        others: list[Executed | RunningCall] = [
            *_succeeded_calls(session, {call.name}, wanted),
            *_running_calls(session, call, wanted),
        ]
        before = total(other.arguments.get(amount) for other in others)
        requested = total([sums])
        # `compare`, as `<=` raises where an amount is not a number.
        if requested == 0 or (before + requested).compare(limit) in (-1, 0):
            return True
        return f"{sentence} Paid: {limit}; given back before: {before}."

    source = f"what {quoted_names(lookup)} says was paid in {quoted_names(paid)}"
    sentence = f"{quoted_names(amount)} is at most {source}."
    return build_rule(is_covered, tool=tool, takes={"sums": amount, **takes}, sentence=sentence)


def _succeeded_calls(
    session: Session, tools: Iterable[str], wanted: Mapping[str, Any]
) -> list[Executed]:
    """Return the successful calls of these tools with these arguments."""
    return [
        done
        for done in session.executed
        if done.tool in tools and not done.error and _has(done.arguments, wanted)
    ]


def _running_calls(
    session: Session, call: ToolCall, wanted: Mapping[str, Any]
) -> list[RunningCall]:
    """Return the calls of the same tool with these arguments that run at this moment."""
    return [
        other
        for other in session.running
        if other.tool == call.name and _has(other.arguments, wanted)
    ]


def _has(arguments: Mapping[str, Any], wanted: Mapping[str, Any]) -> bool:
    # A parameter that a call left out is none of these values, not even None.
    return all(
        name in arguments and is_same_value(arguments[name], wanted[name]) for name in wanted
    )


def _takes(same: Same, *, of: str) -> dict[str, str]:
    """Return a rule's ``takes``: the other tool's parameter, with its prefix, to the tool's own."""
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
    # The rule rejects without any of them, so all are needed.
    return quoted_names(sorted(takes.values())).replace(" or ", " and ")


def _spaced_words(text: str) -> str:
    """Return the words of *text* with spaces around each, so that only whole words match."""
    return f" {' '.join(_WORD.findall(text.casefold()))} "


def _number_at(value: Any, path: str) -> Decimal | None:
    """Return the number at *path* in a result; None without one."""
    for step in path.split("."):
        value = parse_container(value) if isinstance(value, str) else value
        value = value.get(step) if isinstance(value, Mapping) else None
    return amount_of(value)
