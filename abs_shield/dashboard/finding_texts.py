"""Texts about a decision and its findings, with values of arguments and results masked."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from abs_shield.core import Decision, Finding, Subject
from abs_shield.core.decision_summary import safe_where
from abs_shield.dashboard.code_sentences import sentence_of

MASK = "•••"
"""The text that replaces a masked value."""
# not after a letter, so that the apostrophe of "doesn't" opens no quotation
_QUOTED = re.compile(r"(?<!\w)([\"'])(?:(?!\1).)*\1")
_OWN_FACTS = ("rule", "file", "line")
"""Evidence written by the author of a policy, which is not masked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownFinding:
    """The texts about one finding; see `Finding`."""

    check: str
    verdict: str
    code: str
    where: str
    sentence: str
    strength: str
    weighs: bool
    suppressed: bool
    facts: list[tuple[str, str]]


def shown_findings(decision: Decision, *, values: bool) -> list[ShownFinding]:
    """
    Return the texts about the findings of a decision.

    Args:
        decision: The decision.
        values: Whether values of arguments and results are shown; otherwise they are masked.
    """
    return [_shown(finding, decision.subject, values=values) for finding in decision.findings]


def sentence(finding: Finding, *, values: bool) -> str:
    """
    Return one line about a finding.

    The detail of a finding may quote values, so without values it is the sentence of the code.
    """
    if not values:
        return sentence_of(finding.code)
    return f"{finding.detail}; {finding.hint}" if finding.hint else finding.detail


def mask_text(text: str, *, values: bool) -> str:
    """
    Return a reason or an error, with quoted texts masked unless *values* is true.

    >>> mask_text('no date in "tx_99999"', values=False)
    'no date in "•••"'
    """
    return text if values else _QUOTED.sub(rf"\1{MASK}\1", text)


def time_of(at: float) -> str:
    """Return a time in UTC to the second; empty if it is out of range."""
    try:
        return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%d %H:%M:%S")
    except (OverflowError, OSError, ValueError):
        return ""


def describe_location(finding: Finding, subject: Subject, *, values: bool) -> str:
    """Return the JSON pointer of a finding, without names written by a model."""
    return finding.where if values else safe_where(finding, subject, None)


def _shown(finding: Finding, subject: Subject, *, values: bool) -> ShownFinding:
    return ShownFinding(
        check=finding.check,
        verdict=finding.verdict.value,
        code=finding.code,
        where=describe_location(finding, subject, values=values),
        sentence=sentence(finding, values=values),
        strength=f"{finding.strength:.2f}",
        weighs=finding.weighs,
        suppressed=finding.suppressed,
        facts=[*_facts(finding, values=values)],
    )


def _facts(finding: Finding, *, values: bool) -> Iterator[tuple[str, str]]:
    """Yield the name and the text of each further fact of a finding."""
    hidden = {"got": finding.got, "nearest": finding.nearest or None}
    evidence = sorted(finding.evidence.items(), key=lambda fact: str(fact[0]))
    for name, value in (*hidden.items(), ("expected", finding.expected or None), *evidence):
        if value is not None:
            yield str(name), _value(str(name), value, values=values)


def _value(name: str, value: Any, *, values: bool) -> str:
    if values or name in _OWN_FACTS:
        return str(value)
    # the expectation is the schema's text, and only its quotations may be the model's
    return mask_text(value, values=False) if name == "expected" else MASK
