"""Layer 3: the arguments do not match their declared types and formats."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

from abs_shield.core import RAN, Coverage, Failed, Finding, Outcome, Unavailable, Verdict
from abs_shield.core.call_arguments import Malformed
from abs_shield.plan import Proposal, ShieldTerms, ToolPlan
from abs_shield.plan.layer import Layer
from abs_shield.plan.strengths import STRENGTHS
from abs_shield.schema import SchemaProblem, Undecided
from abs_shield.schema.schema_problem import not_finite
from abs_shield.session import Session
from abs_shield.text.safe_display import escaped


def parameter_mismatch(
    proposal: Proposal, session: Session
) -> Iterable[Finding | Unavailable | Failed]:
    """The agent passes ``"yesterday"`` to a ``date`` that must be ISO-8601."""
    tool = proposal.tool
    if proposal.malformed is not None:
        return (_finding(_unreadable(proposal.malformed, proposal.call.arguments)),)
    if tool is None or tool.schema is None:
        return (_explain_unchecked(tool, proposal.terms),)
    if tool.broken:  # the author's own declaration still applies
        findings = () if proposal.fits else tuple(_mismatches(proposal))
        return findings or (_explain_unchecked(tool, proposal.terms),)
    return () if proposal.fits else _mismatches(proposal)


def _unreadable(malformed: Malformed, raw: Any) -> SchemaProblem:
    code, detail, hint = malformed
    got = escaped(raw) if isinstance(raw, str) else None
    return SchemaProblem(where="", code=code, detail=detail, hint=hint, got=got, expected="object")


_NO_SCHEMA = Unavailable("no schema")


def prepare_parameter_mismatch(
    plan: ToolPlan, terms: ShieldTerms, names: tuple[str, ...]
) -> Coverage | None:
    """
    Return RAN if the tool has a schema, which matching calls satisfy; else why it is unchecked.
    """
    if plan.schema is not None and not plan.broken:
        return RAN
    unchecked = _explain_unchecked(plan, terms)
    return (
        None if isinstance(unchecked, Failed) else Coverage(Outcome.UNAVAILABLE, unchecked.reason)
    )


def _explain_unchecked(tool: ToolPlan | None, terms: ShieldTerms) -> Unavailable | Failed:
    """Return why arguments are unchecked: a failure if the policy requires schemas."""
    if tool is None or not tool.broken:
        return _NO_SCHEMA
    return Failed(tool.broken) if terms.requires_schemas else Unavailable(tool.broken)


def _mismatches(proposal: Proposal) -> Iterator[Finding | Failed]:
    # A check that exceeded its budget has no result; `on_error` decides whether the call runs.
    if proposal.undecided:
        yield Failed(proposal.undecided)
        return
    try:
        problems = proposal.problems()
    except Undecided as error:
        yield Failed(str(error))
        return
    conversion = proposal.conversion
    nameless = proposal.tool is not None and (schema := proposal.tool.schema) and schema.nameless
    converted: set[str] = set()
    for pointer in () if conversion is None else conversion.non_finite:
        yield _finding(not_finite(pointer))
    for problem in problems:
        # Such a schema may be unfinished, so an argument that it does not list proves nothing.
        if nameless and problem.code == "unknown_argument":
            yield replace(_finding(problem), verdict=Verdict.SUSPICIOUS)
        elif conversion is not None and conversion.becomes_non_finite(problem):
            continue  # it was reported above
        elif conversion is None or not conversion.admits(problem):
            yield _finding(problem)
        elif problem.where not in converted:  # its type and its range are one mistake
            converted.add(problem.where)
            yield _coercible(problem)


def _coercible(problem: SchemaProblem) -> Finding:
    return replace(
        _finding(problem),
        verdict=Verdict.SUSPICIOUS,
        strength=STRENGTHS["coercible"].strength,
        basis="coercible",
        code="coercible",
    )


def _finding(problem: SchemaProblem) -> Finding:
    return Finding(
        check="parameter_mismatch",
        verdict=Verdict.HALLUCINATED,
        strength=STRENGTHS["declared"].strength,
        basis="declared",
        where="/arguments" + problem.where,
        detail=problem.detail,
        code=problem.code,
        hint=problem.hint,
        got=problem.got,
        expected=problem.expected,
        allowed=problem.allowed,
        nearest=problem.nearest,
    )


LAYER = Layer("parameter_mismatch", parameter_mismatch, prepare_parameter_mismatch, nested=True)
