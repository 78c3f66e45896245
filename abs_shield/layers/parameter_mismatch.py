"""Layer 3: the arguments do not match the declared type and format."""

from __future__ import annotations

from collections.abc import Iterator

from abs_shield.core import Failed, Finding, Unavailable, Verdict
from abs_shield.plan import Proposal
from abs_shield.schema import Problem, Undecided
from abs_shield.session import Session


def parameter_mismatch(
    proposal: Proposal, session: Session
) -> Iterator[Finding | Unavailable | Failed]:
    """The agent passes ``"yesterday"`` to a ``date`` that must be ISO-8601."""
    tool = proposal.tool
    if proposal.malformed is not None:
        code, detail, hint = proposal.malformed
        yield _finding(Problem(where="", code=code, detail=detail, hint=hint))
    elif tool is None or (tool.schema is None and not tool.broken):
        yield Unavailable("no schema")
    elif tool.schema is None:
        yield Failed(tool.broken)
    elif not proposal.fits:
        if proposal.undecided:
            yield Failed(proposal.undecided)
            return
        try:
            yield from map(_finding, tool.schema.problems(proposal.arguments))
        except Undecided as error:
            yield Failed(str(error))


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
