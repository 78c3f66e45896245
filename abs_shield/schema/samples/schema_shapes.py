"""The alternatives of a schema, with references resolved and `allOf` merged."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any

from abs_shield.schema.item_enums import with_item_enum
from abs_shield.schema.subschemas import REFERENCES

MOST = 24
"""Maximum number of alternatives of one schema; an `allOf` of several `anyOf` multiplies them."""
_DEEPEST = 12  # references and branches inside each other; a recursive schema has no end
_SPLIT = frozenset({*REFERENCES, "allOf", "anyOf", "oneOf", "if", "then", "else"})
_LOWER = frozenset({"minimum", "minLength", "minItems", "minProperties"})
_UPPER = frozenset({"maximum", "maxLength", "maxItems", "maxProperties"})

Shape = dict[str, Any]


def shapes(schema: Any, root: Any) -> list[Shape]:
    """
    Return the alternatives of *schema*, a part of *root*, without combining keywords.

    They only suggest values: samples must be validated by the schema itself.

    >>> shapes({"anyOf": [{"type": "null"}, {"$ref": "#/$defs/id"}]},
    ...        {"$defs": {"id": {"type": "string"}}})
    [{'type': 'null'}, {'type': 'string'}]
    """
    return list(islice(_shapes(schema, root, _DEEPEST), MOST))


def _shapes(schema: Any, root: Any, depth: int) -> Iterator[Shape]:
    if schema is True:
        yield {}
    if not isinstance(schema, Mapping) or not depth:
        return
    own = {key: value for key, value in with_item_enum(schema).items() if key not in _SPLIT}
    alternatives = [own]
    for branches in _parts(schema, root, depth - 1):
        alternatives = [*islice((merge_shapes(a, b) for b in branches for a in alternatives), MOST)]
    yield from alternatives
    if schema.get("nullable") is True:
        yield {"type": "null"}


def _parts(schema: Mapping[str, Any], root: Any, depth: int) -> Iterator[list[Shape]]:
    for keyword in REFERENCES:
        if isinstance(schema.get(keyword), str):
            target = resolve_local_reference(root, schema[keyword])
            yield [*islice(_shapes(target, root, depth), MOST)] if target is not None else [{}]
    for part in _as_list(schema.get("allOf")):
        yield [*islice(_shapes(part, root, depth), MOST)]
    for keyword in ("anyOf", "oneOf"):
        if keyword in schema:
            branches = (_shapes(part, root, depth) for part in _as_list(schema[keyword]))
            yield [*islice((shape for branch in branches for shape in branch), MOST)]
    if "if" in schema:
        yield [*islice(_conditional(schema, root, depth), MOST)]


def _conditional(schema: Mapping[str, Any], root: Any, depth: int) -> Iterator[Shape]:
    for first in _shapes(schema["if"], root, depth):
        yield from (
            merge_shapes(first, then) for then in _shapes(schema.get("then", True), root, depth)
        )
    yield from _shapes(schema.get("else", True), root, depth)


def merge_shapes(one: Shape, other: Shape) -> Shape:
    """Return the requirements of both shapes, as far as one shape can express them."""
    result = {**one, **other}
    for key in one.keys() & other.keys():
        result[key] = _both(key, one[key], other[key])
    return result


def _both(key: str, one: Any, other: Any) -> Any:
    if key == "properties" and isinstance(one, Mapping) and isinstance(other, Mapping):
        same = one.keys() & other.keys()
        return {**one, **other, **{name: {"allOf": [one[name], other[name]]} for name in same}}
    if key == "required" and isinstance(one, list) and isinstance(other, list):
        return list(dict.fromkeys((*one, *other)))
    if key == "enum" and isinstance(one, list) and isinstance(other, list):
        return [value for value in one if value in other]
    if key == "type":
        kinds = [kind for kind in types(one) if kind in types(other)]
        narrow = "integer" in types(other) and "number" in types(one)
        return kinds or (["integer"] if narrow or "integer" in types(one) else other)
    if key in _LOWER and _numbers(one, other):
        return max(one, other)
    if key in _UPPER and _numbers(one, other):
        return min(one, other)
    return other


def types(value: Any) -> list[str]:
    """Return a `type` keyword as a list."""
    return [value] if isinstance(value, str) else _as_list(value)


def resolve_local_reference(root: Any, ref: str) -> Any:
    """Return the target of a local reference; None for other references."""
    if not ref.startswith("#") or (ref != "#" and not ref.startswith("#/")):
        return None
    for step in ref.split("/")[1:]:
        name = step.replace("~1", "/").replace("~0", "~").replace("%25", "%")
        if isinstance(root, list) and name.isdigit() and int(name) < len(root):
            root = root[int(name)]
        else:
            root = root.get(name) if isinstance(root, Mapping) else None
    return root


def _numbers(*values: Any) -> bool:
    return all(isinstance(value, (int, float)) for value in values)


def _as_list(value: Any) -> list[Any]:
    return list(value) if isinstance(value, (list, tuple)) else []
