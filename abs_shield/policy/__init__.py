"""Declarations of a policy: tools, rules, inverses, thresholds and modes. Data only."""

from abs_shield.policy.check_config import AnswerConfig, PersonalData, Verification
from abs_shield.policy.configuration import configure
from abs_shield.policy.inverse_tools import Inverse, inverse
from abs_shield.policy.parameter_marks import Creates, Free, Injected, Soft, Target
from abs_shield.policy.policy import Policy
from abs_shield.policy.policy_loading import load_policy
from abs_shield.policy.rule import Rule, rule
from abs_shield.policy.suppression import Suppression
from abs_shield.policy.tool_declaration import Tool, tool_of
from abs_shield.policy.tool_profile import ToolProfile

__all__ = [
    "AnswerConfig",
    "Creates",
    "Free",
    "Injected",
    "Inverse",
    "PersonalData",
    "Policy",
    "Rule",
    "Soft",
    "Suppression",
    "Target",
    "Tool",
    "ToolProfile",
    "Verification",
    "configure",
    "inverse",
    "load_policy",
    "rule",
    "tool_of",
]
