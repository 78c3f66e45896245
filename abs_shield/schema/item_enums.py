"""Support for the common mistake of an `enum` of items beside ``type: array``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def with_item_enum(schema: Mapping[str, Any]) -> dict[str, Any]:
    """
    Return a copy of *schema* with an `enum` of items moved from the array to its items.

    JSON Schema compares the whole list with each member, so that ``{"type": "array", "enum":
    ["a", "b"]}`` allows nothing. Authors and models mean lists of these members.

    >>> with_item_enum({"type": "array", "enum": ["a", "b"]})
    {'type': 'array', 'items': {'enum': ['a', 'b']}}
    >>> with_item_enum({"type": "array", "enum": [["a"], ["b"]]})
    {'type': 'array', 'enum': [['a'], ['b']]}
    """
    copy = dict(schema)
    items = copy.get("items", True)
    if items is False or isinstance(items, list) or not _lists_items(copy):
        return copy
    allowed = {"enum": [member for member in copy.pop("enum") if member is not None]}
    copy["items"] = allowed if items is True else {"allOf": [items, allowed]}
    return copy


def _lists_items(schema: Mapping[str, Any]) -> bool:
    kinds, members = schema.get("type"), schema.get("enum")
    types = [kinds] if isinstance(kinds, str) else kinds if isinstance(kinds, list) else []
    if "array" not in types or not {*types} <= {"array", "null"}:
        return False
    if not isinstance(members, list) or any(isinstance(member, list) for member in members):
        return False
    return any(member is not None for member in members)
