"""What a tool's schema says of one parameter: its own schema, examples and default."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from abs_shield.policy import Tool
from abs_shield.policy.places import names_in
from abs_shield.schema.arrays import with_item_enum
from abs_shield.text.leaves import Path, scalar_text

_MOST = 50_000
"""Members of a schema that are looked at."""


def schema_at(parameters: Any, path: Path) -> Mapping[str, Any]:
    """The schema of the leaf at *path*, through local references, lists and alternatives."""
    here: Any = parameters
    for step in path:
        here = _resolved(here, parameters)
        if isinstance(step, int):
            here = here.get("items")
        else:
            inside = here.get("properties")
            here = inside.get(step) if isinstance(inside, Mapping) else None
    return _resolved(here, parameters)


def takes_null(parameters: Any, path: Path) -> bool:
    """Return whether the schema of the leaf at *path* says that it may be null."""
    around, step = schema_at(parameters, path[:-1]), path[-1]
    inside = around.get("items" if isinstance(step, int) else "properties")
    here = inside.get(step) if isinstance(step, str) and isinstance(inside, Mapping) else inside
    if not isinstance(here, Mapping):
        return False
    options = [here, *(o for word in ("anyOf", "oneOf") for o in here.get(word) or ())]
    kinds = (option.get("type") for option in options if isinstance(option, Mapping))
    return any(kind == "null" or (isinstance(kind, list) and "null" in kind) for kind in kinds)


def names_of_properties(parameters: Any) -> Iterator[str]:
    """Yield the name of every property in a schema, also of those inside of others."""
    left: list[Any] = [parameters]
    for _ in range(_MOST):
        if not left:
            break
        here = left.pop()
        if isinstance(here, str):
            continue
        if isinstance(here, Mapping):
            properties = here.get("properties")
            if isinstance(properties, Mapping):
                yield from (name for name in properties if isinstance(name, str))
            left.extend(here.values())
        elif isinstance(here, (list, tuple)):
            left.extend(here)


def authored_names(tool: Tool) -> frozenset[str]:
    """
    Return every name that *tool*'s author declared for an argument, a result field, or a member.

    In a call, every other name is the model's.

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


def _resolved(schema: Any, root: Any) -> Mapping[str, Any]:
    for _ in range(8):
        if not isinstance(schema, Mapping):
            return {}
        ref = schema.get("$ref")
        if not (isinstance(ref, str) and ref.startswith("#/")):
            break
        schema = _followed(root, ref)
    if not isinstance(schema, Mapping):
        return {}
    merged: dict[str, Any] = dict(schema)
    for keyword in ("anyOf", "oneOf", "allOf"):
        options = schema.get(keyword)
        for option in options if isinstance(options, list) else ():
            if isinstance(option, Mapping) and option.get("type") != "null":
                merged = {**option, **merged}
    return with_item_enum(merged)


def _followed(root: Any, ref: str) -> Any:
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
    """How values of a parameter look, as its schema says."""
    given = [schema.get("example")]
    listed = schema.get("examples")
    given += listed[:5] if isinstance(listed, list) else []
    said = schema.get("description")
    found = _EXAMPLE.findall(said[:1000]) if isinstance(said, str) else []
    return (*(text for value in given if (text := scalar_text(value))), *found[:5])


def defaults_of(schema: Mapping[str, Any]) -> frozenset[str]:
    """Texts of values that the schema itself names: its default."""
    default = scalar_text(schema.get("default"))
    return frozenset({default} if default else ())
