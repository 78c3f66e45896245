"""Opt-in: the same call again and again."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import takewhile

from abs_shield.core import Finding, Unavailable, Verdict
from abs_shield.core.arguments import same
from abs_shield.plan import Proposal
from abs_shield.plan.strengths import STRENGTHS
from abs_shield.session import Session
from abs_shield.session.session_record import record_of

AGAIN = 2
"""How many equal calls ran in this turn before the next one is a loop."""
_LOOKED_AT = 32


def call_loop(proposal: Proposal, session: Session) -> Iterator[Finding | Unavailable]:
    """The agent asks ``get_status(id=7)`` for the third time, and nothing else happened."""
    record = record_of(session)
    if record.ephemeral:
        yield Unavailable("no session")
        return
    alike = [
        call
        for call in record.newest(_LOOKED_AT)
        if call.turn == record.turns
        and call.tool == proposal.name
        and same(call.arguments, proposal.arguments)
    ]
    times = len([*takewhile(lambda call: same(call.value, alike[-1].value), reversed(alike))])
    if times >= AGAIN:
        yield Finding(
            check="call_loop",
            verdict=Verdict.SUSPICIOUS,
            strength=STRENGTHS["repeated"].strength,
            basis="repeated",
            where="/name",
            detail=f"this call ran {times} times with the same result",
            code="repeated",
            hint="do something else, or ask the user",
            expected="a call that brings something new",
        )
