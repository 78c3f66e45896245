"""Slips that lose nothing: a number or a boolean written as text, null for what may be left out."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from pydantic_core import SchemaValidator, ValidationError, core_schema

from abs_shield.schema import Problem

_SCALARS = {
    "integer": SchemaValidator(core_schema.int_schema()),
    "number": SchemaValidator(core_schema.float_schema(allow_inf_nan=False)),
    "boolean": SchemaValidator(core_schema.bool_schema()),
}
"""The same conversions that a function with these type hints gets from pydantic."""
_ABSENT = object()
_NOTHING = object()

Path = tuple[str | int, ...]


def without_slips(
    arguments: Mapping[str, Any], problems: Iterable[Problem]
) -> dict[str, Any] | None:
    """
    Return *arguments* with each slip that a problem names undone; None where there is none.

    Whether they fit then is for the schema to say.

    >>> wrong = Problem(where="/n", code="wrong_type", detail="", expected="integer or null")
    >>> without_slips({"n": "71"}, [wrong]), without_slips({"n": "many"}, [wrong])
    ({'n': 71}, None)
    """
    made: Any = dict(arguments)
    mended = False
    for problem in problems:
        path = _path(made, problem.where)
        if not path:
            continue
        value = _at(made, path)
        for meant in _meant(value, problem):
            made, mended = _replaced(made, path, meant), True
    return made if mended else None


def _meant(value: Any, problem: Problem) -> Iterator[Any]:
    """The one value that was meant; nothing where that is not clear."""
    if problem.code == "not_allowed":
        same = [each for each in problem.allowed if not _texts(each).isdisjoint(_texts(value))]
        yield from same[:1]
    elif problem.code == "wrong_type" and value is None:
        yield _ABSENT
    elif problem.code == "wrong_type":
        wanted = problem.expected.split(" or ")
        made = (_converted(value, kind) for kind in _SCALARS if kind in wanted)
        yield from [each for each in made if each is not _NOTHING][:1]


def _converted(value: Any, kind: str) -> Any:
    if not isinstance(value, str):
        return _NOTHING
    try:
        return _SCALARS[kind].validate_python(value)
    except ValidationError:
        return _NOTHING


def _texts(value: Any) -> frozenset[str]:
    """The JSON text and Python's text of a scalar; a text is its own."""
    if isinstance(value, str):
        return frozenset({value})
    if value is None or isinstance(value, (bool, int, float)):
        return frozenset({json.dumps(value), str(value)})
    return frozenset()


def _path(arguments: Any, pointer: str) -> Path:
    """The steps of a JSON pointer into *arguments*; empty where it leads to nothing there."""
    path: list[str | int] = []
    here = arguments
    for token in pointer.split("/")[1:]:
        name = token.replace("~1", "/").replace("~0", "~")
        if isinstance(here, list) and name.isdecimal() and int(name) < len(here):
            path.append(int(name))
        elif isinstance(here, Mapping) and name in here:
            path.append(name)
        else:
            return ()
        here = here[path[-1]]
    return tuple(path)


def _at(arguments: Any, path: Path) -> Any:
    for step in path:
        arguments = arguments[step]
    return arguments


def _replaced(holder: Any, path: Path, value: Any) -> Any:
    """A copy of *holder* with *value* at *path*; only what is on the way is copied."""
    step, *rest = path
    made: Any = list(holder) if isinstance(holder, list) else dict(holder)
    if rest:
        made[step] = _replaced(made[step], tuple(rest), value)
    elif value is not _ABSENT:
        made[step] = value
    elif isinstance(made, dict):
        del made[step]
    return made
