"""One-line summary of a decision without judged values, because logs export exception texts."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

from abs_shield.core.finding import Finding
from abs_shield.core.vocabularies import (
    IMPOSSIBLE_STATE,
    LAYER_NAMES,
    OPT_IN_NAMES,
    PARAMETER_MISMATCH,
    PERSONAL_DATA,
    PHANTOM_TARGET,
    PHANTOM_TOOL,
    SELF_CONTRADICTION,
    SIGNAL_NAMES,
    Subject,
    Verdict,
)
from abs_shield.text.safe_display import escaped

if TYPE_CHECKING:
    from abs_shield.core.decision import Decision

# Number of fixed steps: the empty one before the first slash and, in a call, `arguments`.
_BEGIN = {Subject.CALL: 2, Subject.RESULT: 1}
# Longer numbers may be values, such as a card number used as a key.
_POSITION = re.compile(r"\d{1,2}")
# An identifier of at most 64 characters, or a position.
_NAME = re.compile(r"(?:[^\W\d][\w.$:-]{0,63}|\d{1,2})?")


def safe_where(finding: Finding, subject: Subject, names: frozenset[str] | None) -> str:
    """
    Return the pointer of a finding; a pointer into a report has no names by the model.

    Args:
        finding: The finding.
        subject: The kind of thing judged.
        names: Argument names that the tool's author wrote; None if they are unknown.
    """
    if subject not in _BEGIN:
        return finding.where
    return safe_pointer(finding, names=names, begin=_BEGIN[subject])


def safe_pointer(finding: Finding, *, names: frozenset[str] | None = None, begin: int = 2) -> str:
    """
    Return the pointer of a finding, without names that the model may have written.

    The steps from *begin* on are names in the judged data; those before are fixed. Replaced by
    ``*`` are the name of an unknown argument and keys that are not in *names*, or, if these are
    unknown, keys that do not look like a name.
    """
    segments = finding.where.split("/")
    if finding.code == "unknown_argument":
        segments.pop()
    if names is None or len(segments) <= begin:
        return "/".join(part if _NAME.fullmatch(part) else "*" for part in segments)
    head, inside = segments[:begin], segments[begin:]
    return "/".join((*head, *(part if _is_own(part, names) else "*" for part in inside)))


def _is_own(part: str, names: frozenset[str]) -> bool:
    """Return whether a step of a pointer is a list position or a name that the author wrote."""
    return bool(_POSITION.fullmatch(part)) or (part in names and bool(_NAME.fullmatch(part)))


_LONGEST = 200  # enough for a rule's sentence; a log line of several findings stays readable
_BUILT_IN = frozenset((*LAYER_NAMES, *OPT_IN_NAMES, PERSONAL_DATA, *SIGNAL_NAMES))
_WITH_VALUES = frozenset((PARAMETER_MISMATCH, PHANTOM_TARGET))
"""Built-in checks whose hints may contain a value; the hints of all others never do."""
_PLAIN_HINTS = frozenset(
    ("unknown_argument", "missing_argument", "bad_format", "bad_pattern", "not_finite")
)
"""Codes of `parameter_mismatch` whose hints contain only facts from the schema."""
_AFTER = frozenset((IMPOSSIBLE_STATE, SELF_CONTRADICTION))
"""Checks whose evidence names the tool that ran first."""
_SIMILAR = "a similar value was mentioned; `.decision.feedback()` names it"
_BROKE = " could not run: "
_TYPE_AND_PLACE = re.compile(r"\w+( at .+:\d+)?")


class Approval(NamedTuple):
    """The wording of a summary for a call that an operator has not approved."""

    code: str
    reason: str
    hint: str


APPROVALS = {
    "required": Approval(
        "approval_required",
        "an operator has to approve this call",
        "wait for an operator's approval, or ask the user",
    ),
    "refused": Approval(
        "approval_refused",
        "an operator did not approve this call",
        "an operator did not approve this call: do not repeat it, ask the user",
    ),
}
"""The wording by the decision's `approval`."""


def _approval_reasons(decision: Decision) -> list[str]:
    """Return the reason if a call waits for approval, or if it was refused."""
    reasons = APPROVALS.get(decision.approval)
    return [] if reasons is None else [f"{reasons.code}: {reasons.reason}"]


def _title_of(decision: Decision) -> str:
    """Return the subject and the verdict, without the reasons."""
    of = ""
    if decision.tool or decision.subject is Subject.CALL:
        of = f" of `{escaped(decision.tool)}`"
    about = f"{decision.subject}{of}"
    if not decision.errors or decision.verdict is not Verdict.CLEAN:
        return f"{about} is {decision.verdict}"
    if not decision.blocked:
        return f"{about} could not be checked in full"
    done = "withheld" if decision.subject is Subject.RESULT else "blocked"
    return f"{about} is {done} by an internal error, in strict mode"


def summary_of(decision: Decision, *, names: frozenset[str] | None) -> str:
    """Return one line with layers, pointers, codes and hints, without values."""
    withheld = decision.blocked and decision.subject is Subject.RESULT
    write = _place if withheld else _reason
    reasons = [write(f, decision.subject, names) for f in decision.findings if f.weighs]
    return summary_line(decision, reasons, map(_error, decision.errors))


def summary_line(decision: Decision, reasons: Iterable[str], errors: Iterable[str]) -> str:
    """Return one line: the verdict, the reasons of the findings, then the other reasons."""
    parts = [*reasons, *_approval_reasons(decision), *(f"layer_error: {text}" for text in errors)]
    if decision.blocked and decision.subject is Subject.RESULT:
        parts.append("it was withheld, the call has run")
    line = f"{_title_of(decision)}: {'; '.join(parts) or 'nothing to say'}"
    # Escaped without a cut: the parts are already shortened.
    return escaped(line, limit=len(line))


def _place(finding: Finding, subject: Subject, names: frozenset[str] | None) -> str:
    return f"{finding.check} at {safe_where(finding, subject, names) or '/'}"


def _reason(finding: Finding, subject: Subject, names: frozenset[str] | None) -> str:
    place, hint = _place(finding, subject, names), _hint(finding)
    reason = escaped(f"{place}: {_fault(finding)}", limit=_LONGEST)
    return f"{reason}; {hint}" if hint else reason


def _fault(finding: Finding) -> str:
    """Return the code of a finding, with the sentences of the policy and the tools' authors."""
    if finding.check == PHANTOM_TOOL:
        return finding.detail  # contains only the tool's name
    if finding.check == IMPOSSIBLE_STATE and finding.code == "rule":
        return f"rule `{finding.evidence.get('rule', '')}`: {finding.expected}"
    if finding.check == PARAMETER_MISMATCH and finding.expected:
        return f"{finding.code}, expected {finding.expected}"
    if finding.check in _AFTER and (first := finding.evidence.get("first")):
        return f"{finding.code}, after `{first}`"
    return finding.code


def _hint(finding: Finding) -> str:
    """Return the hint of a finding if it cannot contain a value; empty for custom layers."""
    if finding.check == PHANTOM_TARGET:
        return _SIMILAR if finding.nearest else finding.hint
    if finding.check in _WITH_VALUES:
        return finding.hint if finding.code in _PLAIN_HINTS else ""
    return finding.hint if finding.check in _BUILT_IN else ""


def _error(error: str) -> str:
    """Return an internal error, without messages that a custom layer wrote."""
    # The type of an exception and its place in the code contain no value.
    layer, broke, message = error.partition(_BROKE)
    if not broke or layer in _BUILT_IN or _TYPE_AND_PLACE.fullmatch(message):
        return error
    return f"{layer}{_BROKE.rstrip(': ')}"
