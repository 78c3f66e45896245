"""A declaration for a layer that does not run."""

from __future__ import annotations

from collections.abc import Iterator

from abs_shield.plan.policy_problem import Problem, problem
from abs_shield.plan.proof_context import ProofContext
from abs_shield.policy.declaration_base import SourceLocation
from abs_shield.text.safe_display import escaped

_ENTITIES = ("phantom_target", "untrusted_target")


def unjudged_declarations(context: ProofContext) -> Iterator[Problem]:
    """``rules=[...]`` although ``impossible_state`` is not among the layers."""
    if not context.runs("impossible_state"):
        for rule in context.policy.rules:
            where = SourceLocation(rule.file, rule.line)
            yield _problem(f"rule `{rule.name}`", where, "impossible_state")
    for pair in context.policy.inverses:
        # Two layers judge a final pair; it is enough if one of them runs.
        judging = ("self_contradiction", *(("impossible_state",) if pair.final else ()))
        if not context.runs(*judging):
            what = f"`inverse` of `{escaped(pair.first)}` and `{escaped(pair.then)}`"
            yield _problem(what, pair.place, *judging)
    if context.policy.allow and not context.runs(*_ENTITIES):
        yield _problem("`allow`", context.policy.place, *_ENTITIES)
    for name, tool in context.tools.items():
        if tool.reads_first and not context.runs("uninformed_write"):
            what = f"`reads_first` of tool `{escaped(name)}`"
            yield _problem(what, context.place(name, "reads_first"), "uninformed_write")


def _problem(what: str, place: SourceLocation, *layers: str) -> Problem:
    layer_names = " or ".join(f"`{layer}`" for layer in layers)
    return problem(
        "not_judged",
        f"{what} is never judged: {layer_names} does not run",
        subject=what,
        place=place,
        hint=f"name {layer_names} in `layers`",
    )
