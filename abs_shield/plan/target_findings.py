"""Findings about targets that the run does not mention, or mentions as another kind."""

from __future__ import annotations

import re

from abs_shield.core import Finding, Verdict
from abs_shield.plan.entity_kinds import is_credential_in_results
from abs_shield.plan.judged_arguments import Argument
from abs_shield.plan.strengths import STRENGTHS
from abs_shield.plan.tool_plan import ToolPlan
from abs_shield.session import Origin, Session
from abs_shield.session.original_spelling import original_spelling
from abs_shield.session.session_record import mentions_of
from abs_shield.text.json_leaves import name_of, pointer
from abs_shield.text.nearest import closest_spelling
from abs_shield.text.normal_form import normal
from abs_shield.text.safe_display import escaped, shown

_DIGIT = re.compile(r"\d")


def unmentioned_credential(argument: Argument, tool: ToolPlan, session: Session) -> Finding:
    """Return a finding about an unmentioned credential; its texts contain no secret."""
    name = f"`{escaped(name_of(argument.path))}`"
    source = "a result returned" if is_credential_in_results(argument, session) else "a person gave"
    detail = f"this value of {name} was not mentioned in this run, but {source} another one"
    basis = strength_class(argument, "hard_id")
    return target_finding(argument._replace(text="***"), tool, basis, detail, code="unseen")


def strength_class(argument: Argument, basis: str) -> str:
    """Return the strength class of a miss; a declared `must_be_seen` is certain."""
    return "declared" if argument.must_be_seen else basis


def unmentioned_finding(
    argument: Argument, tool: ToolPlan, basis: str, session: Session
) -> Finding:
    """Return a finding about an unmentioned value, with the value that was probably meant."""
    detail = f"{shown(argument.text)} was not mentioned in this run"
    near = _nearest_value(argument.text, session)
    return target_finding(argument, tool, basis, detail, code="unseen", near=near, session=session)


def _nearest_value(text: str, session: Session) -> str:
    """Return the mentioned value that was probably meant: the nearest or the only similar one."""
    candidates = dict.fromkeys(mentions_of(session).find_similar(text))
    near = closest_spelling(normal(text), candidates) if candidates else ""
    # Only with a digit: a word that looks like a name may be any word.
    return near or (next(iter(candidates)) if len(candidates) == 1 and _DIGIT.search(text) else "")


def describe_other_kind(
    argument: Argument, origin: Origin, session: Session, *, in_other_parameter: bool
) -> str:
    """Return why a mentioned value names another kind of thing."""
    if in_other_parameter:
        return f"{shown(argument.text)} is also in another parameter of this call, as another kind"
    if origin.source == "user":
        called = ", ".join(
            f"`{escaped(word)}`" for word in sorted(mentions_of(session).labels(argument.text))
        )
        return f"the user labelled this value {called}, and another one as the requested thing"
    fields = ", ".join(f"`{escaped(field)}`" for field in origin.fields[:3])
    return f"this value was seen only as {fields} in {origin}"


def target_finding(
    argument: Argument,
    tool: ToolPlan,
    basis: str,
    detail: str,
    *,
    code: str,
    near: str = "",
    session: Session | None = None,
) -> Finding:
    """Return a finding about *argument*, whose basis is a class of `STRENGTHS`."""
    # HALLUCINATED needs both: a class that is nearly always right, and an author's declaration
    # that the call is destructive or the value must be seen.
    is_hallucinated = STRENGTHS[basis].hard and (tool.tool.destructive or argument.must_be_seen)
    origin = session.origin(near) if near and session is not None else None
    if origin is not None and session is not None:
        near = original_spelling(near, origin, session)
    hint = f"did you mean {shown(near)}, from {origin}?" if near else "ask the user, or look it up"
    return Finding(
        check="phantom_target",
        verdict=Verdict.HALLUCINATED if is_hallucinated else Verdict.SUSPICIOUS,
        strength=STRENGTHS[basis].strength,
        basis=basis,
        where="/arguments" + pointer(argument.path),
        detail=detail,
        code=code,
        hint=hint,
        got=shown(argument.text),
        expected="a value that the user, the system or a tool result mentioned",
        nearest=near,
    )
