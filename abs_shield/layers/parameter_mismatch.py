"""Layer 3: the arguments do not match the declared type and format."""

from __future__ import annotations

from collections.abc import Iterable

from abs_shield.core import Failed, Finding, Unavailable, Verdict
from abs_shield.plan import Proposal
from abs_shield.schema import Problem
from abs_shield.session import Session


def parameter_mismatch(
    proposal: Proposal, session: Session
) -> Iterable[Finding | Unavailable | Failed]:
    """The agent passes ``"yesterday"`` to a ``date`` that must be ISO-8601."""
    tool = proposal.tool
    if proposal.malformed is not None:
        code, detail, hint = proposal.malformed
        return (_finding(Problem(where="", code=code, detail=detail, hint=hint)),)
    if tool is None or tool.schema is None:
        return (Failed(tool.broken) if tool and tool.broken else Unavailable("no schema"),)
    return () if proposal.fits else map(_finding, tool.schema.problems(proposal.arguments))


def _finding(problem: Problem) -> Finding:
    return Finding(
        check="parameter_mismatch",
        verdict=Verdict.HALLUCINATED,
        strength=1.0,
        where="/arguments" + problem.where,
        detail=problem.detail,
        code=problem.code,
        hint=problem.hint,
        got=problem.got,
        expected=problem.expected,
        allowed=problem.allowed,
        nearest=problem.nearest,
    )
