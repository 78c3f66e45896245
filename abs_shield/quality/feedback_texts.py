"""Feedback for an agent about a held output: the reason, and the correction."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from abs_shield.quality.hallucination import TITLES, SubCheck
from abs_shield.quality.quality_types import OutputFinding
from abs_shield.text.safe_display import escaped

_MOST = 10
"""Maximum number of listed findings, because a model does not read a hundred of them."""


def guardrail_feedback(findings: Sequence[OutputFinding]) -> str:
    """Return four lines for each rule that an output violates."""
    return "\n\n".join(
        f"Guardrail violation: {one.code}\n"
        f'Claim: "{escaped(one.claim.rstrip(". "), limit=300)}"\n'
        f"Requirement: {one.requirement}\n"
        f"Action: {one.remedy}"
        for one in findings[:_MOST]
    )


def hallucination_feedback(score: float, threshold: float, checks: Mapping[str, SubCheck]) -> str:
    """Return the score, the sub-checks that failed, and what to correct."""
    some = [(TITLES[name], one) for name, check in checks.items() for one in check.findings][:_MOST]
    lines = [f"Hallucination detected (score: {score:.1f}%, threshold: {threshold:g}%)"]
    lines += ["Failed sub-checks:", *(f"- {title}: {one.detail}" for title, one in some)]
    lines += ["Please regenerate addressing:"]
    lines += [f"{n}. {one.remedy or one.detail}" for n, (_, one) in enumerate(some, 1)]
    return "\n".join(lines)
