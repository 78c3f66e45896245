"""Amounts of what an answer says was paid or sent, beside those of the calls that did it."""

from __future__ import annotations

from decimal import Decimal

from abs_shield.answer.checks.action_calls import PAYING
from abs_shield.answer.checks.actions import Calls, claimed_actions
from abs_shield.answer.checks.record_scope import RecordScope
from abs_shield.answer.evidence.types import Evidence
from abs_shield.text.values.figure import MONEY, Figure, near

_VERBS = PAYING | {"send", "wire", "schedule"}
_CENTS = 100
_MOST_CALLS = 200
"""Calls of a run that are asked: each amount of the answer asks all of them."""


class Paid:
    """
    The payments of one answer.

    Args:
        answer: The answer.
        evidence: What it may rest on.
        scope: The sentences of the answer.
    """

    def __init__(self, answer: str, evidence: Evidence, scope: RecordScope) -> None:
        self._answer = answer
        self._evidence = evidence
        self._scope = scope

    def agrees(self, value: Figure) -> bool | None:
        """
        Return whether the calls paid what a sentence says was paid; None if they do not tell.

        The sentence has that amount alone, and each call that can have paid it has an amount: it is
        one of these, or what they add up to.
        """
        deeds = self._evidence.deeds
        if value.kind != MONEY or deeds is None or len(deeds) > _MOST_CALLS:
            return None
        start, end = self._scope.sentence(value.start)
        if sum(one.kind == MONEY for one in self._scope.values_in(start, end)) > 1:
            return None
        calls: Calls = self._evidence.derived(Calls)
        for claimed in claimed_actions(self._answer[start:end]):
            if claimed.verb in _VERBS and value.text in claimed.around:
                amounts = [one.amounts for one in calls.able(claimed)]
                return _has(value, amounts) if amounts and all(amounts) else None
        return None


def _has(value: Figure, amounts: list[tuple[Decimal, ...]]) -> bool:
    """Return whether a value is an amount of a call, or all of them, also in cents."""
    single = [amount for some in amounts for amount in some]
    known = [*single, *(sum(some, Decimal(0)) for some in amounts), sum(single, Decimal(0))]
    return any(
        near(number, amount / part, step)
        for number, step in value.readings
        for amount in known
        for part in (1, _CENTS)
    )
