"""Lossless slips: a number or a boolean written as text, null for an optional argument."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from pydantic_core import SchemaValidator, ValidationError, core_schema

from abs_shield.schema import SchemaProblem
from abs_shield.text.json_leaves import Path, value_at

_SCALARS = {
    "integer": SchemaValidator(core_schema.int_schema()),
    # NaN and infinities do not exist in JSON.
    "number": SchemaValidator(core_schema.float_schema(allow_inf_nan=False)),
    "boolean": SchemaValidator(core_schema.bool_schema()),
}
"""The conversions that pydantic applies to a function with these type hints."""
_ABSENT = object()
_NOTHING = object()


def correct_slips(
    arguments: Mapping[str, Any], problems: Iterable[SchemaProblem]
) -> dict[str, Any] | None:
    """
    Return *arguments* with every slip corrected that a problem reports; None if there is no slip.

    The caller checks whether the corrected arguments match the schema.

    >>> wrong = SchemaProblem(where="/n", code="wrong_type", detail="", expected="integer or null")
    >>> correct_slips({"n": "71"}, [wrong]), correct_slips({"n": "many"}, [wrong])
    ({'n': 71}, None)
    """
    corrected: Any = dict(arguments)
    is_corrected = False
    for problem in problems:
        path = _path_of(corrected, problem.where)
        if not path:
            continue
        value = value_at(corrected, path)
        for correction in _corrections(value, problem):
            corrected, is_corrected = _replace_at(corrected, path, correction), True
    return corrected if is_corrected else None


def _corrections(value: Any, problem: SchemaProblem) -> Iterator[Any]:
    """Yield the value that the model meant; nothing if that is not clear."""
    if problem.code == "not_allowed":
        same = [
            each for each in problem.allowed if not _texts_of(each).isdisjoint(_texts_of(value))
        ]
        # At most one correction for each problem.
        yield from same[:1]
    elif problem.code == "wrong_type" and value is None:
        yield _ABSENT
    elif problem.code == "wrong_type":
        wanted = problem.expected.split(" or ")
        conversions = (_convert(value, kind) for kind in _SCALARS if kind in wanted)
        yield from [each for each in conversions if each is not _NOTHING][:1]


def _convert(value: Any, kind: str) -> Any:
    if not isinstance(value, str):
        return _NOTHING
    try:
        return _SCALARS[kind].validate_python(value)
    except ValidationError:
        return _NOTHING


def _texts_of(value: Any) -> frozenset[str]:
    """Return the JSON text and the Python text of a scalar; for a string, only itself."""
    if isinstance(value, str):
        return frozenset({value})
    if value is None or isinstance(value, (bool, int, float)):
        return frozenset({json.dumps(value), str(value)})
    return frozenset()


def _path_of(arguments: Any, pointer: str) -> Path:
    """Return the steps of a JSON pointer into *arguments*; empty if nothing exists there."""
    path: list[str | int] = []
    here = arguments
    for token in pointer.split("/")[1:]:
        name = token.replace("~1", "/").replace("~0", "~")
        # `isdecimal`, as `int` does not accept digits such as superscripts.
        if isinstance(here, list) and name.isdecimal() and int(name) < len(here):
            path.append(int(name))
        elif isinstance(here, Mapping) and name in here:
            path.append(name)
        else:
            return ()
        here = here[path[-1]]
    return tuple(path)


def _replace_at(holder: Any, path: Path, value: Any) -> Any:
    """Return a copy of *holder* with *value* at *path*; only containers along it are copied."""
    step, *rest = path
    copy: Any = list(holder) if isinstance(holder, list) else dict(holder)
    if rest:
        copy[step] = _replace_at(copy[step], tuple(rest), value)
    elif value is not _ABSENT:
        copy[step] = value
    elif isinstance(copy, dict):
        # Only a member can be left out, as removing an element of a list would move the others.
        del copy[step]
    return copy
