"""A layer that has nothing to check, or whose findings never count."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import product
from types import MappingProxyType

from abs_shield.core.finding import counts
from abs_shield.core.names import CONFIDENCE_DROP
from abs_shield.plan.case import Case
from abs_shield.plan.problem import Problem, problem
from abs_shield.plan.strengths import STRENGTHS
from abs_shield.plan.targets import compile_targets
from abs_shield.plan.tool import ToolPlan
from abs_shield.plan.tool_action import COMMANDS, ToolAction, have_same_noun, needs_existing_entity
from abs_shield.text.verbs import Does


def idle_layers(case: Case) -> Iterator[Problem]:
    """``parameter_mismatch`` runs, and no tool has a schema."""
    if not case.tools:
        yield problem(
            "no_tools",
            "no tool is known: nothing of the policy was compared with anything",
            subject="policy",
            place=case.policy.place,
            hint="register the tools first, or name them with `--tools`",
        )
        return
    for layer in case.policy.layer_names:
        reason = _IDLE[layer](case) if layer in _IDLE else ""
        if not reason and layer in _STRONGEST:
            yield from _muted(layer, case)
        if reason:
            yield _idle(layer, reason, case)
        if layer == CONFIDENCE_DROP:
            yield problem(
                "depends_on_logprobs",
                f"layer `{layer}` judges calls that come with log-probabilities only; "
                "whether yours do cannot be known here",
                subject=f"layer `{layer}`",
                place=case.policy.place,
            )


def _idle(layer: str, reason: str, case: Case) -> Problem:
    """Return a warning where the policy names the layer; a note where it runs by default."""
    named = case.policy.layers is not None
    return problem(
        "idle_layer" if named else "idle_default_layer",
        f"layer `{layer}` has nothing to check: {reason}",
        subject=f"layer `{layer}`",
        place=case.policy.place,
        hint="declare what it needs, or leave it out of `layers`" if named else "",
    )


def _muted(layer: str, case: Case) -> Iterator[Problem]:
    """Say so where no finding of a layer is as strong as the threshold asks for."""
    strongest = STRENGTHS[_STRONGEST[layer](case)].strength
    threshold = case.policy.threshold
    if not counts(strongest, threshold=threshold):
        needed = round(1 - strongest, 2)
        yield problem(
            "muted_layer",
            f"layer `{layer}` can never change a verdict: its findings have a strength of"
            f" {strongest:g} at most, and with `threshold={threshold:g}` those from"
            f" {1 - threshold:g} on count",
            subject=f"layer `{layer}`",
            place=case.policy.place,
            hint=f"set `threshold` to {needed:g} or more, or leave the layer out of `layers`",
        )


def _of_targets(case: Case) -> str:
    return "declared" if any(map(_guards, case.plans.values())) else "hard_id"


def _guards(plan: ToolPlan) -> bool:
    """Return whether a tool has a parameter of which no value is passed over."""
    parameters, schema = plan.targets.parameters, plan.schema
    known = schema.known if schema is not None else frozenset()
    return bool(plan.tool.targets) or any(parameters.at((name,)).guarded for name in known)


def _of_pairs(case: Case) -> str:
    tools = case.tools
    met = any(pair.first in tools and pair.then in tools for pair in case.policy.inverses)
    return "declared" if met else "contradiction"


def _of_states(case: Case) -> str:
    asked = any(case.judged_tools(rule.tools) for rule in case.policy.rules)
    final = any(pair.final for pair in case.policy.inverses)
    return "declared" if asked or final else "removed"


def _no_schema(case: Case) -> str:
    known = (tool.parameters for tool in case.tools.values())
    said = any(schema is not None and schema is not True and schema != {} for schema in known)
    return "" if said else "no tool has a schema"


def _no_target(case: Case) -> str:
    judged = any(_judges(name, case) for name in case.tools)
    return "" if judged else "no parameter of any tool names an entity"


def _no_written_target(case: Case) -> str:
    judged = any(_judges(name, case) for name, plan in case.plans.items() if plan.writes)
    return "" if judged else "no parameter of a tool that writes names an entity"


def _judges(name: str, case: Case) -> bool:
    """Whether some arguments of a tool have to come from somewhere."""
    if case.is_open(name):
        return True
    if next(case.samples(name), None) is None:
        return True
    bare = compile_targets(case.tools[name].model_copy(update={"allow": ()}), allow=())
    return any(True for each in case.samples(name) for _ in bare.judged_arguments(each))


def _no_rule(case: Case) -> str:
    asked = any(case.judged_tools(rule.tools) for rule in case.policy.rules)
    touching = any(
        plan.writes and needs_existing_entity(plan.action) for plan in case.plans.values()
    )
    return "" if asked or touching else "no rule, and no tool that changes what another removes"


def _no_pair(case: Case) -> str:
    if any(pair.first in case.tools and pair.then in case.tools for pair in case.policy.inverses):
        return ""
    deeds = list({plan.action for plan in case.plans.values() if plan.writes})
    if any(_is_commanded(name, case) for name, plan in case.plans.items() if plan.writes):
        return ""
    met = any(_meet(*pair) for pair in product(deeds, repeat=2))
    return "" if met else "no two tools undo each other, and none sets a value"


def _is_commanded(name: str, case: Case) -> bool:
    """Whether an argument may say what a call does, as ``{"command": "delete"}``."""
    plan = case.plans[name]
    named = plan.schema is not None and not plan.schema.known.isdisjoint(COMMANDS)
    return plan.action.does is Does.ACT and (named or case.is_open(name))


def _meet(first: ToolAction, then: ToolAction) -> bool:
    """Whether a call of one may contradict a call of the other, as far as their names say."""
    if then.does is Does.CHANGE:
        return True
    if then.does is Does.UNMAKE and first.is_undoable:
        return True
    return (first.does, then.does) == (Does.UNMAKE, Does.MAKE) and have_same_noun(first, then)


def _no_reading(case: Case) -> str:
    said = any(tool.reads_first for tool in case.tools.values())
    return "" if said else "no tool has `reads_first`"


_IDLE: MappingProxyType[str, Callable[[Case], str]] = MappingProxyType(
    {
        "phantom_target": _no_target,
        "parameter_mismatch": _no_schema,
        "self_contradiction": _no_pair,
        "impossible_state": _no_rule,
        "untrusted_target": _no_written_target,
        "uninformed_write": _no_reading,
    }
)
"""Why a layer has nothing to check; the other layers always have something."""

_STRONGEST: MappingProxyType[str, Callable[[Case], str]] = MappingProxyType(
    {
        "phantom_target": _of_targets,
        "self_contradiction": _of_pairs,
        "impossible_state": _of_states,
        "untrusted_target": lambda case: "prose_only",
        "call_loop": lambda case: "repeated",
    }
)
"""The strongest class of findings of a layer; those of the others reach 1, which always counts."""
