"""A decision in words, with the values of arguments masked unless they are asked for."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from abs_shield.core import Decision, Finding

MASK = "•••"
"""Stands for a value."""
_QUOTED = re.compile(r"(?<!\w)([\"'])(?:(?!\1).)*\1")


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownFinding:
    """One finding in words; see `Finding`."""

    check: str
    verdict: str
    code: str
    where: str
    detail: str
    hint: str
    got: str
    expected: str
    nearest: str
    strength: str
    weighs: bool
    suppressed: bool
    evidence: list[tuple[str, str]]


def shown_findings(decision: Decision, *, values: bool) -> list[ShownFinding]:
    """
    Return the findings of a decision in words.

    Args:
        decision: The decision.
        values: Whether values of arguments and results are shown; else each is masked.
    """
    return [_shown(finding, values=values) for finding in decision.findings]


def masked(text: str, *, values: bool) -> str:
    """
    Return a sentence about a value, with the value masked unless values are shown.

    >>> masked('nobody in this run mentioned "tx_99999"', values=False)
    'nobody in this run mentioned "•••"'
    """
    return text if values else _QUOTED.sub(rf"\1{MASK}\1", text)


def time_of(at: float) -> str:
    """Return a time in UTC to the second; empty where no calendar has it."""
    try:
        return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
    except (OverflowError, OSError, ValueError):
        return ""


def _shown(finding: Finding, *, values: bool) -> ShownFinding:
    return ShownFinding(
        check=finding.check,
        verdict=finding.verdict.value,
        code=finding.code,
        where=finding.where,
        detail=masked(finding.detail, values=values),
        hint=masked(finding.hint, values=values),
        got=_value(finding.got, values=values),
        expected=masked(finding.expected, values=values),
        nearest=finding.nearest if values or not finding.nearest else MASK,
        strength=f"{finding.strength:.2f}",
        weighs=finding.weighs,
        suppressed=finding.suppressed,
        evidence=[(str(name), _value(value, values=values)) for name, value in _facts(finding)],
    )


def _facts(finding: Finding) -> list[tuple[str, Any]]:
    return sorted(finding.evidence.items(), key=lambda fact: str(fact[0]))


def _value(value: object, *, values: bool) -> str:
    if value is None:
        return ""
    return str(value) if values else MASK
