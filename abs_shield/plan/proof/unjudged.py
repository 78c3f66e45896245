"""What the policy declares for a layer that does not run."""

from __future__ import annotations

from collections.abc import Iterator

from abs_shield.plan.case import Case
from abs_shield.plan.problem import Problem, problem
from abs_shield.policy.place import Place
from abs_shield.text.show import escaped

_ENTITIES = ("phantom_target", "untrusted_target")


def unjudged(case: Case) -> Iterator[Problem]:
    """``rules=[...]`` where ``impossible_state`` is not among the layers."""
    if not case.runs("impossible_state"):
        for rule in case.policy.rules:
            where = Place(rule.file, rule.line)
            yield _told(f"rule `{rule.name}`", where, "impossible_state")
    for pair in case.policy.inverses:
        judging = ("self_contradiction", *(("impossible_state",) if pair.final else ()))
        if not case.runs(*judging):
            what = f"`inverse` of `{escaped(pair.first)}` and `{escaped(pair.then)}`"
            yield _told(what, pair.place, *judging)
    if case.policy.allow and not case.runs(*_ENTITIES):
        yield _told("`allow`", case.policy.place, *_ENTITIES)
    for name, tool in case.tools.items():
        if tool.reads_first and not case.runs("uninformed_write"):
            what = f"`reads_first` of tool `{escaped(name)}`"
            yield _told(what, case.place(name, "reads_first"), "uninformed_write")


def _told(what: str, place: Place, *layers: str) -> Problem:
    named = " or ".join(f"`{layer}`" for layer in layers)
    return problem(
        "not_judged",
        f"{what} is never judged: {named} does not run",
        subject=what,
        place=place,
        hint=f"name {named} in `layers`",
    )
