"""Dry runs: calls that say in an argument that they change nothing."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice
from typing import Any

from abs_shield.policy import Tool
from abs_shield.text.identifier_words import name_words

_IF_TRUE = frozenset(
    tuple(name.split("_"))
    for name in "dry_run dryrun simulate preview preview_only validate_only check_only what_if "
    "noop no_op plan_only".split()
)
"""Names of parameters that are true for a dry run."""
_IF_FALSE = frozenset({("confirm",), ("confirmed",)})
"""Names of parameters that are false until the call is confirmed."""
_MAX_PARAMETERS = 100  # tools have fewer


def is_dry_run(tool: Tool, arguments: Mapping[str, Any]) -> bool:
    """
    Return whether a call changes nothing, by an argument or by its default in the schema.

    >>> is_dry_run(Tool(name="purge"), {"paths": ["a"], "dry_run": True})
    True
    >>> is_dry_run(Tool(name="purge", parameters={"properties": {"id": {}}}), {"dry_run": True})
    False
    >>> schema = {"properties": {"dryRun": {"type": "boolean", "default": True}}}
    >>> [is_dry_run(Tool(name="purge", parameters=schema), a) for a in ({}, {"dryRun": False})]
    [True, False]
    """
    schema = tool.parameters if isinstance(tool.parameters, Mapping) else {}
    properties = schema.get("properties")
    if not isinstance(properties, Mapping):
        properties = {}
    for name, value in arguments.items():
        # A tool ignores an argument that it does not declare, and then changes something.
        declared = name in properties or not properties
        if declared and isinstance(value, bool) and value is _value_of_dry_run(name):
            return True
    return any(
        name not in arguments
        and isinstance(member, Mapping)
        and isinstance(member.get("default"), bool)
        and member["default"] is _value_of_dry_run(name)
        for name, member in islice(properties.items(), _MAX_PARAMETERS)
    )


def _value_of_dry_run(name: str) -> bool | None:
    """Return the value that makes a call a dry run; None if the parameter says nothing."""
    words = name_words(name)
    if words in _IF_TRUE:
        return True
    return False if words in _IF_FALSE else None
