"""JSON pointers of findings, without the names that a model may have written."""

from __future__ import annotations

import re

from abs_shield.core.finding import Finding
from abs_shield.core.words import Subject

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
