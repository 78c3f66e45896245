"""A scripted agent that reads the feedback it gets, and corrects its call."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from abs_shield.core import Decision, ToolCall
from abs_shield.shield import Shield

USER = "Book the delivery of order o_17 for the fifth of March 2026."
_FIRST = ToolCall("book_delivry", {"order_id": "o_17", "date": "5 March"})
_CORRECTIONS = {"/arguments/date": "2026-03-05"}
_MOST_ATTEMPTS = 5  # it needs fewer; a change of the feedback must not make the demo endless


def attempts(firewall: Shield) -> Iterator[tuple[ToolCall, Decision]]:
    """Yield each call that the agent tries, up to the one that runs."""
    session = firewall.session()
    session.user(USER)
    call = _FIRST
    for _ in range(_MOST_ATTEMPTS):
        decision = firewall.check_call(call, session=session)
        yield call, decision
        if not decision.blocked:
            return
        for problem in decision.feedback()["problems"]:
            call = _correct(call, problem)


def _correct(call: ToolCall, problem: Mapping[str, Any]) -> ToolCall:
    if problem["field"] == "/name" and problem["nearest"]:
        return replace(call, name=problem["nearest"])
    correction = _CORRECTIONS.get(problem["field"])
    if correction is None:
        return call
    return replace(
        call, arguments={**call.arguments, problem["field"].rpartition("/")[2]: correction}
    )
