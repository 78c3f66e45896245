"""Decisions for the tests of the dashboard, one at a time."""

from __future__ import annotations

import itertools
from typing import Any

from abs_shield.core import (
    LAYER_NAMES,
    RAN,
    Action,
    Decision,
    Finding,
    Mode,
    Subject,
    Verdict,
)

AT = 1_793_700_000.0
"""2026-11-03 10:00 UTC."""
_numbers = itertools.count(1)


def finding(verdict: Verdict = Verdict.SUSPICIOUS, **fields: Any) -> Finding:
    """A finding of `phantom_target`."""
    usual: dict[str, Any] = {
        "check": "phantom_target", "verdict": verdict, "strength": 0.97, "code": "unseen",
        "where": "/arguments/transaction_id", "detail": "this value was not mentioned in this run",
    }  # fmt: skip
    return Finding(**(usual | fields))


def decision(*findings: Finding, **fields: Any) -> Decision:
    """A decision about a call of `refund`, in audit mode; its verdict follows the findings."""
    verdict = Verdict.worst(one.verdict for one in findings)
    stops = verdict is Verdict.HALLUCINATED
    usual: dict[str, Any] = {
        "id": f"d-{next(_numbers)}", "subject": Subject.CALL, "tool": "refund",
        "verdict": verdict, "action": Action.BLOCK if stops else Action.ALLOW,
        "mode": Mode.AUDIT, "blocked": False, "would_block": stops, "policy_revision": "r1",
        "at": AT, "findings": findings, "coverage": dict.fromkeys(LAYER_NAMES, RAN),
        "session_id": "s-1", "run_id": "run-1", "agent": "billing", "model": "sonnet-5",
    }  # fmt: skip
    return Decision(**(usual | fields))
