"""A suppression that silences nothing any more."""

from __future__ import annotations

from collections.abc import Iterator

from abs_shield.plan.case import Case
from abs_shield.plan.problem import Problem, problem
from abs_shield.text.show import escaped


def idle_suppressions(case: Case) -> Iterator[Problem]:
    """``until="2024-01-31"``: the false alarm is loud again, and the entry is only in the way."""
    for each in case.policy.suppress:
        tool = f" for `{escaped(each.tool)}`" if each.tool is not None else ""
        what = f"`Suppression` of `{escaped(each.check)}`{tool}"
        if not each.holds(case.at):
            told, code, hint = f"ended on {each.until}", "expired_suppression", "renew or remove it"
        elif each.check not in case.policy.layer_names:
            told, code = "silences a layer that does not run", "idle_suppression"
            hint = "remove it, or name the layer in `layers`"
        else:
            continue
        yield problem(code, f"{what} {told}", subject=what, place=each.place, hint=hint)
