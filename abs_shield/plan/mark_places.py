"""Marks of nested values that the tool's schemas allow in no call."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import Any, NamedTuple
from urllib.parse import unquote

from abs_shield.errors import PolicyError
from abs_shield.policy import Tool
from abs_shield.policy.parameter_marks import ANY, ANYWHERE, steps_of
from abs_shield.policy.suppression import is_position
from abs_shield.policy.tool_declaration import MARKS
from abs_shield.schema.subschemas import FURTHER_MEMBERS
from abs_shield.text.json_leaves import pointer
from abs_shield.text.nearest import nearest
from abs_shield.text.safe_display import escaped

_MAX_SCHEMAS = 10_000
"""Schemas that are read for one place; a place with more counts as allowing anything."""
_LISTS = ("allOf", "anyOf", "oneOf")
_BRANCHES = ("if", "then", "else")
_BY_NAME = ("dependentSchemas", "dependencies")
_ITEMS = ("items", "prefixItems", "additionalItems", "unevaluatedItems", "contains")
_MEMBERS = ("properties", "patternProperties", *FURTHER_MEMBERS)
_WRAPPERS = ("$ref", *_LISTS, *_BRANCHES, *_BY_NAME)
_DYNAMIC_REFERENCES = ("$dynamicRef", "$recursiveRef")
_ANNOTATIONS = frozenset(
    "title description default examples example deprecated readOnly writeOnly $comment $schema $id "
    "$anchor $defs definitions nullable".split()
)
"""Keywords that constrain no value."""


@dataclass(slots=True)
class _Members:
    """
    The members that a value may have at one place, in objects and in lists of objects.

    Attributes:
        named: The schemas of each declared member, by its name.
        others: The schemas of undeclared members.
        is_open: Whether the schemas allow any value there.
    """

    named: dict[str, list[Any]] = field(default_factory=dict)
    others: list[Any] = field(default_factory=list)
    is_open: bool = False

    def at(self, step: str) -> list[Any]:
        """Return the schemas of the members that a step matches; empty if no member can match."""
        if step == ANY:
            return [*self.others, *(one for schemas in self.named.values() for one in schemas)]
        return [*self.named.get(step, ()), *self.others]


Names = Callable[[], list[frozenset[str]]]


class ImpossibleMark(NamedTuple):
    """
    A mark of a nested value that no call can have.

    Attributes:
        tool: The tool that declares it.
        field: The field of the declaration: ``targets``.
        key: The pointer.
        hint: The nearest pointer that can exist, or the names at the place.
    """

    tool: Tool
    field: str
    key: str
    hint: str


def require_possible_marks(tools: Iterable[Tool], schemas: Iterable[Any], names: Names) -> None:
    """
    Raise if a mark points to a nested value that cannot occur in any call.

    Args:
        tools: As in `impossible_marks`.
        schemas: As in `impossible_marks`.
        names: As in `impossible_marks`.

    Raises:
        PolicyError: A mark can never match; the message suggests the nearest pointer.
    """
    for mark in impossible_marks(tools, schemas, names):
        raise PolicyError(
            f"tool `{escaped(mark.tool.name)}`: `{mark.field}` names `{escaped(mark.key)}`, which "
            f"no call can have; {mark.hint}"
        )


def impossible_marks(
    tools: Iterable[Tool], schemas: Iterable[Any], names: Names
) -> Iterator[ImpossibleMark]:
    """
    Yield the marks of nested values that cannot occur in any call.

    Args:
        tools: The declarations of the tool that have the marks.
        schemas: The schemas of its arguments; a place must exist in at least one of them.
        names: Returns, for each model class of the tool's function, all names of its fields; a
            schema has only one name of a field with aliases.
    """
    roots = [schema for schema in schemas if schema is not None]
    for tool in tools if roots else ():
        for field_name in MARKS:
            for key in getattr(tool, field_name):
                steps = steps_of(key)
                # The first step is a parameter, which `compile_tool` has already checked.
                if len(steps) > 1 and not any(_exists(root, steps, names) for root in roots):
                    yield ImpossibleMark(tool, field_name, key, _hint(roots, steps))


def _exists(root: Any, steps: list[str], names: Names = list) -> bool:
    if ANYWHERE in steps:
        start = _members(_parameter_schemas(root, steps[0]), root)
        return any(_admits(members, steps[-1], names) for members in _walk_members(start, root))
    places = _places_to_missing_step(root, steps)
    return not places or _admits(places[-1], steps[len(places)], names)


def _admits(members: _Members, step: str, names: Names) -> bool:
    if members.is_open or members.at(step):
        return True
    # Last, as it reads the type hints of a function.
    return any(step in model and not model.isdisjoint(members.named) for model in names())


def _places_to_missing_step(root: Any, steps: list[str]) -> list[_Members]:
    """
    Return the members at each step below a parameter, up to the first step that does not exist.

    The result is empty if all steps exist.
    """
    schemas, places = _parameter_schemas(root, steps[0]), list[_Members]()
    for step in steps[1:]:
        members = _members(schemas, root)
        places.append(members)
        if members.is_open:
            return []
        schemas = members.at(step)
        if not schemas:
            return places
    return []


def _parameter_schemas(root: Any, name: str) -> list[Any]:
    """Return the schemas of a parameter; one that the schema does not name may have any value."""
    members = _members([root], root)
    # `*` matches the arguments that the schema does not name.
    return (members.others if name == ANY else members.at(name)) or [True]


def _walk_members(start: _Members, root: Any) -> Iterator[_Members]:
    """Yield the members at a place and at all places inside it."""
    todo, visited = [start], set[int]()
    while todo:
        members = todo.pop()
        yield members
        for schemas in (members.others, *members.named.values()):
            # Models refer to each other in circles.
            new = [schema for schema in schemas if id(schema) not in visited]
            visited.update(map(id, new))
            if new:
                todo.append(_members(new, root))


def _members(schemas: Iterable[Any], root: Any) -> _Members:
    """Return the members that any of the schemas allows; lists count as their items."""
    found, todo, visited = _Members(), [*schemas], set[int]()
    is_listed = may_have_members = False
    while todo and not found.is_open:
        schema = todo.pop()
        if not isinstance(schema, Mapping):
            found.is_open = schema is True
        elif id(schema) not in visited:
            visited.add(id(schema))
            todo += _applicable_schemas(schema, root)
            found.is_open = _is_open(schema) or len(visited) > _MAX_SCHEMAS
            is_listed |= _add_members(schema, found)
            may_have_members |= _may_have_members(schema)
    # Such as an object of which only the required members are named.
    found.is_open |= may_have_members and not is_listed
    return found


def _add_members(schema: Mapping[str, Any], found: _Members) -> bool:
    """Add the members that a schema declares; return whether it declares any, or forbids others."""
    named, patterns = schema.get("properties"), schema.get("patternProperties")
    for name, member in named.items() if isinstance(named, Mapping) else ():
        found.named.setdefault(name, []).append(member)
    if isinstance(patterns, Mapping):
        found.others += [member for member in patterns.values() if member is not False]
    others = [schema[word] for word in FURTHER_MEMBERS if word in schema]
    found.others += [other for other in others if other is not False]
    return bool(named or patterns or others) or any(word in schema for word in _ITEMS)


def _is_open(schema: Mapping[str, Any]) -> bool:
    """Return whether a schema by itself allows anything inside its values."""
    if not schema.keys() - _ANNOTATIONS or any(word in schema for word in _DYNAMIC_REFERENCES):
        return True
    listed = [schema.get("const"), *_sequence(schema.get("enum"))]
    if any(isinstance(value, (dict, list)) for value in listed):
        return True
    types = _types(schema)
    if "array" in types and _has_further_items(schema):
        return True
    return "object" in types and not any(word in schema for word in (*_MEMBERS, *_WRAPPERS))


def _has_further_items(schema: Mapping[str, Any]) -> bool:
    """Return whether a list may have items without a schema."""
    first = schema.get("prefixItems", schema.get("items"))
    if not isinstance(first, (list, tuple)):
        return not any(word in schema for word in (*_ITEMS, *_WRAPPERS))
    rest = {*_ITEMS, *_WRAPPERS} - {"prefixItems" if "prefixItems" in schema else "items"}
    most = schema.get("maxItems")
    is_bounded = isinstance(most, int) and most <= len(first)
    return rest.isdisjoint(schema) and not is_bounded


def _may_have_members(schema: Mapping[str, Any]) -> bool:
    types = _types(schema)
    if types:
        return not types.isdisjoint(("object", "array"))
    return not any(word in schema for word in ("enum", "const", *_WRAPPERS))


def _types(schema: Mapping[str, Any]) -> set[str]:
    kinds = schema.get("type")
    return {kind for kind in (kinds if isinstance(kinds, list) else [kinds]) if kind}


def _applicable_schemas(schema: Mapping[str, Any], root: Any) -> Iterator[Any]:
    """Yield the schemas that apply to the same value, and those of a list's items."""
    reference = schema.get("$ref")
    if reference is not None:
        yield _resolve(root, reference)
    for word in _LISTS:
        yield from _sequence(schema.get(word))
    yield from (schema[word] for word in _BRANCHES if word in schema)
    for word in _BY_NAME:
        branches = schema.get(word)
        if isinstance(branches, Mapping):
            yield from (one for one in branches.values() if not isinstance(one, (list, tuple)))
    for word in _ITEMS:
        items = schema.get(word, False)
        yield from _sequence(items) if isinstance(items, (list, tuple)) else (items,)


def _resolve(root: Any, reference: Any) -> Any:
    """Return the schema that a local reference names; True, which allows anything, for others."""
    if reference == "#":
        return root
    if not (isinstance(reference, str) and reference.startswith("#/")):
        return True
    here: Any = root
    for step in steps_of(unquote(reference[1:])):
        if isinstance(here, (list, tuple)) and is_position(step) and int(step) < len(here):
            here = here[int(step)]
        elif isinstance(here, Mapping) and step in here:
            here = here[step]
        else:
            return True
    return here


def _sequence(value: Any) -> Iterable[Any]:
    return value if isinstance(value, (list, tuple)) else ()


def _hint(roots: Iterable[Any], steps: list[str]) -> str:
    """Return the nearest pointer that can exist, or the names at the place."""
    listed: set[str] = set()
    for root in roots if ANYWHERE not in steps else ():
        places = _places_to_missing_step(root, steps)
        # A mapping may have such keys, but a pointer has no steps for lists.
        shorter = [steps[0], *(s for s, at in zip_longest(steps[1:], places) if _is_key(s, at))]
        if shorter != steps and _exists(root, shorter):
            return f"leave out positions of lists: `{_format_pointer(shorter)}`"
        index = len(places)
        for near in nearest(steps[index], places[-1].named):
            return f"did you mean `{_format_pointer([*steps[:index], near, *steps[index + 1 :]])}`?"
        listed |= places[-1].named.keys()
    names = ", ".join(f"`{escaped(name)}`" for name in sorted(listed))
    return f"the names there are {names}" if names else "nothing can stand there"


def _is_key(step: str, members: _Members | None) -> bool:
    is_listed = step == ANY or is_position(step)
    return not is_listed or (members is not None and bool(members.others))


def _format_pointer(steps: list[str]) -> str:
    return escaped(pointer((*steps,)))
