"""The values that a parameter's schema admits by itself, by the schema of the tool's author."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from abs_shield.plan.schema_lookup import schema_at
from abs_shield.policy import Tool
from abs_shield.policy.parameter_marks import keys_of
from abs_shield.text.json_leaves import Path

_ADMITTING = frozenset({"default", "enum", "const"})
"""Schema keywords that name values, which the run need not mention then."""


def admitting_schema(tool: Tool, path: Path, authors: tuple[Tool, ...]) -> Mapping[str, Any]:
    """
    Return the schema of the leaf at *path*, with the values that it admits by itself.

    If the host marked the parameter or declared the tool destructive, a default, an enum or a
    constant admits values only if the host's own schema of that parameter has it, too.

    Args:
        tool: The tool, with the schema that its model reads.
        path: The path to the leaf.
        authors: The host's declarations if *tool* is somebody else's description of it.

    >>> author = Tool(name="pay", parameters={"properties": {"to": {}}}, targets=["to"])
    >>> parameters = {"properties": {"to": {"type": "string", "default": "acct_6"}}}
    >>> described = Tool(name="pay", parameters=parameters, targets=["to"])
    >>> admitting_schema(described, ("to",), (author,))
    {'type': 'string'}
    """
    schema = schema_at(tool.parameters, path)
    if _ADMITTING.isdisjoint(schema) or not _is_guarded(tool, path, authors):
        return schema
    own = _author_schema(path, authors)
    if own is None:
        return schema
    return {
        keyword: value
        for keyword, value in schema.items()
        if keyword not in _ADMITTING
        or (keyword in own and (keyword != "default" or own["default"] == value))
    }


def _is_guarded(tool: Tool, path: Path, authors: tuple[Tool, ...]) -> bool:
    """Return whether the host declared that values at *path* must come from the run."""
    if tool.destructive and any(author.destructive for author in authors):
        return True
    return bool(keys_of(path, (*tool.targets, *tool.soft), tool.parameters))


def _author_schema(path: Path, authors: tuple[Tool, ...]) -> Mapping[str, Any] | None:
    """Return the host's schema of the leaf at *path*; None if it does not name the parameter."""
    for author in reversed(authors):
        properties = schema_at(author.parameters, ()).get("properties")
        # The whole parameter is the author's, also the members that only a description names.
        if isinstance(properties, Mapping) and path[:1] and path[0] in properties:
            return schema_at(author.parameters, path)
    return None
