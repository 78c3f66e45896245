"""Comparison of schemas, ignoring annotations such as `title` and `description`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from abs_shield.schema.json_equality import canonical_key
from abs_shield.schema.subschemas import BY_NAME, MANY, ONE
from abs_shield.schema.value_limits import MAX_DEPTH

_ANNOTATIONS = frozenset("title description default examples deprecated $comment".split())


def is_same(one: Any, other: Any, *, depth: int = 0) -> bool:
    """
    Return whether two schemas are equal except for annotations; False if that is uncertain.

    >>> is_same({"type": "string", "title": "A"}, {"type": "string"})
    True
    """
    # Beyond the depth limit, annotations count as differences, which is the safe answer.
    if not (isinstance(one, Mapping) and isinstance(other, Mapping)) or depth > MAX_DEPTH:
        return canonical_key(one) == canonical_key(other)
    names = {name for name in (*one, *other) if name not in _ANNOTATIONS}
    return all(
        name in one and name in other and _is_same_part(name, one[name], other[name], depth)
        for name in names
    )


def _is_same_part(name: str, one: Any, other: Any, depth: int) -> bool:
    if name in BY_NAME and isinstance(one, Mapping) and isinstance(other, Mapping):
        return one.keys() == other.keys() and all(
            is_same(one[key], other[key], depth=depth + 1) for key in one
        )
    if name in MANY and isinstance(one, list) and isinstance(other, list):
        pairs = zip(one, other, strict=False)
        return len(one) == len(other) and all(is_same(a, b, depth=depth + 1) for a, b in pairs)
    if name in ONE:
        return is_same(one, other, depth=depth + 1)
    return canonical_key(one) == canonical_key(other)
