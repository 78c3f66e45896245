"""Catches and gaps with everything that a test does not care about filled in."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from abs_shield.flywheel.catch import Catch
from abs_shield.flywheel.gap import Gap, GapState

_CATCH: dict[str, Any] = {
    "timestamp": "2026-04-05T14:23:00Z",
    "agent_id": "analyst",
    "task_type": "market_research",
    "claim": "$3.2T",
    "detected_error": "Entity mismatch",
    "verified_value": "$3.1T",
    "confidence": 0.87,
    "priority": "medium",
    "decision_id": "d1",
    "check": "hallucination",
    "code": "ENTITY_MISMATCH",
    "tool": "",
    "model": "small",
    "where": "/stages/0/findings/0",
    "subject": "output",
}
_GAP: dict[str, Any] = {
    "id": "g1",
    "title": "market caps are off",
    "check": "hallucination",
    "code": "ENTITY_MISMATCH",
    "tier": 1,
    "count": 3,
    "decisions": 100,
    "rate": 0.03,
    "low": 0.01,
    "high": 0.08,
    "state": GapState.ACCEPTED,
}


def catch(**changed: Any) -> Catch:
    """Return the catch of the seed, with fields changed."""
    return Catch(**{**_CATCH, **changed})


def gap(**changed: Any) -> Gap:
    """Return an accepted gap, with fields changed."""
    assert not changed.keys() - {one.name for one in fields(Gap)}
    return Gap(**{**_GAP, **changed})


def phantom_tool(**changed: Any) -> Catch:
    """Return the catch of a tool that does not exist."""
    return catch(
        **{
            "claim": "issue_refund",
            "verified_value": "",
            "suggested_value": "refund",
            "check": "phantom_tool",
            "code": "unknown_tool",
            "tool": "issue_refund",
            "where": "/name",
            "subject": "call",
            **changed,
        }
    )


def misspelt_id(**changed: Any) -> Catch:
    """Return the catch of an unmentioned id."""
    return catch(
        **{
            "claim": '"tx_12354"',
            "verified_value": "",
            "suggested_value": "tx_12345",
            "check": "phantom_target",
            "code": "unmentioned",
            "tool": "refund",
            "where": "/arguments/transaction_id",
            "subject": "call",
            **changed,
        }
    )
