"""The names of the built-in checks: layers, opt-in layers, the signals of a result, the answer."""

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

PERSONAL_DATA = "personal_data"
"""The layer that a policy's `pii` turns on."""

VERIFICATION = "verification"
"""Key of the result check in `modes`."""

ANSWER = "answer"
"""Key of the answer check in `modes`."""

FAITHFULNESS = "faithfulness"
"""Key in `modes` of the check of a text against its context."""

QUALITY = "quality"
"""Key of the quality cascade in `modes`."""

OF_NO_TOOL = (ANSWER, FAITHFULNESS, QUALITY)
"""Checks of texts, which no tool returned."""

SIGNAL_NAMES = (
    "schema_mismatch",
    "pattern_mismatch",
    "latency_anomaly",
    "length_anomaly",
    "historical_inconsistency",
    "session_inconsistency",
    "spc_anomaly",
    "value_plausibility",
)

UNREGISTERED = "_unregistered"
"""Stands for every name that a model wrote and no tool has."""
