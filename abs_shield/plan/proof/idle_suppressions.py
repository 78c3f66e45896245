"""A suppression that silences nothing any more."""

from __future__ import annotations

from collections.abc import Iterator

from abs_shield.core.names import PARAMETER_MISMATCH, SIGNAL_NAMES
from abs_shield.plan.case import Case, hint_of
from abs_shield.plan.compile import refuses
from abs_shield.plan.problem import Problem, problem
from abs_shield.policy import Suppression
from abs_shield.text.show import escaped

_GHOST = "unknown_argument"


def idle_suppressions(case: Case) -> Iterator[Problem]:
    """``until="2024-01-31"``: the false alarm is loud again, and the entry is only in the way."""
    for each in case.policy.suppress:
        code, hint = "idle_suppression", ""
        if not each.holds(case.at):
            told, code, hint = f"ended on {each.until}", "expired_suppression", "renew or remove it"
        elif each.check in SIGNAL_NAMES:
            told, hint = _unheard(each, case)
            if not told:
                continue
        elif each.check not in case.policy.layer_names:
            told = "silences a layer that does not run"
            hint = "remove it, or name the layer in `layers`"
        elif parameter := _nowhere(each, case):
            told = f"silences `{escaped(parameter)}`, which is no parameter of its tool"
            hint = hint_of(parameter, _known(each, case), what="parameter")
        else:
            continue
        what = f"`Suppression` of {each}"
        yield problem(code, f"{what} {told}", subject=what, place=each.place, hint=hint)


def _unheard(each: Suppression, case: Case) -> tuple[str, str]:
    """Say why a signal is silenced in vain, and what to do; empty where it is not."""
    if each.check in case.policy.layer_names:  # a layer of one's own, which may say anything
        return "", ""
    if case.policy.verification is False:
        return "silences a signal of results, and the policy judges none", "remove it"
    if each.code in (None, each.check):
        return "", ""
    return "silences a code that the signal never has", "leave `code` out"


def _nowhere(each: Suppression, case: Case) -> str:
    """
    Give the parameter at which `parameter_mismatch` finds nothing of this code.

    It tells of a parameter that no call may have only that it may not; other layers judge what is
    there, declared or not.
    """
    told = each.check == PARAMETER_MISMATCH and each.code not in (None, _GHOST)
    plan = case.plans.get(each.tool) if each.tool is not None and told else None
    if plan is None or plan.schema is None or not each.parameter:
        return ""
    return each.parameter if refuses(plan.schema, each.parameter) else ""


def _known(each: Suppression, case: Case) -> frozenset[str]:
    schema = case.plans[each.tool].schema if each.tool is not None else None
    return schema.known if schema is not None else frozenset()
