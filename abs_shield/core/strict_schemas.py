"""Strict schemas of OpenAI, which require every member of an object."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_DATA = frozenset({"const", "default", "enum", "examples"})
"""Keywords whose values are data."""
_DEEPEST = 100  # ends the recursion in a schema that contains itself


def restore_optional(schema: Any, depth: int = 0) -> Any:
    """
    Return a strict schema without the requirement of members that may be omitted.

    Only OpenAI's own models always write every member. Others omit those that are optional for the
    tool: it has a default for them, or rejects the call itself.

    >>> restore_optional({"properties": {"a": {}, "b": {"default": 1}}, "required": ["a", "b"]})
    {'properties': {'a': {}, 'b': {'default': 1}}, 'required': ['a']}
    """
    if depth > _DEEPEST:
        return schema
    if isinstance(schema, list):
        return [restore_optional(each, depth + 1) for each in schema]
    if not isinstance(schema, Mapping):
        return schema
    restored = {
        key: inner if key in _DATA else restore_optional(inner, depth + 1)
        for key, inner in schema.items()
    }
    required, members = schema.get("required"), schema.get("properties")
    if isinstance(required, list) and isinstance(members, Mapping):
        restored["required"] = [n for n in required if not _may_be_omitted(members.get(str(n)))]
    return restored


def _may_be_omitted(schema: Any) -> bool:
    """Return whether a member has a default, or can be null, as strict schemas write optional."""
    if not isinstance(schema, Mapping):
        return False
    unions = schema.get("anyOf")
    forms = [schema, *(unions if isinstance(unions, list) else ())]
    kinds = [form.get("type") for form in forms if isinstance(form, Mapping)]
    return "default" in schema or any(
        kind == "null" or (isinstance(kind, list) and "null" in kind) for kind in kinds
    )
