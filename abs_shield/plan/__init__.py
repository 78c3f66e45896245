"""Plans: a policy compiled against each tool, once, when the tool is registered."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from abs_shield.core.module_names import lazy_names, old_names

if TYPE_CHECKING:
    from abs_shield.plan.compile import compile_tool
    from abs_shield.plan.proposal import Proposal, ShieldTerms
    from abs_shield.plan.rule_plan import RulePlan
    from abs_shield.plan.tool_plan import ToolPlan

__all__ = ["Proposal", "RulePlan", "ShieldTerms", "ToolPlan", "compile_tool"]

# lazy, so that a Shield without tools does not load the compiler of plans
_LAZY = {
    "Proposal": "abs_shield.plan.proposal",
    "RulePlan": "abs_shield.plan.rule_plan",
    "ShieldTerms": "abs_shield.plan.proposal",
    "ToolPlan": "abs_shield.plan.tool_plan",
    "compile_tool": "abs_shield.plan.compile",
}

_lazy_name, __dir__ = lazy_names(__name__, _LAZY)
_old_name = old_names(__name__, {"Terms": "ShieldTerms"})


def __getattr__(name: str) -> Any:
    return _lazy_name(name) if name in _LAZY else _old_name(name)
