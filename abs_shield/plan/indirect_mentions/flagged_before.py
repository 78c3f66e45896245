"""One invention gives one finding: an earlier call had the same value and was flagged."""

from __future__ import annotations

from abs_shield.plan.judged_arguments import Argument
from abs_shield.session import Session
from abs_shield.session.session_record import record_of
from abs_shield.text.show import shown

_MAX_CALLS = 200
"""Calls that are searched, the newest first: an invented value is soon used again."""


def flagged_before(argument: Argument, session: Session) -> bool:
    """Return whether a finding about an executed call of this run has this value."""
    got = shown(argument.text)
    ran = {executed.decision_id for executed in record_of(session).newest(_MAX_CALLS)} - {None}
    return bool(ran) and any(
        finding.check == "phantom_target" and finding.code == "unseen" and finding.got == got
        for decision in session.decisions
        if decision.id in ran
        for finding in decision.findings
    )
