"""A layer that has nothing to check, or whose findings are below the threshold."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import product
from types import MappingProxyType

from abs_shield.core.finding import counts
from abs_shield.core.vocabularies import CONFIDENCE_DROP
from abs_shield.plan.policy_problem import Problem, problem
from abs_shield.plan.proof_context import ProofContext
from abs_shield.plan.strengths import STRENGTHS
from abs_shield.plan.tool_action import COMMANDS, ToolAction, have_same_noun, needs_existing_entity
from abs_shield.plan.tool_plan import ToolPlan
from abs_shield.plan.tool_targets import compile_targets
from abs_shield.text.verbs import VerbEffect


def idle_layers(context: ProofContext) -> Iterator[Problem]:
    """``parameter_mismatch`` runs, and no tool has a schema."""
    if not context.tools:
        yield problem(
            "no_tools",
            "no tool is registered: the policy was compared with nothing",
            subject="policy",
            place=context.policy.place,
            hint="register the tools first, or name them with `--tools`",
        )
        return
    for layer in context.policy.layer_names:
        reason = _EXPLAIN_IDLE[layer](context) if layer in _EXPLAIN_IDLE else ""
        if not reason and layer in _STRONGEST:
            yield from _muted_problems(layer, context)
        if reason:
            yield _idle_problem(layer, reason, context)
        if layer == CONFIDENCE_DROP:
            yield problem(
                "depends_on_logprobs",
                f"layer `{layer}` judges only calls with log-probabilities; "
                "this check cannot see whether your calls have them",
                subject=f"layer `{layer}`",
                place=context.policy.place,
            )


def _idle_problem(layer: str, reason: str, context: ProofContext) -> Problem:
    """Return a warning if the policy names the layer; a note if it runs by default."""
    is_declared = context.policy.layers is not None
    return problem(
        "idle_layer" if is_declared else "idle_default_layer",
        f"layer `{layer}` has nothing to check: {reason}",
        subject=f"layer `{layer}`",
        place=context.policy.place,
        hint="declare what it needs, or leave it out of `layers`" if is_declared else "",
    )


def _muted_problems(layer: str, context: ProofContext) -> Iterator[Problem]:
    """Report a layer whose strongest finding is below the threshold."""
    strongest = STRENGTHS[_STRONGEST[layer](context)].strength
    threshold = context.policy.threshold
    if not counts(strongest, threshold=threshold):
        # Rounded, as 1 - 0.97 has a long tail of digits.
        needed = round(1 - strongest, 2)
        yield problem(
            "muted_layer",
            f"layer `{layer}` can never change a verdict: its findings have a strength of"
            f" {strongest:g} at most, and with `threshold={threshold:g}` those from"
            f" {1 - threshold:g} on count",
            subject=f"layer `{layer}`",
            place=context.policy.place,
            hint=f"set `threshold` to {needed:g} or more, or leave the layer out of `layers`",
        )


def _strongest_target_class(context: ProofContext) -> str:
    return "declared" if any(map(_has_guarded_parameter, context.plans.values())) else "hard_id"


def _has_guarded_parameter(plan: ToolPlan) -> bool:
    """Return whether a tool has a guarded parameter."""
    parameters, schema = plan.targets.parameters, plan.schema
    names = schema.declared_names if schema is not None else frozenset()
    return bool(plan.tool.targets) or any(parameters.at((name,)).is_guarded for name in names)


def _strongest_pair_class(context: ProofContext) -> str:
    tools = context.tools
    has_pair = any(pair.first in tools and pair.then in tools for pair in context.policy.inverses)
    return "declared" if has_pair else "contradiction"


def _strongest_state_class(context: ProofContext) -> str:
    has_rules = any(context.judged_tools(rule.tools) for rule in context.policy.rules)
    final = any(pair.final for pair in context.policy.inverses)
    return "declared" if has_rules or final else "removed"


def _explain_no_schema(context: ProofContext) -> str:
    schemas = (tool.parameters for tool in context.tools.values())
    has_schema = any(
        schema is not None and schema is not True and schema != {} for schema in schemas
    )
    return "" if has_schema else "no tool has a schema"


def _explain_no_target(context: ProofContext) -> str:
    judged = any(_has_judged_argument(name, context) for name in context.tools)
    return "" if judged else "no parameter of any tool names an entity"


def _explain_no_written_target(context: ProofContext) -> str:
    judged = any(
        _has_judged_argument(name, context) for name, plan in context.plans.items() if plan.writes
    )
    return "" if judged else "no parameter of a tool that writes names an entity"


def _has_judged_argument(name: str, context: ProofContext) -> bool:
    """Return whether any argument of a tool must come from the run."""
    if context.is_open(name):
        return True
    if next(context.samples(name), None) is None:
        # Without samples nothing is known, so nothing is reported.
        return True
    bare = compile_targets(context.tools[name].model_copy(update={"allow": ()}), allow=())
    return any(True for each in context.samples(name) for _ in bare.judged_arguments(each))


def _explain_no_rule(context: ProofContext) -> str:
    has_rules = any(context.judged_tools(rule.tools) for rule in context.policy.rules)
    has_changing_tools = any(
        plan.writes and needs_existing_entity(plan.action) for plan in context.plans.values()
    )
    return (
        ""
        if has_rules or has_changing_tools
        else "no rule, and no tool that changes what another removes"
    )


def _explain_no_pair(context: ProofContext) -> str:
    if any(
        pair.first in context.tools and pair.then in context.tools
        for pair in context.policy.inverses
    ):
        return ""
    # Without duplicates, as hundreds of tools have only a few different actions.
    actions = list({plan.action for plan in context.plans.values() if plan.writes})
    if any(
        _has_command_argument(name, context) for name, plan in context.plans.items() if plan.writes
    ):
        return ""
    can_contradict = any(_may_contradict(*pair) for pair in product(actions, repeat=2))
    return "" if can_contradict else "no two tools undo each other, and none sets a value"


def _has_command_argument(name: str, context: ProofContext) -> bool:
    """Return whether an argument may name the action of a call, as ``{"command": "delete"}``."""
    plan = context.plans[name]
    has_command = plan.schema is not None and not plan.schema.declared_names.isdisjoint(COMMANDS)
    return plan.action.does is VerbEffect.ACT and (has_command or context.is_open(name))


def _may_contradict(first: ToolAction, then: ToolAction) -> bool:
    """Return whether a call of *then* may contradict an earlier call of *first*, by their names."""
    if then.does is VerbEffect.CHANGE:
        return True
    if then.does is VerbEffect.UNMAKE and first.is_undoable:
        return True
    return (first.does, then.does) == (VerbEffect.UNMAKE, VerbEffect.MAKE) and have_same_noun(
        first, then
    )


def _explain_no_reading(context: ProofContext) -> str:
    is_declared = any(tool.reads_first for tool in context.tools.values())
    return "" if is_declared else "no tool has `reads_first`"


_EXPLAIN_IDLE: MappingProxyType[str, Callable[[ProofContext], str]] = MappingProxyType(
    {
        "phantom_target": _explain_no_target,
        "parameter_mismatch": _explain_no_schema,
        "self_contradiction": _explain_no_pair,
        "impossible_state": _explain_no_rule,
        "untrusted_target": _explain_no_written_target,
        "uninformed_write": _explain_no_reading,
    }
)
"""
By layer, a function that returns why the layer has nothing to check; empty if it has something.

Layers without an entry always have something to check.
"""

_STRONGEST: MappingProxyType[str, Callable[[ProofContext], str]] = MappingProxyType(
    {
        "phantom_target": _strongest_target_class,
        "self_contradiction": _strongest_pair_class,
        "impossible_state": _strongest_state_class,
        "untrusted_target": lambda context: "prose_only",
        "call_loop": lambda context: "repeated",
    }
)
"""
By layer, a function that returns the class of its strongest findings.

Findings of layers without an entry can have strength 1, which always counts.
"""
