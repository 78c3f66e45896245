"""Layer 3: the arguments do not match the declared type and format."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from abs_shield.core import RAN, Coverage, Failed, Finding, Outcome, Unavailable, Verdict
from abs_shield.plan import Proposal, Terms, ToolPlan
from abs_shield.plan.quick import Quick
from abs_shield.schema import CompiledSchema, Problem, Undecided
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
    return () if proposal.fits else _mismatches(tool.schema, proposal)


_NO_SCHEMA = Coverage(Outcome.UNAVAILABLE, "no schema")


def quick_mismatch(plan: ToolPlan, terms: Terms) -> Coverage | Quick:
    """Clean where the arguments match, as every quick call's do; a broken schema is told of."""
    if plan.schema is not None:
        return RAN
    return (lambda arguments, session, logprob: None) if plan.broken else _NO_SCHEMA


def _mismatches(schema: CompiledSchema, proposal: Proposal) -> Iterator[Finding | Failed]:
    if proposal.undecided:
        yield Failed(proposal.undecided)
        return
    try:
        yield from map(_finding, schema.problems(proposal.arguments))
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
