"""A name in the policy that is neither a tool nor a layer."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from abs_shield.core import LAYER_NAMES
from abs_shield.core.vocabularies import OF_NO_TOOL, OPT_IN_NAMES, PHANTOM_TOOL, VERIFICATION
from abs_shield.plan.did_names import did_names
from abs_shield.plan.policy_problem import Problem, problem
from abs_shield.plan.proof_context import ProofContext, deduplicate, nearest_name_hint
from abs_shield.policy.declaration_base import SourceLocation
from abs_shield.text.nearest import nearest
from abs_shield.text.safe_display import escaped

_LAYERS = (*LAYER_NAMES, *OPT_IN_NAMES, VERIFICATION, *OF_NO_TOOL)
_NO_TOOLS = "no tool is known: register them first, or name them with `--tools`"


def unknown_names(context: ProofContext) -> Iterator[Problem]:
    """
    ``@rule(tool="refnud")``: the rule would never run.

    Suppressions of `phantom_tool` are skipped: that layer reports names that do not exist.
    """
    policy = context.policy
    for rule in policy.rules:
        place = SourceLocation(rule.file, rule.line)
        yield from _unknown_tools(context, rule.tools, f"rule `{rule.name}`", place)
        asks = f"`session.did` of rule `{rule.name}`"
        yield from _unknown_tools(context, did_names(rule.function), asks, place)
    for pair in policy.inverses:
        what = f"`inverse` of `{escaped(pair.first)}` and `{escaped(pair.then)}`"
        yield from _unknown_tools(context, (pair.first, pair.then), what, pair.place)
    for suppression in policy.suppress:
        if suppression.tool is not None and suppression.check != PHANTOM_TOOL:
            what = f"`Suppression` of `{escaped(suppression.check)}`"
            yield from _unknown_tools(context, (suppression.tool,), what, suppression.place)
    for name, tool in context.tools.items():
        what = f"tool `{escaped(name)}`: `reads_first`"
        yield from _unknown_tools(
            context, tool.reads_first, what, context.place(name, "reads_first")
        )
    yield from _unknown_modes(context)


def _unknown_tools(
    context: ProofContext, names: Iterable[str], what: str, place: SourceLocation
) -> Iterator[Problem]:
    for name in deduplicate(names):
        if name != "*" and name not in context.tools:
            yield problem(
                "unknown_tool",
                f"{what} names tool `{escaped(name)}`, which does not exist",
                subject=what,
                place=place,
                hint=nearest_name_hint(name, context.tools, what="tool")
                if context.tools
                else _NO_TOOLS,
            )


def _unknown_modes(context: ProofContext) -> Iterator[Problem]:
    layers = context.policy.layer_names
    for key in context.policy.modes:
        if isinstance(key, tuple):
            # A layer that reports unknown tools may have a mode for one.
            names = () if key[1] == PHANTOM_TOOL else key[:1]
            yield from _unknown_tools(context, names, "`modes`", context.policy.place)
        elif key not in context.tools and key not in layers and key not in _LAYERS:
            near = nearest(key, (*context.tools, *_LAYERS, *layers))
            layer = bool(near) and near[0] not in context.tools
            yield problem(
                "unknown_layer" if layer else "unknown_tool",
                f"`modes` names `{escaped(key)}`, which is neither a layer nor a tool",
                subject="`modes`",
                place=context.policy.place,
                hint=nearest_name_hint(key, near or context.tools, what="tool"),
            )
