"""Targets without a value that identifies a thing: empty, null, a boolean, or a condition."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from abs_shield.plan.reported_value import Doubt
from abs_shield.plan.schema_lookup import schema_at
from abs_shield.plan.tool_parameters import Parameter, Parameters
from abs_shield.policy.parameter_marks import ANYWHERE, names_in
from abs_shield.text.json_leaves import LeafWalk, Path, UnreadIterator, name_of, scalar_text
from abs_shield.text.safe_display import escaped, shown
from abs_shield.text.verbs import VerbEffect
from abs_shield.text.wildcards import is_null_word, is_whole_set

_MAX_LEAVES = 10_000  # the same as `MOST_JUDGED`
_EXACT = ("seen", "target")
_NAMING_OPERATORS = frozenset(
    {"$eq", "$in", "$oid", "$ref", "$id", "$uuid", "$date", "$numberlong"}
)
"""Operators of query languages whose value identifies the thing itself."""
_OPERATORS = frozenset(
    "not ne neq gt gte lt lte nin not_in notin exists regex match_all like ilike range between "
    "must_not or nor".split()
)


def find_missing_targets(parameters: Parameters, arguments: Mapping[str, Any]) -> Iterator[Doubt]:
    """
    Yield guarded identifiers whose value identifies nothing, and those that are omitted.

    An optional target may be omitted, or null if that is its schema's default, unless a
    destructive call then has no target at all.
    """
    # All values are read first, as another target may identify the thing.
    missing: list[tuple[Path, Any, Parameter]] = []
    tops_with_value: dict[str, set[Path]] = {}
    unused: set[Path] = set()
    has_value = False
    for path, leaf in LeafWalk[Path](arguments, (), _members, most=_MAX_LEAVES):
        place = _guarded_place(path, parameters)
        if place is None:
            continue
        parameter = parameters.at(place)
        has_value = has_value or _has_value(leaf)
        for key in parameters.schema.keys(place, parameters.tool.targets):
            tops_with_value.setdefault(key, set())
            if _has_value(leaf):
                tops_with_value[key].add(path[:1])
        if _is_missing(path, leaf, place, parameter, parameters):
            missing.append((path, leaf, parameter))
            if path == place and _may_be_unused(leaf, parameter, parameters):
                unused.add(path)
    tops_with_any_value = {top for tops in tops_with_value.values() for top in tops}
    for path, leaf, parameter in missing:
        if not _admits(parameter, leaf):
            is_declared_member = len(path) > 1 and _is_in_schema(path, parameters)
            has_other_targets = bool(
                tops_with_any_value if is_declared_member else tops_with_any_value - {path[:1]}
            )
            has_other_targets = has_other_targets or (has_value and path in unused)
            # A null or empty element of a list is not made up for by other targets.
            has_other_targets = has_other_targets and not isinstance(path[-1], int)
            yield from _doubts_of_missing(
                path, leaf, parameter, parameters, has_other_targets=has_other_targets
            )
    if not tops_with_value:
        yield from _omitted_targets(parameters)


def _members(path: Path, item: Any) -> Iterable[tuple[Path, Any]] | None:
    """Return the members of an object or a list; None for an empty one, which is a leaf here."""
    if isinstance(item, Mapping):
        return (((*path, str(key)), inner) for key, inner in item.items()) if item else None
    if isinstance(item, (list, tuple)) and not isinstance(item, UnreadIterator):
        return (((*path, n), inner) for n, inner in enumerate(item)) if item else None
    return None


def _guarded_place(path: Path, parameters: Parameters) -> Path | None:
    """
    Return the innermost prefix of a leaf's path whose values must identify a thing.

    A member that the schema names inside an object has its own parameter.
    """
    # Innermost first, as a mark inside an object is more exact than a mark on the object.
    for size in range(len(path), 0, -1):
        if parameters.at(path[:size]).guard in _EXACT:
            return path[:size]
        if isinstance(path[size - 1], str) and _is_in_schema(path[:size], parameters):
            return None
    return None


def _is_in_schema(path: Path, parameters: Parameters) -> bool:
    return bool(schema_at(parameters.tool.parameters, path))


def _has_value(leaf: Any) -> bool:
    text = scalar_text(leaf)
    return text is not None and not (is_whole_set(text) or is_null_word(text))


def _is_missing(
    path: Path, leaf: Any, place: Path, parameter: Parameter, parameters: Parameters
) -> bool:
    if _is_selection(path, parameters) or not all(map(_may_name, _data_keys(path, place))):
        return True
    if isinstance(leaf, str):
        return place != path and bool(leaf.strip()) and is_whole_set(leaf)
    if leaf is None:
        return parameter.declared
    if isinstance(leaf, bool):
        # A boolean is data only where the schema says so.
        return parameter.declared and not parameters.schema.takes_boolean(path)
    return (
        isinstance(leaf, (Mapping, list, tuple))
        and not leaf
        and not isinstance(leaf, UnreadIterator)
    )


def _may_be_unused(leaf: Any, parameter: Parameter, parameters: Parameters) -> bool:
    """
    Return whether an empty list adds nothing to the other targets of the call.

    ``cc=[]`` beside ``to`` sends no more mails, but a deletion may read an empty list as all.
    """
    if parameter.declared or not isinstance(leaf, (list, tuple)):
        return False
    does = parameters.action.does
    return does is VerbEffect.MAKE or not (parameter.required or does is VerbEffect.UNMAKE)


def _data_keys(path: Path, place: Path) -> Iterator[str]:
    """Yield the keys of data below the guarded path."""
    return (step for step in (*place[1:], *path[len(place) :]) if isinstance(step, str))


def _may_name(key: str) -> bool:
    """Return whether a key may be a name; a word such as ``any`` may be a name."""
    return any(map(str.isalnum, key)) or not is_whole_set(key)


def _is_selection(path: Path, parameters: Parameters) -> bool:
    """Return whether a step of the path is an operator that is neither in the schema nor data."""
    schema = parameters.tool.parameters
    for place, step in enumerate(path):
        if not (isinstance(step, str) and place):
            continue
        word = step.casefold()
        if word in _OPERATORS or (word[:1] == "$" and word not in _NAMING_OPERATORS):
            further = schema_at(schema, path[:place]).get("additionalProperties")
            return not (
                isinstance(further, Mapping) or _is_in_schema(path[: place + 1], parameters)
            )
    return False


def _admits(parameter: Parameter, leaf: Any) -> bool:
    for admits in parameter.allow:
        try:
            if admits(leaf):
                return True
        except Exception:  # a predicate for texts may raise for other types
            if leaf:
                raise
    return False


def _doubts_of_missing(
    path: Path, leaf: Any, parameter: Parameter, parameters: Parameters, *, has_other_targets: bool
) -> Iterator[Doubt]:
    tool = parameters.tool
    schema = parameters.schema.at(path)
    is_empty = leaf is None or (not leaf and not isinstance(leaf, bool))
    if not tool.destructive and "default" in schema and schema["default"] == leaf:
        return
    detail = f"{shown(leaf)} does not identify one thing"
    # An optional filter may be empty if another argument identifies the thing.
    if is_empty and has_other_targets:
        if parameter.declared or not parameter.required:
            yield Doubt(path, "", "", f"{detail}, but other arguments limit it")
    elif leaf is None and not tool.destructive and parameters.schema.takes_null(path):
        yield Doubt(path, "", "", f"{detail}, which the schema of `{_name(path)}` allows")
    else:
        yield Doubt(path, str(shown(leaf)), "whole_set", detail)


def _omitted_targets(parameters: Parameters) -> Iterator[Doubt]:
    """Yield the declared targets of a call that has none of them."""
    tool = parameters.tool
    for key in tool.targets:
        # A recursive key has no single parameter that could be left out.
        if ANYWHERE in key or _may_be_omitted(parameters, key):
            continue
        path = (*names_in(key),)
        detail = (
            f"the target `{_name(path)}` is left out, so that the call does not identify one thing"
        )
        yield Doubt(path, "", "whole_set" if tool.destructive else "", detail)


def _may_be_omitted(parameters: Parameters, key: str) -> bool:
    """Return whether a call without a value for a declared target is normal."""
    tool, path = parameters.tool, (*names_in(key),)
    if not path or not parameters.at(path).is_guarded:
        return True
    if key in parameters.hidden or (
        isinstance(tool.parameters, Mapping) and path[-1] not in parameters.schema.names()
    ):
        return True  # the tool offered to the model has no such parameter
    return not tool.destructive and "default" in parameters.schema.at(path[:1])


def _name(path: Path) -> str:
    return escaped(name_of(path))
