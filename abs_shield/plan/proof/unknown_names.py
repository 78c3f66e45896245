"""A name in the policy that no tool and no layer has."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from abs_shield.core import LAYER_NAMES
from abs_shield.core.names import OF_NO_TOOL, OPT_IN_NAMES, PHANTOM_TOOL, VERIFICATION
from abs_shield.plan.case import Case, each_once, hint_of
from abs_shield.plan.problem import Problem, problem
from abs_shield.policy.place import Place
from abs_shield.text.nearest import nearest
from abs_shield.text.show import escaped

_LAYERS = (*LAYER_NAMES, *OPT_IN_NAMES, VERIFICATION, *OF_NO_TOOL)
_NO_TOOLS = "no tool is known: register them first, or name them with `--tools`"


def unknown_names(case: Case) -> Iterator[Problem]:
    """
    ``@rule(tool="refnud")``: the rule would never be asked.

    What is said of `phantom_tool` names what does not exist: that is what the layer looks for.
    """
    policy = case.policy
    for rule in policy.rules:
        place = Place(rule.file, rule.line)
        yield from _tools(case, rule.tools, f"rule `{rule.name}`", place)
    for pair in policy.inverses:
        what = f"`inverse` of `{escaped(pair.first)}` and `{escaped(pair.then)}`"
        yield from _tools(case, (pair.first, pair.then), what, pair.place)
    for suppression in policy.suppress:
        if suppression.tool is not None and suppression.check != PHANTOM_TOOL:
            what = f"`Suppression` of `{escaped(suppression.check)}`"
            yield from _tools(case, (suppression.tool,), what, suppression.place)
    for name, tool in case.tools.items():
        what = f"tool `{escaped(name)}`: `reads_first`"
        yield from _tools(case, tool.reads_first, what, case.place(name, "reads_first"))
    yield from _modes(case)


def _tools(case: Case, names: Iterable[str], what: str, place: Place) -> Iterator[Problem]:
    for name in each_once(names):
        if name != "*" and name not in case.tools:
            yield problem(
                "unknown_tool",
                f"{what} names tool `{escaped(name)}`, which does not exist",
                subject=what,
                place=place,
                hint=hint_of(name, case.tools, what="tool") if case.tools else _NO_TOOLS,
            )


def _modes(case: Case) -> Iterator[Problem]:
    layers = case.policy.layer_names
    for key in case.policy.modes:
        if isinstance(key, tuple):
            named = () if key[1] == PHANTOM_TOOL else key[:1]
            yield from _tools(case, named, "`modes`", case.policy.place)
        elif key not in case.tools and key not in layers and key not in _LAYERS:
            near = nearest(key, (*case.tools, *_LAYERS, *layers))
            layer = bool(near) and near[0] not in case.tools
            yield problem(
                "unknown_layer" if layer else "unknown_tool",
                f"`modes` names `{escaped(key)}`, which is no layer and no tool",
                subject="`modes`",
                place=case.policy.place,
                hint=hint_of(key, near or case.tools, what="tool"),
            )
