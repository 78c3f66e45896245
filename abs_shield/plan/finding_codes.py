"""The codes of each built-in layer's findings, and the locations that they point at."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from abs_shield.core.vocabularies import (
    CONFIDENCE_DROP,
    IMPOSSIBLE_STATE,
    PARAMETER_MISMATCH,
    PHANTOM_TARGET,
    PHANTOM_TOOL,
    SELF_CONTRADICTION,
)

FINDING_CODES: Mapping[str, frozenset[str]] = MappingProxyType(
    {
        PHANTOM_TOOL: frozenset({"unknown_tool", "unavailable_tool", "no_name"}),
        PHANTOM_TARGET: frozenset(
            {
                "placeholder",
                "whole_set",
                "mixed_scripts",
                "hidden_characters",
                "too_long",
                "unseen",
                "other_kind",
            }
        ),
        PARAMETER_MISMATCH: frozenset(
            {
                "coercible",
                "malformed_json",
                "duplicate_key",
                "not_finite",
                "too_deep",
                "too_large",
                "too_complex",
                "missing_argument",
                "unknown_argument",
                "wrong_type",
                "not_allowed",
                "bad_format",
                "bad_pattern",
                "out_of_range",
                "wrong_length",
                "not_multiple",
                "not_unique",
                "no_alternative",
                "invalid",
            }
        ),
        SELF_CONTRADICTION: frozenset({"undone", "conflicting"}),
        IMPOSSIBLE_STATE: frozenset({"rule", "removed"}),
        CONFIDENCE_DROP: frozenset({"low_likelihood", "likelihood_drop"}),
        "untrusted_target": frozenset({"prose_only"}),
        "uninformed_write": frozenset({"not_read"}),
        "call_loop": frozenset({"repeated"}),
    }
)
"""The codes of each layer, as on the layers' pages; `personal_data` may have any code."""

WHOLE_CALL_LAYERS = frozenset({PHANTOM_TOOL, CONFIDENCE_DROP, "uninformed_write", "call_loop"})
"""Layers whose findings point at ``/name``; those of the others point into ``/arguments``."""
