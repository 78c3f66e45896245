"""Tools that an answer says it used or quotes, although no call of the run has their name."""

from __future__ import annotations

import re
from collections.abc import Iterator

from abs_shield.answer.checks.action_patterns import CONDITION, FAILURE
from abs_shield.answer.evidence.evidence_passages import Evidence
from abs_shield.text.safe_display import shown

# an underscore, so that a quoted word of the answer is no tool
_TOOL = r"[\"'`*]{1,3}(?P<tool>[a-z][a-z0-9]{0,30}(?:_[a-z0-9]{1,30}){1,8})(?:\(\))?[\"'`*]{1,3}"
_USED = re.compile(
    rf"\b(?:I|we)(?:['\u2019]ve|[ ]have)?(?:[ ](?:then|also|first))?"
    rf"[ ](?:used|called|ran|executed|invoked)[ ](?:the[ ])?{_TOOL}|"
    rf"{_TOOL.replace('?P<tool>', '?P<other>')}[ ](?:(?:function|tool|call|method)[ ]){{0,2}}"
    r"(?:has[ ])?returned\b",
    re.IGNORECASE,
)


def unused_tools(text: str, evidence: Evidence) -> Iterator[str]:
    """
    Yield a text for each tool that a claim says was used: why it was not; empty if it was.

    A name that occurs anywhere in the evidence may be a function of the user's own code.
    """
    for match in _USED.finditer(text):
        if FAILURE.search(text) or CONDITION.search(text, 0, match.start()):
            continue
        tool = (match["tool"] or match["other"]).casefold()
        yield "" if _occurs(tool, evidence) else f"{shown(tool)}: no call of a tool of that name"


def _occurs(tool: str, evidence: Evidence) -> bool:
    calls = (*(evidence.executed or ()), *evidence.failed)
    if any(tool in call.tool.casefold() or tool in str(call.arguments) for call in calls):
        return True
    return any(tool in f"{piece.name} {piece.text}".casefold() for piece in evidence)
