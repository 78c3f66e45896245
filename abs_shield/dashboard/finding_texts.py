"""Texts about a decision, its findings and their codes, without values of a call."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from abs_shield.core import Decision, Finding, Subject
from abs_shield.core.decision_summary import safe_where
from abs_shield.core.finding import QUOTED

SENTENCES = {
    # phantom_tool
    "unknown_tool": "no tool of this name is registered",
    "unavailable_tool": "this session may not call this tool",
    "no_name": "the call names no tool",
    # phantom_target
    "unseen": "this value was not mentioned in this run",
    "other_kind": "this run has the value, but as an identifier of another kind",
    "placeholder": "a placeholder is in place of a value",
    "whole_set": "the value names a whole set, or nothing, instead of one thing",
    "mixed_scripts": "a name mixes letters of two scripts",
    "hidden_characters": "the value has invisible characters",
    "too_long": "the value is too long to be compared",
    # parameter_mismatch
    "coercible": "the value has another form than the schema's, and converts without loss",
    "malformed_json": "the arguments are not JSON",
    "duplicate_key": "a key appears twice",
    "not_finite": "a number is not finite",
    "too_deep": "the arguments are nested too deeply to be judged",
    "too_large": "the arguments are too large to be judged",
    "too_complex": "a text took too long to match with the schema's pattern",
    "missing_argument": "a required argument is missing",
    "unknown_argument": "the schema declares no argument of this name",
    "wrong_type": "the value has another type than the schema's",
    "not_allowed": "the value is not one that the schema lists",
    "bad_format": "the value does not have the schema's format",
    "bad_pattern": "the value does not match the schema's pattern",
    "out_of_range": "the number is beyond a limit of the schema",
    "wrong_length": "the value is shorter or longer than the schema allows",
    "not_multiple": "the number is not a multiple of the schema's step",
    "not_unique": "an item appears twice",
    "no_alternative": "the value meets none of the schema's alternatives",
    "invalid": "the schema does not allow this value",
    # self_contradiction, impossible_state, confidence_drop
    "undone": "this call undoes another one of the same run",
    "conflicting": "this call sets a value that another call of the same run set differently",
    "rule": "a declared rule does not hold",
    "removed": "an earlier call of the run removed what this call is about",
    "low_likelihood": "the model gave the tool's name a low likelihood",
    "likelihood_drop": "the model's likelihood lies far below this session's mean",
    # layers that a policy names
    "repeated": "an equal call ran before with the same result",
    "not_read": "the tool that must run before this call has not run",
    "prose_only": "the value appears only in running text of a tool's result",
}
"""Code to sentence; a test compares it with the tables of docs/layers."""


def sentence_of(code: str) -> str:
    """
    Return the sentence of a code; for an unlisted code, the code as words.

    >>> sentence_of("rule"), sentence_of("latency_anomaly")
    ('a declared rule does not hold', 'latency anomaly')
    """
    return SENTENCES.get(code) or code.replace("_", " ")


MASK = "•••"
"""The text that replaces a masked value."""
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
    return [_show(finding, decision.subject, values=values) for finding in decision.findings]


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
    return text if values else QUOTED.sub(rf"\1{MASK}\1", text)


def time_of(at: float) -> str:
    """Return a time in UTC to the second; empty if it is out of range."""
    try:
        return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%d %H:%M:%S")
    except (OverflowError, OSError, ValueError):
        return ""


def describe_location(finding: Finding, subject: Subject, *, values: bool) -> str:
    """Return the JSON pointer of a finding, without names written by a model."""
    return finding.where if values else safe_where(finding, subject, None)


def _show(finding: Finding, subject: Subject, *, values: bool) -> ShownFinding:
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
