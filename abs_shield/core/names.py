"""The names of the six built-in layers, in the order of the seed document."""

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

NOT_YET = frozenset({PHANTOM_TARGET, SELF_CONTRADICTION})
"""Layers that have their place in the table and no judge behind it yet."""
