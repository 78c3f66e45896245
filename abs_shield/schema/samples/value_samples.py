"""Sample values of every type that are likely to fit a part of a schema."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice, product
from typing import Any

from abs_shield.schema.json_equality import canonical_key
from abs_shield.schema.number_keywords import count_or
from abs_shield.schema.samples.list_samples import mixtures
from abs_shield.schema.samples.number_samples import numbers
from abs_shield.schema.samples.round_robin import in_turn
from abs_shield.schema.samples.sample_pool import Pool
from abs_shield.schema.samples.schema_shapes import Shape, shapes, types
from abs_shield.schema.samples.text_samples import texts

MOST = 96
"""Maximum number of values of one part; each needs a validation."""
_DEEPEST = 5  # objects and lists inside each other; each level multiplies the values
_MOST_PARTS = 4_000
"""
Maximum number of parts of one schema that are sampled, nested ones included; a schema that refers
to itself is infinite.
"""
_MOST_ITEMS = 64  # items of a list, where a schema has no maximum of its own
_VARIED = 6  # values of one member, while the others have their usual one
# Maximum number of undeclared names, and of levels at which they are tried.
_MOST_EXTRA, _DEEPEST_EXTRA = 12, 2
_TYPES = ("string", "integer", "boolean", "array", "object", "null")
_TYPE_KEYWORDS = (
    ("object", {"properties", "required", "additionalProperties", "patternProperties"}),
    ("array", {"items", "prefixItems", "minItems", "maxItems", "uniqueItems", "contains"}),
    ("string", {"minLength", "maxLength", "pattern", "format"}),
    ("number", {"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"}),
)
"""The type that other keywords imply for a schema without `type`."""


@dataclass(slots=True, kw_only=True)
class ValueSampler:
    """
    Values of parts of one schema; the schema itself must still validate them.

    Attributes:
        root: The whole schema, in which references are followed.
        pool: Values to try besides the schema's own.
    """

    root: Any
    pool: Pool
    _left: int = field(default=_MOST_PARTS, repr=False)

    def of(self, schema: Any, depth: int = 0) -> list[Any]:
        """Return at most 96 values that are likely to fit *schema*, the likeliest first."""
        self._left -= 1
        if depth > _DEEPEST or self._left < 0:
            return []
        alternatives = [self._of_shape(shape, depth) for shape in shapes(schema, self.root)]
        return distinct(in_turn(alternatives))[:MOST]

    def _of_shape(self, shape: Shape, depth: int) -> list[Any]:
        if "const" in shape:
            return [shape["const"]]
        if isinstance(shape.get("enum"), list):
            return list(shape["enum"][:MOST])
        examples = shape.get("examples")
        values = examples[:5] if isinstance(examples, list) else []
        values += [shape[key] for key in ("default", "example") if key in shape]
        return [*in_turn([self._of_type(kind, shape, depth) for kind in _types(shape)]), *values]

    def _of_type(self, kind: str, shape: Shape, depth: int) -> list[Any]:
        match kind:
            case "string":
                return [*texts(shape, self.pool)]
            case "integer" | "number":
                return [*numbers(shape, self.pool, whole=kind == "integer")]
            case "boolean":
                return [True, False]
            case "array":
                return [*self._arrays(shape, depth)]
            case "object":
                return [*self.objects(shape, depth)]
        return [None]

    def _arrays(self, shape: Shape, depth: int) -> Iterator[list[Any]]:
        first = shape.get("prefixItems", shape.get("items"))
        heads = first if isinstance(first, list) else []
        head = [value for part in heads for value in self.of(part, depth + 1)[:1]]
        rest = shape.get("additionalItems", {}) if isinstance(shape.get("items"), list) else None
        items = self.of(shape.get("items", {}) if rest is None else rest, depth + 1)
        within = self.of(shape["contains"], depth + 1)[:1] if "contains" in shape else []
        low, high = _count(shape.get("minItems"), 0), _count(shape.get("maxItems"), _MOST_ITEMS)
        usual = (max(low, 1), low, low + 1, min(high, _MOST_ITEMS))
        lengths = dict.fromkeys((*usual, *self.pool.lengths(_MOST_ITEMS)))
        start = [*head, *within]
        plain = [_fill(start, items, length) for length in lengths if low <= length <= high]
        each = [_fill([*start, item], items, max(low, 1)) for item in items[: 2 * _VARIED]]
        mixed = [[*start, *rest] for rest in islice(mixtures(items, low, high, self.pool), MOST)]
        # Few different items may fit a format or a pattern; repetitions reach the same length.
        alike = [
            [*start, *items[:1] * (length - len(start))]
            for length in lengths
            if max(low, len(start), 2) <= length <= high
        ]
        yield from in_turn([plain, each, mixed, alike])

    def objects(self, shape: Shape, depth: int = 0) -> Iterator[dict[str, Any]]:
        """Yield objects: all members, the required ones, and each member varied."""
        members = self.members(shape, depth)
        needed = required_names(shape)
        usual = {name: values[0] for name, values in members.items() if values}
        least = {name: value for name, value in usual.items() if name in needed}
        yield usual
        yield least
        for name, values in members.items():
            yield from ({**usual, name: value} for value in values[1:_VARIED])
            if name not in needed:
                yield {key: value for key, value in usual.items() if key != name}
        for n in range(1, _VARIED):
            yield {name: values[n % len(values)] for name, values in members.items() if values}
        for name, value in product(*self._extra(shape, members, depth)):
            yield {**usual, name: value}

    def _extra(
        self, shape: Shape, members: Iterable[str], depth: int
    ) -> tuple[list[str], list[Any]]:
        """Return undeclared names of the pool and values for them, where a schema allows both."""
        rest = shape.get("additionalProperties", not shape.get("properties"))
        names = [name for name in self.pool.names(_MOST_EXTRA) if name not in members]
        if rest is False or not names or depth > _DEEPEST_EXTRA:
            return [], []
        return names, self.of(rest, depth + 1)[:_VARIED]

    def members(self, shape: Shape, depth: int = 0) -> dict[str, list[Any]]:
        """Return values of each member that *shape* declares, requires or allows."""
        properties = shape.get("properties")
        members = dict(properties) if isinstance(properties, Mapping) else {}
        patterns = shape.get("patternProperties")
        rest = shape.get("additionalProperties", {})
        for name in required_names(shape):
            members.setdefault(name, rest)
        if isinstance(patterns, Mapping):
            for pattern, part in patterns.items():
                members |= {name: part for name in texts({"pattern": pattern}, Pool())[:1]}
        if not members and isinstance(rest, Mapping) and depth:
            names = self.of(shape.get("propertyNames", {"enum": ["a", "b"]}), depth + 1)
            wanted = max(2, min(_count(shape.get("minProperties"), 0), _MOST_ITEMS))
            names += [f"k{n}" for n in range(wanted - len(names))]
            members |= {name: rest for name in names[:wanted] if isinstance(name, str)}
        return {name: self.of(part, depth + 1) for name, part in members.items()}


def required_names(shape: Shape) -> list[str]:
    """Return the names that a shape requires."""
    names = shape.get("required")
    return [name for name in names if isinstance(name, str)] if isinstance(names, list) else []


def distinct(values: Any) -> list[Any]:
    """Return *values* without duplicates in the sense of JSON Schema."""
    unique: dict[Any, Any] = {}
    for value in values:
        unique.setdefault((type(value) is float, canonical_key(value)), value)
    return list(unique.values())


def _types(shape: Shape) -> list[str]:
    if "type" in shape:
        return types(shape["type"])
    implied = [kind for kind, keywords in _TYPE_KEYWORDS if not keywords.isdisjoint(shape)]
    return implied or list(_TYPES)


def _fill(start: list[Any], items: list[Any], length: int) -> list[Any]:
    """Return a list of that length, without duplicates as far as possible."""
    result = start[: max(length, len(start))]
    others = [item for item in items if item not in result]
    result += others[: max(0, length - len(result))]
    while items and len(result) < length:
        last = items[0]
        result.append(f"{last}{len(result)}" if isinstance(last, str) else last)
    return result


def _count(value: Any, usual: int) -> int:
    return min(count_or(usual, value), 10 * _MOST_ITEMS)
