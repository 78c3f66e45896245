"""A policy compiled against its tools: once, when a tool is registered."""

from abs_shield.plan.compile import compile_tool
from abs_shield.plan.proposal import Proposal, Terms
from abs_shield.plan.rules import RulePlan
from abs_shield.plan.tool import ToolPlan

__all__ = ["Proposal", "RulePlan", "Terms", "ToolPlan", "compile_tool"]
