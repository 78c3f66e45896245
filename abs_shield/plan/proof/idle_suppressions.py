"""A suppression that is expired, silences nothing, or is covered by another one."""

from __future__ import annotations

from collections.abc import Iterator

from abs_shield.core.vocabularies import PARAMETER_MISMATCH, SIGNAL_NAMES
from abs_shield.plan.compile import rejects_name
from abs_shield.plan.finding_codes import FINDING_CODES, WHOLE_CALL_LAYERS
from abs_shield.plan.place_in_schema import find_absent_step
from abs_shield.plan.policy_problem import Problem, problem
from abs_shield.plan.proof_context import ProofContext, nearest_name_hint
from abs_shield.plan.tool_plan import ToolPlan
from abs_shield.policy import Suppression
from abs_shield.text.safe_display import escaped

_UNKNOWN_ARGUMENT = "unknown_argument"
_NAME = "/name"
_Reason = tuple[str, str]
"""The reason why a suppression is idle, and a hint; both are empty if it is not idle."""
_NOT_IDLE: _Reason = ("", "")


def idle_suppressions(context: ProofContext) -> Iterator[Problem]:
    """``until="2024-01-31"``: the suppression expired, so the finding is reported again."""
    for n, each in enumerate(context.policy.suppress):
        what = f"`Suppression` of {each}"
        if not each.holds(context.at):
            reason, code, hint = (
                f"ended on {each.until}",
                "expired_suppression",
                "renew or remove it",
            )
        elif (idle := _explain_idle(each, context)) != _NOT_IDLE:
            (reason, hint), code = idle, "idle_suppression"
        elif (wider := _find_wider(n, context)) is not None:
            reason, code = f"silences nothing that {wider} does not silence", "covered_suppression"
            hint = "remove it, or narrow the wider one"
        else:
            continue
        yield problem(code, f"{what} {reason}", subject=what, place=each.place, hint=hint)


def _find_wider(n: int, context: ProofContext) -> Suppression | None:
    """Return an entry that covers the one at *n*; if both are equal, only for the second one."""
    each = context.policy.suppress[n]
    for m, other in enumerate(context.policy.suppress):
        # If two entries cover each other, only the second is superfluous.
        if m != n and other.covers(each) and (m < n or not each.covers(other)):
            return other
    return None


def _explain_idle(each: Suppression, context: ProofContext) -> _Reason:
    if each.check in context.policy.layer_names and each.check not in _own_codes(context):
        return _NOT_IDLE  # a custom layer, or `personal_data`: its codes are open
    if each.check in SIGNAL_NAMES:
        return _explain_idle_signal(each, context)
    if each.check not in context.policy.layer_names:
        hint = "remove it, or name the layer in `layers`"
        return "silences a layer that does not run", hint
    return next(
        (reason for reason in _explanations(each, context) if reason != _NOT_IDLE), _NOT_IDLE
    )


def _own_codes(context: ProofContext) -> set[str]:
    """Return the built-in layers with a fixed list of codes that no custom layer replaces."""
    replaced = {layer.__name__ for layer in context.policy.layers or () if callable(layer)}
    return {*FINDING_CODES} - replaced


def _explanations(each: Suppression, context: ProofContext) -> Iterator[_Reason]:
    yield _explain_unknown_code(each)
    yield _explain_wrong_place(each)
    yield _explain_absent_parameter(each, context)


def _explain_idle_signal(each: Suppression, context: ProofContext) -> _Reason:
    if context.policy.verification is False:
        return "silences a signal of results, and the policy judges none", "remove it"
    if each.code in (None, each.check):
        return _NOT_IDLE
    return "silences a code that the signal never has", "leave `code` out"


def _explain_unknown_code(each: Suppression) -> _Reason:
    codes = FINDING_CODES[each.check]
    if each.code is None or each.code in codes:
        return _NOT_IDLE
    reason = f"silences code `{escaped(each.code)}`, which no finding of `{each.check}` has"
    return reason, nearest_name_hint(each.code, codes, what="code")


def _explain_wrong_place(each: Suppression) -> _Reason:
    """Return why a location is wrong: a layer reports either ``/name`` or places in arguments."""
    of_call = each.check in WHOLE_CALL_LAYERS
    if each.where is None or of_call == (each.where == _NAME):
        return _NOT_IDLE
    where = f"at `{_NAME}`" if of_call else "into `/arguments`"
    return f"silences a place where `{each.check}` finds nothing", f"its findings point {where}"


def _explain_absent_parameter(each: Suppression, context: ProofContext) -> _Reason:
    """Return why no call of the tool can have the location, according to its schema."""
    if not each.parameter or each.tool not in (None, *context.tools):
        return _NOT_IDLE
    plans = [
        context.plans[name] for name in ([*context.tools] if each.tool is None else [each.tool])
    ]
    absent = [_absent_name(each, plan, context) for plan in plans]
    if not absent or not all(absent):
        return _NOT_IDLE
    whose = "its tool" if each.tool is not None else "any tool"
    if absent[0] != each.parameter:
        reason = f"silences a place that does not exist: `{escaped(absent[0])}`"
        return reason, f"compare it with the schema of {whose}"
    names = [
        name for plan in plans if plan.schema is not None for name in plan.schema.declared_names
    ]
    hint = nearest_name_hint(each.parameter, names, what="parameter")
    return f"silences `{escaped(each.parameter)}`, which is not a parameter of {whose}", hint


def _absent_name(each: Suppression, plan: ToolPlan, context: ProofContext) -> str:
    """
    Return the first name in the location that no call of a tool can have; empty if all may exist.

    A call with an undeclared parameter has a finding about that parameter. If the policy silences
    this finding, such calls pass, and other layers may have findings about the parameter, too.
    """
    is_mismatch = each.check == PARAMETER_MISMATCH
    if plan.schema is None:
        return ""
    if is_mismatch and each.code in (None, _UNKNOWN_ARGUMENT):
        exists = each.parameter in plan.schema.declared_names
        schema = plan.tool.parameters
        # only an object can have an unknown member; a list and a number have none
        return (
            find_absent_step(schema, each.steps, declared=False, open_objects=True)
            if exists
            else ""
        )
    if not rejects_name(plan.schema, each.parameter):
        return find_absent_step(plan.tool.parameters, each.steps, declared=is_mismatch)
    at_parameter = Suppression(
        check=PARAMETER_MISMATCH,
        tool=plan.tool.name,
        code=_UNKNOWN_ARGUMENT,
        where=each.where,
        reason="-",
    )
    silenced = any(other.covers(at_parameter) for other in context.policy.suppress)
    return "" if silenced else each.parameter
