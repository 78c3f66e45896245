"""The names of the built-in layers: the six, in the order of the seed document, and opt-in ones."""

PHANTOM_TOOL = "phantom_tool"
PHANTOM_TARGET = "phantom_target"
PARAMETER_MISMATCH = "parameter_mismatch"
SELF_CONTRADICTION = "self_contradiction"
IMPOSSIBLE_STATE = "impossible_state"
CONFIDENCE_DROP = "confidence_drop"

LAYER_NAMES = (
    PHANTOM_TOOL,
    PHANTOM_TARGET,
    PARAMETER_MISMATCH,
    SELF_CONTRADICTION,
    IMPOSSIBLE_STATE,
    CONFIDENCE_DROP,
)

OPT_IN_NAMES = ("untrusted_target", "uninformed_write", "call_loop")
"""Layers that a policy has to name."""
