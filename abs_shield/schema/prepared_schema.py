"""Preparation of a schema: copy, validate, resolve references, and refuse what could fail later."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from graphlib import CycleError, TopologicalSorter
from math import isfinite
from typing import Any

import referencing
from jsonschema.exceptions import best_match
from jsonschema.validators import SPECIFICATIONS  # type: ignore[attr-defined, unused-ignore]
from referencing.exceptions import Unresolvable
from referencing.jsonschema import lookup_recursive_ref, specification_with

from abs_shield.errors import PolicyError
from abs_shield.schema import dialects, ecma_regex
from abs_shield.schema.item_enums import with_item_enum
from abs_shield.schema.quick_validity import TYPES, is_surely_valid
from abs_shield.schema.schema_problem import pointer
from abs_shield.schema.subschemas import DEFINITIONS, IN_PLACE, REFERENCES, children
from abs_shield.schema.value_display import display_value
from abs_shield.schema.visit_bounds import Edges

MAX_DEPTH = 128  # two for each of the 64 levels of a value: `properties` and a name
MAX_NODES = 100_000  # the same limit as for the arguments of a call

_TYPES = sorted(TYPES)
_PYTHON = {
    "bool": "boolean",
    "dict": "object",
    "float": "number",
    "int": "integer",
    "list": "array",
    "none": "null",
    "str": "string",
    "tuple": "array",
}

Path = tuple[object, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PreparedSchema:
    """
    A validated copy of a schema and its draft.

    *edges* are the ids of the schemas that each schema applies, with their part of the value;
    *patterned* is whether there is any pattern; *dynamic* is whether the target of a reference
    may depend on the path to it.
    """

    schema: dict[str, Any] | bool
    dialect: str
    registry: Any
    resolver: Any
    edges: Edges
    patterned: bool
    dynamic: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class SchemaCopy:
    """A copy of a schema as pure JSON within the size limits, with the ids of its objects."""

    schema: Any
    ids: set[int]


def copy_schema(schema: Mapping[str, Any] | bool, *, where: str) -> SchemaCopy:
    """Copy a schema; raise PolicyError if it is not JSON or exceeds the limits."""
    copy = _Copier(where=where)
    try:
        return SchemaCopy(schema=copy.of(schema, ()), ids=copy.ids)
    except RecursionError:
        raise schema_error(where, (), "nested too deeply to be read") from None


def prepare_schema(copy: SchemaCopy, *, where: str) -> PreparedSchema:
    """Validate a copied schema and its references; raise PolicyError at the first fault."""
    own = copy.schema
    if not isinstance(own, (dict, bool)):
        raise schema_error(
            where, (), f"a schema is an object, true or false; got {display_value(own)}"
        )
    dialect = _dialect(own, where)
    _check_valid(own, dialect, where, ())
    specification = specification_with(dialect)
    registry = SPECIFICATIONS.combine(referencing.Registry())
    resolver = registry.resolver_with_root(specification.create_resource(own))
    visit = _Visit(where=where, dialect=dialect, own=copy.ids, visited=set())
    visit.run(own, resolver, specification)
    return PreparedSchema(
        schema=own,
        dialect=dialect,
        registry=registry,
        resolver=resolver,
        edges=visit.edges,
        patterned=visit.patterned,
        dynamic=visit.dynamic,
    )


def schema_error(where: str, path: Path, what: str, hint: str = "") -> PolicyError:
    """Return a one-line error about a fault in a schema."""
    place = f"`{where}`" + (f" at {pointer(path)}" if path else "")
    line = f"{place}: {what}" + (f"; {hint}" if hint else "")
    return PolicyError(" ".join(line.split()))


class _Copier:
    """Deep copies of JSON within the size limits, with the ids of the copied dicts."""

    def __init__(self, *, where: str) -> None:
        self.where, self.nodes = where, 0
        self.ids: set[int] = set()

    def of(self, value: Any, path: Path) -> Any:
        self.nodes += 1
        if len(path) > MAX_DEPTH:
            raise schema_error(self.where, (), f"nested deeper than {MAX_DEPTH}")
        if self.nodes > MAX_NODES:
            raise schema_error(self.where, (), f"larger than {MAX_NODES} values")
        if isinstance(value, Mapping):
            return self._object(value, path)
        if isinstance(value, (list, tuple)):
            return [self.of(item, (*path, index)) for index, item in enumerate(value)]
        if value is None or isinstance(value, (bool, str)):
            return value
        # the limit of arguments (`value_limits`)
        if isinstance(value, int) and value.bit_length() <= 8192:
            return int(value)
        if isinstance(value, float) and isfinite(value):
            return float(value)
        raise schema_error(self.where, path, f"{display_value(value)} is not JSON")

    def _object(self, value: Mapping[Any, Any], path: Path) -> dict[str, Any]:
        for key in value:
            if not isinstance(key, str):
                raise schema_error(
                    self.where, path, f"the key {display_value(key)} is not a string"
                )
        copy = {key: self.of(item, (*path, key)) for key, item in value.items()}
        self.ids.add(id(copy))
        return copy


@dataclass(slots=True, kw_only=True)
class _Visit:
    """A traversal of every schema that validation could reach."""

    where: str
    dialect: str
    own: set[int]
    visited: set[int]
    edges: dict[int, list[tuple[Path, int]]] = field(default_factory=dict)
    patterned: bool = False
    dynamic: bool = False

    def run(self, root: Any, resolver: Any, specification: Any) -> None:
        todo: list[tuple[Any, Any, Path]] = [(root, resolver, ())]
        while todo:
            schema, base, path = todo.pop()
            if not isinstance(schema, dict) or id(schema) in self.visited:
                continue
            self.visited.add(id(schema))
            self.patterned |= _check_patterns(schema, self.where, path)
            # Before the children are read, because it moves a keyword into one of them.
            _move_item_enum(schema)
            todo += self._targets(schema, base, path)
            for step, child in children(schema):
                inner = base.in_subresource(specification.create_resource(child))
                todo.append((child, inner, path + step))
                if step[0] not in DEFINITIONS:
                    self._add_edge(schema, child, () if step[0] in IN_PLACE else step)
            # After them: the meta-schema ignores `nullable`, and the edges stay the same.
            _expand_nullable(schema)
        self._check_cycles()

    def _add_edge(self, schema: Any, other: Any, step: Path = ()) -> None:
        self.edges.setdefault(id(schema), []).append((step, id(other)))

    def _check_cycles(self) -> None:
        graph = {at: [there for step, there in to if not step] for at, to in self.edges.items()}
        if not any(graph.values()):
            return
        try:
            # Such a schema would recurse forever on any value.
            TopologicalSorter(graph).prepare()
        except CycleError:
            what = "a reference leads back to itself without going deeper into the value"
            raise schema_error(self.where, (), what) from None

    def _targets(
        self, schema: dict[str, Any], base: Any, path: Path
    ) -> list[tuple[Any, Any, Path]]:
        targets: list[tuple[Any, Any, Path]] = []
        for keyword in REFERENCES:
            if isinstance(schema.get(keyword), str):
                targets += self._target(schema, keyword, base, (*path, keyword))
        return targets

    def _target(
        self, schema: dict[str, Any], keyword: str, base: Any, path: Path
    ) -> list[tuple[Any, Any, Path]]:
        ref = schema[keyword]
        self.dynamic |= keyword != "$ref"
        try:
            recursive = keyword == "$recursiveRef"
            target = lookup_recursive_ref(base) if recursive else base.lookup(ref)
        # The library raises any of these for a malformed reference.
        except (Unresolvable, ValueError, TypeError, LookupError, AttributeError):
            hint = "references are never fetched: put the schema under `$defs`"
            raise schema_error(
                self.where, path, f"cannot resolve {display_value(ref)}", hint
            ) from None
        if not isinstance(target.contents, (dict, bool)):
            raise schema_error(self.where, path, f"{display_value(ref)} is not a schema")
        if keyword == "$ref":
            self._add_edge(schema, target.contents)
        self.dynamic |= id(target.contents) not in self.own  # a draft's own schema is dynamic
        # The library's own schemas are valid, and each schema is visited once.
        if id(target.contents) not in self.own or id(target.contents) in self.visited:
            return []
        _check_valid(target.contents, self.dialect, self.where, path)
        return [(target.contents, target.resolver, path)]


def _dialect(schema: dict[str, Any] | bool, where: str) -> str:
    address = (
        schema.get("$schema", dialects.LATEST) if isinstance(schema, dict) else dialects.LATEST
    )
    plain = address.rstrip("#") if isinstance(address, str) else ""
    if plain in dialects.DRAFTS:
        return plain
    # Drafts 4 to 7 have `http:` addresses, which are often written with `https:`.
    if plain.replace("https:", "http:") in dialects.DRAFTS:
        return plain.replace("https:", "http:")
    nearest = get_close_matches(plain[:100], list(dialects.DRAFTS), n=1, cutoff=0)
    raise schema_error(
        where,
        ("$schema",),
        f"unknown draft {display_value(address)}",
        f"did you mean `{nearest[0]}`?",
    )


def _check_valid(schema: Any, dialect: str, where: str, path: Path) -> None:
    if is_surely_valid(schema, dialect):
        return
    try:
        error = best_match(dialects.meta_validator(dialect).iter_errors(schema))
    except RecursionError:
        raise schema_error(where, path, "nested too deeply to be checked") from None
    if error is not None:
        inner = tuple(error.absolute_path)
        what = f"not a valid schema: {display_value(error.instance)} breaks `{error.validator}`"
        raise schema_error(where, path + inner, what, _schema_hint(inner, error))


def _schema_hint(path: Path, error: Any) -> str:
    last = next((part for part in reversed(path) if isinstance(part, str)), "")
    got = error.instance
    if last in ("exclusiveMinimum", "exclusiveMaximum") and isinstance(got, bool):
        bound = last.removeprefix("exclusive").lower()
        return f'draft 4 wrote `"{bound}": 0, "{last}": true`; write `"{last}": 0` alone'
    if last == "required" and isinstance(got, bool):
        return "`required` is a list of names, beside `properties`"
    if last == "type" and isinstance(got, str):
        # Only 40 characters, because a comparison takes quadratic time.
        near = get_close_matches(got.lower()[:40], _TYPES, n=1, cutoff=0.5)
        name = _PYTHON.get(got.lower()) or (near[0] if near else "")
        return f"did you mean `{name}`?" if name else f"types are {', '.join(_TYPES)}"
    expected = error.validator_value
    return f"expected {display_value(expected)}" if isinstance(expected, (str, int, list)) else ""


def _check_patterns(schema: dict[str, Any], where: str, path: Path) -> bool:
    """Return whether a schema has patterns; raise PolicyError for invalid ones."""
    for name in ("pattern", "patternProperties"):
        patterns = schema.get(name)
        for pattern in (
            [patterns]
            if isinstance(patterns, str)
            else patterns
            if isinstance(patterns, dict)
            else ()
        ):
            try:
                ecma_regex.compile_pattern(pattern)
            except ecma_regex.BadPattern as error:
                what = f"{display_value(pattern)} is not a regular expression: {error}"
                raise schema_error(where, (*path, name), what) from None
    return "pattern" in schema or "patternProperties" in schema


def _move_item_enum(schema: dict[str, Any]) -> None:
    rewritten = with_item_enum(schema)
    if rewritten.keys() != schema.keys():
        schema.clear()
        schema.update(rewritten)


def _expand_nullable(schema: dict[str, Any]) -> None:
    if schema.get("nullable") is not True or "type" not in schema:
        return
    types = [schema["type"]] if isinstance(schema["type"], str) else schema["type"]
    schema["type"] = types if "null" in types else [*types, "null"]
    if "enum" in schema and None not in schema["enum"]:
        schema["enum"] = [*schema["enum"], None]
    if "const" in schema:
        schema["enum"] = [schema.pop("const"), None]
