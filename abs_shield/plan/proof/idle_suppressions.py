"""A suppression that silences nothing, or nothing more than another one."""

from __future__ import annotations

from collections.abc import Iterator

from abs_shield.core.names import PARAMETER_MISMATCH, SIGNAL_NAMES
from abs_shield.plan.compile import rejects_name
from abs_shield.plan.finding_codes import FINDING_CODES, OF_WHOLE_CALL
from abs_shield.plan.place_in_schema import absent_step
from abs_shield.plan.policy_problem import Problem, problem
from abs_shield.plan.proof_context import ProofContext, nearest_name_hint
from abs_shield.plan.tool_plan import ToolPlan
from abs_shield.policy import Suppression
from abs_shield.text.show import escaped

_GHOST = "unknown_argument"
_NAME = "/name"
_Reason = tuple[str, str]
"""Why a suppression is idle, and what to do; both empty where it is not."""
_NOTHING: _Reason = ("", "")


def idle_suppressions(context: ProofContext) -> Iterator[Problem]:
    """``until="2024-01-31"``: the false alarm is loud again, and the entry is only in the way."""
    for n, each in enumerate(context.policy.suppress):
        what = f"`Suppression` of {each}"
        if not each.holds(context.at):
            told, code, hint = f"ended on {each.until}", "expired_suppression", "renew or remove it"
        elif (idle := _idle(each, context)) != _NOTHING:
            (told, hint), code = idle, "idle_suppression"
        elif (wider := _wider(n, context)) is not None:
            told, code = f"silences nothing that {wider} does not silence", "covered_suppression"
            hint = "remove it, or narrow the wider one"
        else:
            continue
        yield problem(code, f"{what} {told}", subject=what, place=each.place, hint=hint)


def _wider(n: int, context: ProofContext) -> Suppression | None:
    """Return an entry that covers the one at *n*; of two that cover each other the first stays."""
    each = context.policy.suppress[n]
    for m, other in enumerate(context.policy.suppress):
        if m != n and other.covers(each) and (m < n or not each.covers(other)):
            return other
    return None


def _idle(each: Suppression, context: ProofContext) -> _Reason:
    if each.check in context.policy.layer_names and each.check not in _own_codes(context):
        return _NOTHING  # a layer of one's own, or `personal_data`: it may say anything
    if each.check in SIGNAL_NAMES:
        return _unheard(each, context)
    if each.check not in context.policy.layer_names:
        hint = "remove it, or name the layer in `layers`"
        return "silences a layer that does not run", hint
    return next((said for said in _reasons(each, context) if said != _NOTHING), _NOTHING)


def _own_codes(context: ProofContext) -> set[str]:
    """The built-in layers with a closed list of codes, without those that a function replaces."""
    replaced = {layer.__name__ for layer in context.policy.layers or () if callable(layer)}
    return {*FINDING_CODES} - replaced


def _reasons(each: Suppression, context: ProofContext) -> Iterator[_Reason]:
    yield _without_code(each)
    yield _without_place(each)
    yield _nowhere(each, context)


def _unheard(each: Suppression, context: ProofContext) -> _Reason:
    if context.policy.verification is False:
        return "silences a signal of results, and the policy judges none", "remove it"
    if each.code in (None, each.check):
        return _NOTHING
    return "silences a code that the signal never has", "leave `code` out"


def _without_code(each: Suppression) -> _Reason:
    known = FINDING_CODES[each.check]
    if each.code is None or each.code in known:
        return _NOTHING
    told = f"silences code `{escaped(each.code)}`, which no finding of `{each.check}` has"
    return told, nearest_name_hint(each.code, known, what="code")


def _without_place(each: Suppression) -> _Reason:
    """A layer points at the tool's name, or into the arguments, and never at the other."""
    of_call = each.check in OF_WHOLE_CALL
    if each.where is None or of_call == (each.where == _NAME):
        return _NOTHING
    where = f"at `{_NAME}`" if of_call else "into `/arguments`"
    return f"silences a place where `{each.check}` finds nothing", f"its findings point {where}"


def _nowhere(each: Suppression, context: ProofContext) -> _Reason:
    """A parameter, or a place below it, that no call of the tool has by its schema."""
    if not each.parameter or each.tool not in (None, *context.tools):
        return _NOTHING
    plans = [
        context.plans[name] for name in ([*context.tools] if each.tool is None else [each.tool])
    ]
    absent = [_absent(each, plan, context) for plan in plans]
    if not absent or not all(absent):
        return _NOTHING
    whose = "its tool" if each.tool is not None else "any tool"
    if absent[0] != each.parameter:
        told = f"silences a place that does not exist: `{escaped(absent[0])}`"
        return told, f"compare it with the schema of {whose}"
    known = [name for plan in plans if plan.schema is not None for name in plan.schema.known]
    hint = nearest_name_hint(each.parameter, known, what="parameter")
    return f"silences `{escaped(each.parameter)}`, which is no parameter of {whose}", hint


def _absent(each: Suppression, plan: ToolPlan, context: ProofContext) -> str:
    """
    The step of the place that no call of one tool has; empty where it may be there.

    That nobody declared a parameter is a finding at the parameter itself. A policy that silences
    this lets calls have it, and what the other layers say of it then may be silenced as well.
    """
    mismatch = each.check == PARAMETER_MISMATCH
    if plan.schema is None:
        return ""
    if mismatch and each.code in (None, _GHOST):
        known = each.parameter in plan.schema.known
        said = plan.tool.parameters
        # an unknown member is a finding of an object; a list and a number have no members at all
        return absent_step(said, each.steps, declared=False, open_objects=True) if known else ""
    if not rejects_name(plan.schema, each.parameter):
        return absent_step(plan.tool.parameters, each.steps, declared=mismatch)
    ghost = Suppression(
        check=PARAMETER_MISMATCH, tool=plan.tool.name, code=_GHOST, where=each.where, reason="-"
    )
    silenced = any(other.covers(ghost) for other in context.policy.suppress)
    return "" if silenced else each.parameter
