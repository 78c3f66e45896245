"""Opt-in: the same call again and again."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice, takewhile
from typing import Any

from abs_shield.core import RAN, Coverage, Finding, Unavailable, Verdict
from abs_shield.core.call_arguments import same
from abs_shield.plan import Proposal, ShieldTerms, ToolPlan
from abs_shield.plan.layer import NO_SESSION, Check, Layer
from abs_shield.plan.strengths import STRENGTHS
from abs_shield.session import Session
from abs_shield.session.session_record import SessionRecord, record_of

MAX_REPEATS = 2
"""Number of equal calls with equal results in a turn, after which another one is a loop."""
_MAX_CALLS = 32  # a loop repeats within a few calls; comparing all of them would be slow


def call_loop(proposal: Proposal, session: Session) -> Iterator[Finding | Unavailable]:
    """The agent calls ``get_status(id=7)`` for the third time, with nothing else in between."""
    record = record_of(session)
    if record.ephemeral:
        yield Unavailable("no session")
        return
    same_calls = [
        call
        for call in record.newest(_MAX_CALLS)
        # The user's next message may ask for the same call again.
        if call.turn == record.turns
        and call.tool == proposal.name
        and same(call.arguments, proposal.arguments)
    ]
    repeats = len(
        # Evaluated only if there is a call: `same_calls` may be empty.
        [*takewhile(lambda call: same(call.value, same_calls[-1].value), reversed(same_calls))]
    )
    if repeats >= MAX_REPEATS:
        yield Finding(
            check="call_loop",
            verdict=Verdict.SUSPICIOUS,
            strength=STRENGTHS["repeated"].strength,
            basis="repeated",
            where="/name",
            detail=f"this call ran {repeats} times with the same result",
            code="repeated",
            hint="do something else, or ask the user",
            expected="a call that brings something new",
        )


def prepare_call_loop(plan: ToolPlan, terms: ShieldTerms, names: tuple[str, ...]) -> Check:
    """Prepare a check that returns RAN if the turn has fewer equal calls than a loop."""
    tool = plan.name

    def check(
        arguments: Mapping[str, Any], record: SessionRecord, logprob: float | None
    ) -> Coverage | None:
        if record.ephemeral:
            return NO_SESSION
        turn, repeats = record.turns, 0
        for call in islice(reversed(record.executions), _MAX_CALLS):
            if call.turn != turn:
                break  # all older calls are of earlier turns
            if call.tool == tool and same(call.arguments, arguments):
                repeats += 1
                if repeats == MAX_REPEATS:
                    return None  # the layer compares their results
        return RAN

    return check


LAYER = Layer("call_loop", call_loop, prepare_call_loop, of_model=True)
