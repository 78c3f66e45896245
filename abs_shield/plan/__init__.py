"""Plans: a policy compiled against each tool, once, when the tool is registered."""

from abs_shield.core.module_names import old_names
from abs_shield.plan.compile import compile_tool
from abs_shield.plan.proposal import Proposal, ShieldTerms
from abs_shield.plan.rule_plan import RulePlan
from abs_shield.plan.tool_plan import ToolPlan

__all__ = ["Proposal", "RulePlan", "ShieldTerms", "ToolPlan", "compile_tool"]

__getattr__ = old_names(__name__, {"Terms": "ShieldTerms"})
