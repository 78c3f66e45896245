"""Propose a policy from tools and recorded runs, with evidence for each proposal."""

from abs_shield.core.module_names import old_names
from abs_shield.mining.policy_draft import Draft, LetThrough, Suggestion, SuggestionKind
from abs_shield.mining.policy_mining import Mined, ToolSource, mine
from abs_shield.mining.run_census import LenientToolsets, Recorded

__all__ = [
    "Draft",
    "LenientToolsets",
    "LetThrough",
    "Mined",
    "Recorded",
    "Suggestion",
    "SuggestionKind",
    "ToolSource",
    "mine",
]

__getattr__ = old_names(
    __name__, {"Given": "LenientToolsets", "Kind": "SuggestionKind", "Source": "ToolSource"}
)
