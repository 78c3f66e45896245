"""Opt-in: a tool that has to be called first was not called."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from abs_shield.core import Coverage, Finding, Outcome, Unavailable, Verdict
from abs_shield.plan import Proposal, ShieldTerms, ToolPlan
from abs_shield.plan.layer import NO_SESSION, Check, Layer
from abs_shield.plan.strengths import STRENGTHS
from abs_shield.session import Session
from abs_shield.session.session_record import SessionRecord, record_of

_NONE_NEEDED = Coverage(Outcome.UNAVAILABLE, "no `reads_first`")


def uninformed_write(proposal: Proposal, session: Session) -> Iterator[Finding | Unavailable]:
    """The agent calls ``cancel_booking`` without an earlier call of ``get_booking``."""
    needed = proposal.tool.tool.reads_first if proposal.tool is not None else ()
    record = record_of(session)
    if record.ephemeral:
        yield Unavailable("no session")
    elif not needed:
        yield Unavailable(_NONE_NEEDED.reason)
    else:
        ran = _executed_tools(session)
        forgot = record.execution_count > len(record.executions)
        # The required call may be among the forgotten ones.
        if forgot and not ran.issuperset(needed):
            yield Unavailable("older calls of this run were dropped to stay within its limits")
            return
        for name in needed:
            if name not in ran:
                yield Finding(
                    check="uninformed_write",
                    verdict=Verdict.SUSPICIOUS,
                    strength=STRENGTHS["declared"].strength,
                    basis="declared",
                    where="/name",
                    detail=f"`{name}` has not run before this call",
                    code="not_read",
                    hint=f"call `{name}` first",
                    expected=f"a call of `{name}` before",
                    nearest=name,
                )


def _executed_tools(session: Session) -> set[str]:
    """Return the tools that ran in this run or in the runs that started it."""
    ran = {call.tool for call in session.executed if not call.error}
    # A sub-agent may rely on results that its parent agent has read.
    return ran if session.parent is None else ran | _executed_tools(session.parent)


def prepare_uninformed_write(
    plan: ToolPlan, terms: ShieldTerms, names: tuple[str, ...]
) -> Check | None:
    """Prepare a check for a tool that needs no earlier call."""
    if plan.tool.reads_first:
        return None

    def check(
        arguments: Mapping[str, Any], record: SessionRecord, logprob: float | None
    ) -> Coverage:
        return NO_SESSION if record.ephemeral else _NONE_NEEDED

    return check


LAYER = Layer("uninformed_write", uninformed_write, prepare_uninformed_write, of_model=True)
