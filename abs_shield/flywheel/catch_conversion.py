"""Conversion of a decision's findings to catches, with readable names of error codes."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from functools import lru_cache
from math import isfinite
from typing import Any

from abs_shield.core import Decision, Finding, Subject
from abs_shield.core.label import Truth
from abs_shield.core.vocabularies import PHANTOM_TOOL
from abs_shield.flywheel.catch import Catch
from abs_shield.flywheel.gap_severity import priority_of
from abs_shield.text.safe_display import capitalise, escaped, shown

_WORD = re.compile(r"[^\W_]+")
_ACRONYMS = frozenset(
    "bic eu gdpr iban id imei ip isin itin mac mrn nhs nino npi phi pii spc ssn swift uk url us "
    "uuid vat vin".split()
)
_PHRASES = {
    "rule": "Rule violated",
    "repeated": "Repeated call",
    "missed": "Missed by every check",
    "unsupported": "Unsupported claim",
    "contradicted": "Contradicted claim",
    "divergent": "Divergent claim",
    "rejected": "Rejected by the judge",
    "unseen": "Value never mentioned",
    "prose_only": "Value mentioned in prose only",
    "not_read": "Written without being read",
    "other_kind": "Value of another kind",
    "undone": "Action undone in the same run",
    "removed": "Used after its removal",
}
"""Phrases for codes that are not descriptive."""
_LONGEST = 80  # a code is a word or a few; a custom check may use any text


# a log has few codes and many findings
@lru_cache(maxsize=4096)
def error_words(code: str) -> str:
    """
    Return a code as words.

    >>> error_words("ENTITY_MISMATCH"), error_words("unknown_tool"), error_words("US_SSN")
    ('Entity mismatch', 'Unknown tool', 'US SSN')
    """
    lower = code.lower()
    if lower in _PHRASES:
        return _PHRASES[lower]
    words = [word.upper() if word in _ACRONYMS else word for word in _WORD.findall(lower)]
    text = escaped(" ".join(words), limit=_LONGEST)
    return capitalise(text) if text else "Fault without a code"


LABEL = "label"
"""The check of a catch created by a person's label: a hallucination that every check missed."""
LONGEST_NAME = 200  # names and ids of a model have any length; each is stored with every catch
_LONGEST_TEXT = 500  # a claim is a sentence; a gap shows five of them in a review
_QUOTE = re.compile(r'"([^"]+)"|`([^`]+)`')
_ACTUAL = re.compile(
    r'\(actual: (?P<fact>.+)\)$|(?:is said where|,) the evidence has "(?P<evidence>[^"]+)"'
)
"""The right value in the detail of a finding about a wrong value, also as older logs have it."""
_UNDECLARED_ARGUMENT = "unknown_argument"
_INDEX = re.compile(r"/\d+(?=/|$)")


def catches_of(decision: Decision, label: str = "") -> list[Catch]:
    """
    Return a catch for each finding, or one catch if only a person noticed the hallucination.

    Args:
        decision: The decision.
        label: ``hallucinated``, ``ok``, or empty.
    """
    catches = [_catch(decision, finding, n, label) for n, finding in enumerate(decision.findings)]
    missed = label == Truth.HALLUCINATED and not catches
    return [catch_of_miss(decision)] if missed else catches


def catch_of_miss(decision: Decision, note: str = "") -> Catch:
    """Return the catch of a decision without findings that is labelled as hallucinated."""
    detail = escaped(note, limit=_LONGEST_TEXT)
    return Catch(
        **_shared_fields(decision, str(decision.subject)),
        claim="",
        detected_error=error_words("missed"),
        verified_value="",
        confidence=1.0,  # a person has judged it
        priority="high",
        check=LABEL,
        code="missed",
        where="",
        label=Truth.HALLUCINATED.value,
        about=_name(decision.tool) or detail,
        detail=detail,
        verdict="",
        weighs=False,
    )


def with_label(catch: Catch, label: str) -> Catch:
    """Return a catch with another label and the priority that follows from it."""
    priority = priority_of(
        label=label, weighs=catch.weighs, verdict=catch.verdict, blocked=catch.blocked,
        confidence=catch.confidence,
    )  # fmt: skip
    return replace(catch, label=label, priority=priority)


def with_claims(catch: Catch, claims: Mapping[str, str]) -> Catch:
    """
    Return a catch of an answer with the text of its claim.

    Args:
        catch: The catch.
        claims: Texts of claims by JSON pointer, as far as the log has them.
    """
    text = claims.get(catch.where)
    if not text:
        return catch
    claim = escaped(text, limit=_LONGEST_TEXT)
    return replace(catch, claim=claim, about=claim)


def claims_of(report: Mapping[str, Any]) -> dict[str, str]:
    """Return the texts of a report's claims by JSON pointer; empty for an outline."""
    claims = report.get("claims")
    if not isinstance(claims, list):
        return {}
    return {
        f"/claims/{place}": claim["text"]
        for place, claim in enumerate(claims)
        if isinstance(claim, dict) and isinstance(claim.get("text"), str)
    }


def timestamp_of(at: float) -> str:
    """
    Return a time as ISO 8601 in UTC; the epoch if it is out of range.

    >>> timestamp_of(1775398980.0), timestamp_of(float("nan"))
    ('2026-04-05T14:23:00Z', '1970-01-01T00:00:00Z')
    """
    try:
        time = datetime.fromtimestamp(at if isfinite(at) else 0.0, UTC)
    except (OverflowError, OSError, ValueError):
        time = datetime.fromtimestamp(0.0, UTC)
    return time.strftime("%Y-%m-%dT%H:%M:%SZ")


def _catch(decision: Decision, finding: Finding, place: int, label: str) -> Catch:
    evidence = finding.evidence if isinstance(finding.evidence, Mapping) else {}
    confidence = _share(evidence.get("confidence"), _share(finding.strength, 1.0))
    blocked = decision.blocked or decision.would_block
    detail = escaped(str(finding.detail), limit=_LONGEST_TEXT)
    code = _name(finding.code)
    task = evidence.get("task_type")
    return Catch(
        **_shared_fields(decision, task if isinstance(task, str) else ""),
        claim=_claim(finding, detail),
        detected_error=error_words(code),
        verified_value=_verified_value(detail),
        suggested_value=_suggested_value(finding),
        confidence=confidence,
        priority=priority_of(
            label=label, weighs=finding.weighs, verdict=finding.verdict, blocked=blocked,
            confidence=confidence,
        ),
        check=_name(finding.check),
        code=code,
        where=_name(finding.where),
        label=label,
        place=place,
        about=_about(decision, finding, evidence, detail),
        detail=detail,
        verdict=finding.verdict.value,
        weighs=finding.weighs,
        blocked=blocked,
    )  # fmt: skip


def _shared_fields(decision: Decision, task_type: str) -> dict[str, Any]:
    tool = _name(decision.tool)
    return {
        "timestamp": timestamp_of(decision.at),
        "agent_id": _name(decision.agent or ""),
        "task_type": tool or _name(task_type),
        "decision_id": _name(decision.id),
        "tool": tool,
        "model": _name(decision.model or ""),
        "subject": decision.subject.value,
        "session_id": _name(decision.session_id),
    }


def _name(value: object) -> str:
    return escaped(value if isinstance(value, str) else str(value), limit=LONGEST_NAME)


def _share(value: object, default: float) -> float:
    """Return a number in [0, 1], or *default*."""
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)  # True is an int
    return float(value) if is_number and 0 <= value <= 1 else default  # type: ignore[operator, arg-type]


def _claim(finding: Finding, detail: str) -> str:
    if finding.code == _UNDECLARED_ARGUMENT:  # the name is wrong, not the value
        return _name(finding.where).rpartition("/")[2]
    if finding.got is not None:
        got = finding.got
        return escaped(got if isinstance(got, str) else shown(got), limit=_LONGEST_TEXT)
    quoted = _QUOTE.search(detail)
    return (quoted[1] or quoted[2]) if quoted else ""


def _verified_value(detail: str) -> str:
    actual = _ACTUAL.search(detail)
    return (actual["fact"] or actual["evidence"]) if actual else ""


def _suggested_value(finding: Finding) -> str:
    """Return the nearest value, or the only allowed one; both are guesses."""
    only = finding.allowed[0] if len(finding.allowed) == 1 else ""
    value = finding.nearest or only
    return escaped(value if isinstance(value, str) else shown(value), limit=_LONGEST_TEXT)


def _about_text(subject: Subject, evidence: Mapping[str, Any], detail: str) -> str:
    about = evidence.get("about")
    if isinstance(about, str) and about:
        return _name(about)
    if subject is Subject.ANSWER:
        return " ".join(one or other for one, other in _QUOTE.findall(detail)) or detail
    return detail.partition(": ")[2] or detail


def _about(decision: Decision, finding: Finding, evidence: Mapping[str, Any], detail: str) -> str:
    """Return the subject matter, which the catches of a gap have in common."""
    if decision.subject not in (Subject.CALL, Subject.RESULT):
        return _about_text(decision.subject, evidence, detail)
    tool = _name(decision.tool)
    if finding.check == PHANTOM_TOOL:
        return tool
    # without indexes: the same field of each item is one subject matter
    where = _INDEX.sub("", _name(finding.where)).removeprefix("/arguments")
    rule = evidence.get("rule")
    parts = [tool, where.strip("/"), _name(rule) if isinstance(rule, str) else ""]
    return " ".join(part for part in parts if part)
