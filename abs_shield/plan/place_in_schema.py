"""Locations in a call's arguments that cannot exist according to the tool's schema."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from abs_shield.policy.suppression import ANYWHERE, is_position

_OPEN_KEYWORDS = ("anyOf", "oneOf", "allOf", "if", "$ref", "$dynamicRef", "patternProperties")
"""Keywords that may add members to those in ``properties``."""
_CONTAINERS = {"object", "array"}


def find_absent_step(
    parameters: Any, steps: Sequence[str], *, declared: bool, open_objects: bool = False
) -> str:
    """
    Return the first step below the top level that cannot exist; empty if all may exist.

    Args:
        parameters: The schema of the arguments.
        steps: The steps of the location, unescaped; ``*`` and numbers are positions of a list.
        declared: Whether only declared members exist, even if the schema allows others.
        open_objects: Whether an object may have members that its schema rejects, as in a finding
            about an unknown member.

    >>> lines = {"type": "array", "items": {"type": "object", "properties": {"n": {}}}}
    >>> schema = {"properties": {"lines": lines}}
    >>> find_absent_step(schema, ["lines", "*", "m"], declared=True)
    'm'
    >>> find_absent_step(schema, ["lines", "0", "n"], declared=True)
    ''
    """
    here: Any = parameters
    for depth, step in enumerate(steps):
        # The members that such a keyword adds are not resolved here, so anything may exist.
        if not isinstance(here, Mapping) or any(word in here for word in _OPEN_KEYWORDS):
            return ""
        if open_objects and here.get("type") == "object":
            declared = False
            here = {**here, "additionalProperties": True}
        # The first step is a parameter, which the caller checks.
        if depth and not _admits(here, step, declared=declared):
            return step
        here = _schema_below(here, step)
    return ""


def _admits(schema: Mapping[str, Any], step: str, *, declared: bool) -> bool:
    kind = schema.get("type")
    if isinstance(kind, str) and kind not in _CONTAINERS:
        return False
    if kind == "array":
        return step == ANYWHERE or is_position(step)
    members = schema.get("properties")
    if kind != "object" or not isinstance(members, Mapping) or step in members:
        return True
    others = schema.get("additionalProperties", True)
    return isinstance(others, Mapping) or (others is not False and not declared)


def _schema_below(schema: Mapping[str, Any], step: str) -> Any:
    members = schema.get("properties")
    if isinstance(members, Mapping) and step in members:
        return members[step]
    listed = step == ANYWHERE or is_position(step)
    # With `prefixItems` each position has its own schema.
    return schema.get("items") if listed and "prefixItems" not in schema else None
