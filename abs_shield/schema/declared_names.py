"""The argument names that a schema declares, and whether it allows others."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from referencing.jsonschema import lookup_recursive_ref, specification_with

from abs_shield.schema.prepared_schema import PreparedSchema
from abs_shield.schema.subschemas import FURTHER_MEMBERS


@dataclass(slots=True, kw_only=True)
class DeclaredNames:
    """The names at the top level of a schema, through references and branches."""

    names: set[str] = field(default_factory=set)
    required: set[str] = field(default_factory=set)
    patterns: set[str] = field(default_factory=set)
    open: bool = False
    lists_names: bool = False
    refuses: bool = False

    @property
    def closable(self) -> bool:
        """Return whether the schema lists its names and allows no others."""
        return not self.open and self.lists_names

    @property
    def nameless(self) -> bool:
        """Return whether the schema neither declares a name nor explicitly forbids any."""
        return not (self.names or self.patterns or self.refuses)

    def add(self, schema: dict[str, Any], *, certain: bool) -> None:
        """Add the names of one schema at the top level; *certain* if it always applies."""
        properties = schema.get("properties", {})
        required = schema.get("required", ())
        self.names |= set(properties) | set(required)
        self.patterns |= set(schema.get("patternProperties", {}))
        rest = [schema[keyword] for keyword in FURTHER_MEMBERS if keyword in schema]
        self.refuses |= any(keyword_value is False for keyword_value in rest)
        self.lists_names |= bool(required) or not schema.keys().isdisjoint(_LISTS)
        if certain:
            self.required |= set(required)
            self.open |= any(keyword_value is not False for keyword_value in rest)


_LISTS = frozenset({"properties", "patternProperties"})


def collect_declared_names(prepared: PreparedSchema) -> DeclaredNames:
    """Collect the names a schema declares at its top level."""
    result, visited = DeclaredNames(), set()
    todo = [(prepared.schema, prepared.resolver, True)]
    specification = specification_with(prepared.dialect)
    while todo:
        schema, base, certain = todo.pop()
        # A schema may refer to itself; it is read once as certain, and once as uncertain.
        if not isinstance(schema, dict) or (id(schema), certain) in visited:
            continue
        visited.add((id(schema), certain))
        for keyword, branch in _branches(schema):
            resolver = base.in_subresource(specification.create_resource(branch))
            todo.append((branch, resolver, certain and keyword == "allOf"))
        todo += [(each.contents, each.resolver, certain) for each in _targets(schema, base)]
        # Up to draft 7, the keywords beside a `$ref` are ignored.
        if not ("$ref" in schema and "json-schema.org/draft-0" in prepared.dialect):
            result.add(schema, certain=certain)
    return result


def _branches(schema: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    for keyword in ("allOf", "anyOf", "oneOf"):
        for branch in schema.get(keyword, ()):
            yield keyword, branch
    for keyword in ("if", "then", "else"):
        if keyword in schema:
            yield keyword, schema[keyword]
    for keyword in ("dependentSchemas", "dependencies"):
        for branch in schema.get(keyword, {}).values():
            if not isinstance(branch, list):
                yield keyword, branch


def _targets(schema: dict[str, Any], base: Any) -> Iterator[Any]:
    for keyword in ("$ref", "$dynamicRef"):
        if keyword in schema:
            yield base.lookup(schema[keyword])
    if "$recursiveRef" in schema:
        yield lookup_recursive_ref(base)
