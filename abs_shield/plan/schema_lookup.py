"""Lookup of a parameter in a tool's schema: its subschema, examples and default."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain, islice
from typing import Any

from abs_shield.policy import Tool
from abs_shield.policy.parameter_marks import names_in
from abs_shield.schema.item_enums import with_item_enum
from abs_shield.text.json_leaves import Path, scalar_text

_MAX_MEMBERS = 50_000
"""Members of a schema that are visited; a third party's schema may have any number."""


_MAX_ALTERNATIVES = 8
"""Alternatives of a schema that are searched for null, once for each null of a call."""
_MAX_READ = 64
"""Alternatives of a schema whose defaults and listed values are read, once for a parameter."""


def schema_at(parameters: Any, path: Path) -> Mapping[str, Any]:
    """Return the schema of the leaf at *path*, through local references, lists and alternatives."""
    schema: Any = parameters
    for step in path:
        schema = _resolve(schema, parameters)
        if isinstance(step, int):
            schema = schema.get("items")
        else:
            properties = schema.get("properties")
            schema = properties.get(step) if isinstance(properties, Mapping) else None
    return _resolve(schema, parameters)


def takes_null(parameters: Any, path: Path) -> bool:
    """Return whether the schema of the leaf at *path* allows null, in any of its alternatives."""
    schemas = _alternatives_at(parameters, path)
    kinds = (schema.get("type") for schema in schemas)
    if any(kind == "null" or (isinstance(kind, list) and "null" in kind) for kind in kinds):
        return True
    return any(value is None for schema in schemas for value in _enum_of(schema))


def enum_texts(parameters: Any, path: Path) -> frozenset[str]:
    """
    Return the values that the schema of the leaf at *path* lists, in any of its alternatives.

    >>> regions = {"type": "array", "items": {"enum": ["eu-west-1", "us-east-1"]}}
    >>> sorted(enum_texts({"properties": {"regions": regions}}, ("regions", 0)))
    ['eu-west-1', 'us-east-1']
    """
    schemas = _alternatives_at(parameters, path, most=_MAX_READ, any_item=True)
    return _texts(chain.from_iterable(map(_enum_of, schemas)))


def default_texts(parameters: Any, path: Path) -> frozenset[str]:
    """
    Return the defaults of the leaf at *path*, in any of its alternatives.

    >>> lines = {"anyOf": [{"properties": {"id": {"default": n}}} for n in ("a-1", "b-2")]}
    >>> sorted(default_texts({"properties": {"line": lines}}, ("line", "id")))
    ['a-1', 'b-2']
    """
    schemas = _alternatives_at(parameters, path, most=_MAX_READ, any_item=True)
    return _texts(schema.get("default") for schema in schemas)


def _texts(values: Iterable[Any]) -> frozenset[str]:
    return frozenset(text for value in values if (text := scalar_text(value)))


def _enum_of(schema: Mapping[str, Any]) -> list[Any]:
    values = schema.get("enum")
    constant = [schema["const"]] if "const" in schema else []
    return [*values, *constant] if isinstance(values, list) else constant


def _alternatives_at(
    parameters: Any, path: Path, *, most: int = _MAX_ALTERNATIVES, any_item: bool = False
) -> list[Mapping[str, Any]]:
    """
    Return the schemas that may apply to the leaf at *path*.

    Args:
        parameters: The schema of the arguments.
        path: The path of the leaf.
        most: Maximum number of schemas at each step.
        any_item: Whether each position of a list counts as every other.
    """
    schemas = _alternatives(parameters, parameters, most=most)
    for step in path:
        members = [
            member for schema in schemas for member in _members(schema, step, any_item=any_item)
        ]
        found = (one for member in members for one in _alternatives(member, parameters, most=most))
        schemas = [*islice(found, most)]
    return schemas


def _alternatives(schema: Any, root: Any, *, most: int) -> list[Mapping[str, Any]]:
    """Return a schema and its nested branches, at most *most*, with references resolved."""
    found = [dereference(schema, root)]
    for one in found:
        for keyword in ("anyOf", "oneOf", "allOf"):
            branches = one.get(keyword)
            room = most - len(found)
            if isinstance(branches, list):
                found += [dereference(branch, root) for branch in branches[: max(room, 0)]]
    return found


def _members(schema: Mapping[str, Any], step: str | int, *, any_item: bool) -> list[Any]:
    """Return the schemas of a member or an item; those of all positions with *any_item*."""
    places = schema.get("prefixItems")
    if isinstance(step, str) or not (any_item and isinstance(places, list)):
        return [_member(schema, step)]
    return [*places, _member(schema, len(places))]


def _member(schema: Mapping[str, Any], step: str | int) -> Any:
    """Return the schema of a member of an object, or of an item of a list."""
    if isinstance(step, str):
        properties = schema.get("properties")
        if isinstance(properties, Mapping) and step in properties:
            return properties[step]
        return schema.get("additionalProperties")
    places = schema.get("prefixItems")
    if isinstance(places, list) and step < len(places):
        return places[step]
    return with_item_enum(schema).get("items")


def names_of_properties(parameters: Any) -> Iterator[str]:
    """Yield the name of every property in a schema, including nested ones."""
    # Bounded, as a third party's schema may be large; iterative, as it may be nested deeply.
    remaining: list[Any] = [parameters]
    for _ in range(_MAX_MEMBERS):
        if not remaining:
            break
        item = remaining.pop()
        if isinstance(item, str):
            continue
        if isinstance(item, Mapping):
            properties = item.get("properties")
            if isinstance(properties, Mapping):
                yield from (name for name in properties if isinstance(name, str))
            remaining.extend(item.values())
        elif isinstance(item, (list, tuple)):
            remaining.extend(item)


def authored_names(tool: Tool) -> frozenset[str]:
    """
    Return every name that *tool*'s author declared for an argument, a result field, or a member.

    The model chose every other name in a call.

    >>> line = {"properties": {"sku": {}}}
    >>> lines = {"type": "object", "additionalProperties": line}
    >>> sorted(authored_names(Tool(name="order", parameters={"properties": {"lines": lines}})))
    ['lines', 'sku']
    """
    keys = (*tool.targets, *tool.soft, *tool.free, *tool.creates)
    names = {name for key in keys for name in names_in(key)}
    if tool.profile is not None:
        names |= tool.profile.names
    return frozenset(names.union(names_of_properties(tool.parameters)))


def _resolve(schema: Any, root: Any) -> Mapping[str, Any]:
    schema = dereference(schema, root)
    merged: dict[str, Any] = dict(schema)
    # A null branch stands for an absent value; the other branch describes the value.
    options = [
        option
        for keyword in ("anyOf", "oneOf", "allOf")
        if isinstance(branches := schema.get(keyword), list)
        for option in branches
        if isinstance(option, Mapping) and option.get("type") != "null"
    ]
    for option in options:
        # A single branch describes the value; of several, it is unknown which one applies.
        branch = dereference(option, root) if len(options) == 1 else option
        # The schema's own keywords take precedence over those of a branch.
        merged = {**branch, **merged}
    return with_item_enum(merged)


def dereference(schema: Any, root: Any) -> Mapping[str, Any]:
    """Return the schema that a local reference leads to; an empty one if it leads to nothing."""
    default: Mapping[str, Any] = {}
    # At most eight references in a row, as a schema may refer to itself.
    for _ in range(8):
        if not isinstance(schema, Mapping):
            return {}
        ref = schema.get("$ref")
        if not (isinstance(ref, str) and ref.startswith("#/")):
            break
        if "default" in schema and not default:
            default = {"default": schema["default"]}  # a default may be next to a reference
        schema = _resolve_reference(root, ref)
    return {**schema, **default} if isinstance(schema, Mapping) else {}


def _resolve_reference(root: Any, ref: str) -> Any:
    for step in ref[2:].split("/"):
        root = (
            root.get(step.replace("~1", "/").replace("~0", "~"))
            if isinstance(root, Mapping)
            else None
        )
    return root


_EXAMPLE = re.compile(
    r"(?:such as|e\.g\.?,?|for example,?|like|format:?|eg\.?)\s*[\"'`]([^\"'`\s]{2,64})[\"'`]",
    re.IGNORECASE,
)


def examples_of(schema: Mapping[str, Any]) -> tuple[str, ...]:
    """Return examples of a parameter's values from its schema."""
    examples = [schema.get("example")]
    listed = schema.get("examples")
    examples += listed[:5] if isinstance(listed, list) else []  # a few show the spelling
    description = schema.get("description")
    # The first 1,000 characters, as examples are near the beginning.
    quoted = _EXAMPLE.findall(description[:1000]) if isinstance(description, str) else []
    return (*(text for value in examples if (text := scalar_text(value))), *quoted[:5])
