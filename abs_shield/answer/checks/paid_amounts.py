"""Check of amounts that an answer says were paid or sent against the calls that did it."""

from __future__ import annotations

import re
from decimal import Decimal

from abs_shield.answer.checks.action_calls import PAYING
from abs_shield.answer.checks.action_check import Calls
from abs_shield.answer.checks.claimed_actions import ClaimedAction, claimed_actions
from abs_shield.answer.checks.record_scope import RecordScope
from abs_shield.answer.evidence.evidence_passages import Evidence
from abs_shield.text.values.figure import MONEY, Figure, is_near

# "I scheduled the payment" pays, although the verb is not about money
_VERBS = PAYING | {"send", "wire", "schedule"}
_COMPUTED = re.compile(
    r"\b(?:remain\w*|rest|differen\w*|left|leav\w*|balance|sav\w*|more|less|each|half|total|tips?"
    r"|tax\w*|vat|fees?|inclu\w*|plus|sum|altogether|combined|per|instal\w*|year|month|so far"
    r"|of which|deposit|discount\w*|convert\w*|exchange\w*)\b",
    re.IGNORECASE,
)
"""Words of a sentence whose amount may differ from that of the call."""
_DIRECT = re.compile(
    r"(?:\A|\b(?:refund|payment|transfer|transaction) of)\s*"
    r"(?:(?:you|him|her|them|back|out|(?-i:[A-Z])[\w-]{1,30})\s+)?\Z",
    re.IGNORECASE,
)
"""The text between a verb, or a noun of a payment, and the amount that was paid."""
# beyond that, the one call that is meant cannot be told from others
_MOST_CALLS = 200
"""Calls of a run up to which this is checked: each amount is compared with all of them."""


class Paid:
    """
    The claimed payments of one answer.

    Args:
        answer: The answer.
        evidence: The evidence.
        scope: The sentences of the answer.
    """

    def __init__(self, answer: str, evidence: Evidence, scope: RecordScope) -> None:
        self._answer = answer
        self._evidence = evidence
        self._scope = scope

    def agrees(self, value: Figure, *, is_found: bool = False) -> bool | None:
        """
        Return whether the call paid the amount that a sentence states; None if unclear.

        The sentence must have only that amount, after its verb, and no word of a computation. One
        call can have paid it, has one amount and no other number, and returns no amount itself.

        Args:
            value: The amount.
            is_found: Whether the evidence has it. It may then be a price of what was paid for,
                and is only compared directly after the verb.
        """
        executed = self._evidence.executed
        if value.kind != MONEY or executed is None or len(executed) > _MOST_CALLS:
            return None
        start, end = self._scope.sentence(value.start)
        if sum(one.kind == MONEY for one in self._scope.values_in(start, end)) > 1:
            return None
        if _COMPUTED.search(self._answer, start, end):
            return None
        calls: Calls = self._evidence.derived(Calls)
        for claimed in claimed_actions(self._answer[start:end]):
            if claimed.verb in _VERBS and value.text in claimed.around:
                paid = [one.payment for one in calls.candidates(claimed)]
                if len(paid) != 1 or paid[0] is None:
                    return None
                if is_found and not _is_paid(value, claimed):
                    return None
                return _equals(value, paid[0])
        return None


def _is_paid(value: Figure, claimed: ClaimedAction) -> bool:
    """Return whether an amount is the object of a verb: "sent $10", "the refund of $10"."""
    behind = 0 if claimed.is_passive else claimed.around.find(claimed.text) + len(claimed.text)
    return _DIRECT.search(claimed.around[behind : claimed.around.find(value.text)]) is not None


def _equals(value: Figure, amount: Decimal) -> bool:
    """Return whether a value equals an amount, also if a whole number counts cents."""
    exponent = amount.as_tuple().exponent  # providers take amounts in cents
    amounts = [amount, amount / 100] if isinstance(exponent, int) and exponent >= 0 else [amount]
    return any(is_near(number, one, step) for number, step in value.readings for one in amounts)
