"""An inverse whose two calls can never name the same entity."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from abs_shield.plan.case import Case
from abs_shield.plan.problem import Problem, problem
from abs_shield.policy import Inverse
from abs_shield.schema.equality import canonical
from abs_shield.schema.samples.shapes import shapes, types
from abs_shield.text.show import escaped

_NUMBERS = frozenset({"integer", "number"})


def idle_inverses(case: Case) -> Iterator[Problem]:
    """``same="id"`` where one tool takes a number and the other a text."""
    for pair in case.policy.inverses:
        if reason := _reason(pair, case):
            what = f"`inverse` of `{escaped(pair.first)}` and `{escaped(pair.then)}`"
            yield problem(
                "inverse_never_meets",
                f"{what} has no common parameter: {reason}",
                subject=what,
                place=pair.place,
                hint="name the parameter of each tool that holds the entity",
            )


def _reason(pair: Inverse, case: Case) -> str:
    for name in (pair.first, pair.then):
        if name not in pair.same:
            return f"`same` names none of `{escaped(name)}`"
    known = [_known(name, pair.same[name], case) for name in (pair.first, pair.then)]
    kinds = [found[0] for found in known]
    if all(kinds) and kinds[0].isdisjoint(kinds[1]):
        one, other = (" or ".join(sorted(kind)) for kind in kinds)
        return f"{_told(pair, pair.first)} is {one}, {_told(pair, pair.then)} is {other}"
    values = [found[1] for found in known]
    if values[0] is not None and values[1] is not None and values[0].isdisjoint(values[1]):
        return f"{_told(pair, pair.first)} and {_told(pair, pair.then)} allow no common value"
    return ""


def _told(pair: Inverse, name: str) -> str:
    return f"`{escaped(pair.same[name])}` of `{escaped(name)}`"


def _known(tool: str, parameter: str, case: Case) -> tuple[frozenset[str], frozenset[Any] | None]:
    """The types of a parameter, none where they are not known; and its values, where listed."""
    parts = [*_parts(tool, parameter, case)]
    kinds: set[str] = set()
    values: set[Any] = set()
    for part in parts:
        members = [part["const"]] if "const" in part else part.get("enum")
        said = [_kind(value) for value in members] if isinstance(members, list) else None
        kind = types(part.get("type")) if said is None else said
        if not kind:
            return frozenset(), None
        kinds.update("number" if each in _NUMBERS else each for each in kind)
        values.update(map(canonical, members) if isinstance(members, list) else (_ANY,))
    return frozenset(kinds) - {"null"}, None if _ANY in values or not parts else frozenset(values)


_ANY = ("any value",)


def _parts(tool: str, parameter: str, case: Case) -> Iterator[dict[str, Any]]:
    if tool not in case.tools or case.plans[tool].schema is None:
        return
    root = case.tools[tool].parameters
    for shape in shapes(root, root):
        said = shape.get("properties")
        if isinstance(said, Mapping) and parameter in said:
            yield from shapes(said[parameter], root)


def _kind(value: Any) -> str:
    if isinstance(value, bool):
        return "boolean"
    names = {str: "string", int: "number", float: "number", list: "array", dict: "object"}
    return names.get(type(value), "null")
