"""A decision in one line without a value that was judged: texts of exceptions are exported."""

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

# Fixed steps: the empty one before the first slash and, of a call, `arguments`.
_BEGIN = {Subject.CALL: 2, Subject.RESULT: 1}
# longer numbers may be values, such as a key that is a card number
_POSITION = re.compile(r"\d{1,2}")
# a name as programs write it, of at most 64 characters
_NAME = re.compile(r"(?:[^\W\d][\w.$:-]{0,63}|\d{1,2})?")


def safe_where(finding: Finding, subject: Subject, names: frozenset[str] | None) -> str:
    """
    Return where a finding points; a pointer into a report has no step that a model wrote.

    Args:
        finding: The finding.
        subject: What was judged.
        names: Argument names that the tool's author wrote; None where they are not known.
    """
    if subject not in _BEGIN:
        return finding.where
    return safe_pointer(finding, names=names, begin=_BEGIN[subject])


def safe_pointer(finding: Finding, *, names: frozenset[str] | None = None, begin: int = 2) -> str:
    """
    Return where the finding points, without what the model may have written there.

    The steps from *begin* on are names of the judged data; those before are fixed: ``/arguments``.

    An unknown argument's name is the model's, and so is a key that the tool's author did not
    write; where *names* are not known, a key that does not look like a name.
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


_LONGEST = 200  # a rule's sentence fits, and a log line with several findings stays readable
_BUILT_IN = frozenset((*LAYER_NAMES, *OPT_IN_NAMES, PERSONAL_DATA, *SIGNAL_NAMES))
_WITH_VALUES = frozenset((PARAMETER_MISMATCH, PHANTOM_TARGET))
"""Built-in checks some of whose hints name a value; those of all others never do."""
_PLAIN_HINTS = frozenset(
    ("unknown_argument", "missing_argument", "bad_format", "bad_pattern", "not_finite")
)
"""Codes of `parameter_mismatch` whose hints name nothing but what the schema says."""
_AFTER = frozenset((IMPOSSIBLE_STATE, SELF_CONTRADICTION))
"""Checks whose evidence names the tool that ran first."""
_SIMILAR = "a similar value was mentioned; `.decision.feedback()` names it"
_BROKE = " could not run: "
_TYPE_AND_PLACE = re.compile(r"\w+( at .+:\d+)?")


class Approval(NamedTuple):
    """The wording for a call that an operator has not approved."""

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
"""By the decision's `approval`."""


def _approval_reasons(decision: Decision) -> list[str]:
    """Return that the call waits for an operator, or that one refused it; mostly nothing."""
    reasons = APPROVALS.get(decision.approval)
    return [] if reasons is None else [f"{reasons.code}: {reasons.reason}"]


def _title_of(decision: Decision) -> str:
    """Return what was judged and what was decided, without the reasons."""
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
    """Return one line that names layers, places, codes and hints, and no value."""
    withheld = decision.blocked and decision.subject is Subject.RESULT
    write = _place if withheld else _reason
    reasons = [write(f, decision.subject, names) for f in decision.findings if f.weighs]
    return summary_line(decision, reasons, map(_error, decision.errors))


def summary_line(decision: Decision, reasons: Iterable[str], errors: Iterable[str]) -> str:
    """Return one line: what was decided, the reasons of its findings, then all others."""
    parts = [*reasons, *_approval_reasons(decision), *(f"layer_error: {text}" for text in errors)]
    if decision.blocked and decision.subject is Subject.RESULT:
        parts.append("it was withheld, the call has run")
    line = f"{_title_of(decision)}: {'; '.join(parts) or 'nothing to say'}"
    # Escaped only: its parts are already cut.
    return escaped(line, limit=len(line))


def _place(finding: Finding, subject: Subject, names: frozenset[str] | None) -> str:
    return f"{finding.check} at {safe_where(finding, subject, names) or '/'}"


def _reason(finding: Finding, subject: Subject, names: frozenset[str] | None) -> str:
    place, hint = _place(finding, subject, names), _hint(finding)
    reason = escaped(f"{place}: {_fault(finding)}", limit=_LONGEST)
    return f"{reason}; {hint}" if hint else reason


def _fault(finding: Finding) -> str:
    """Return what is wrong: the code, and what the policy and the tools' authors say of it."""
    if finding.check == PHANTOM_TOOL:
        return finding.detail  # it names the tool, and nothing else
    if finding.check == IMPOSSIBLE_STATE and finding.code == "rule":
        return f"rule `{finding.evidence.get('rule', '')}`: {finding.expected}"
    if finding.check == PARAMETER_MISMATCH and finding.expected:
        return f"{finding.code}, expected {finding.expected}"
    if finding.check in _AFTER and (first := finding.evidence.get("first")):
        return f"{finding.code}, after `{first}`"
    return finding.code


def _hint(finding: Finding) -> str:
    """Return the hint of a finding, where it names no value; of a layer of the host's, nothing."""
    if finding.check == PHANTOM_TARGET:
        return _SIMILAR if finding.nearest else finding.hint
    if finding.check in _WITH_VALUES:
        return finding.hint if finding.code in _PLAIN_HINTS else ""
    return finding.hint if finding.check in _BUILT_IN else ""


def _error(error: str) -> str:
    """Return our own failure to check; what a layer of the host's writes of its own is left out."""
    # The type of an exception and its place in the code hold no value.
    layer, broke, message = error.partition(_BROKE)
    if not broke or layer in _BUILT_IN or _TYPE_AND_PLACE.fullmatch(message):
        return error
    return f"{layer}{_BROKE.rstrip(': ')}"
