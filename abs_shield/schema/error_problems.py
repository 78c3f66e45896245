"""Conversion of jsonschema's errors to `SchemaProblem`s."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any

from abs_shield.schema import problem_hints
from abs_shield.schema.schema_problem import SchemaProblem, pointer
from abs_shield.schema.value_display import abbreviate, display_value, json_type_phrase

_SIZES = {
    "minLength": "at least {} characters",
    "maxLength": "at most {} characters",
    "minItems": "at least {} items",
    "maxItems": "at most {} items",
    "minProperties": "at least {} members",
    "maxProperties": "at most {} members",
}
_RANGES = {
    "minimum": "at least {}",
    "maximum": "at most {}",
    "exclusiveMinimum": "more than {}",
    "exclusiveMaximum": "less than {}",
}


def explain_error(error: Any, declared_names: tuple[str, ...] = ()) -> Iterator[SchemaProblem]:
    """Yield the problems of one error; *declared_names* are the names at the top level."""
    path = tuple(error.absolute_path)
    names = declared_names if not path else ()
    undeclared = getattr(error, "undeclared", None)
    if undeclared is not None:
        declared = names or tuple(error.schema.get("properties", ()))
        yield from (
            unknown_argument(path, name, error.instance[name], declared) for name in undeclared
        )
    elif hasattr(error, "missing"):
        yield _missing_argument(error, pointer(path))
    elif error.validator in ("anyOf", "oneOf"):
        yield from _alternatives(error, path, declared_names)
    else:
        yield _KINDS.get(str(error.validator), _other)(error, pointer(path))


def unknown_argument(
    path: tuple[Any, ...], name: str, got: Any, declared_names: tuple[str, ...]
) -> SchemaProblem:
    """Return the problem of an undeclared argument."""
    hint, nearest = problem_hints.name_hint(name, declared_names)
    return SchemaProblem(
        where=pointer((*path, name)),
        code="unknown_argument",
        detail=f"there is no argument {display_value(name, 60)} here",
        hint=hint or ("" if declared_names else "no arguments are declared"),
        got=abbreviate(got),
        allowed=declared_names[:20],  # more would not help a model
        nearest=nearest,
    )


def _missing_argument(error: Any, where: str) -> SchemaProblem:
    name, because = error.missing, error.because
    schema = error.schema if isinstance(error.schema, dict) else {}
    declared = schema.get("properties", {})
    types = _types(declared.get(name)) if because is None else ""
    when = "and was not sent" if because is None else f"when {display_value(because, 60)} is sent"
    send = f", of type {types}" if types else "" if because is None else " too"
    return SchemaProblem(
        where=where + pointer((name,)),
        code="missing_argument",
        detail=f"{display_value(name, 60)} is required {when}",
        hint=f"send {display_value(name, 60)}{send}",
        expected=types,
        allowed=tuple(islice(declared, 20)) if because is None else (),
    )


def _types(schema: Any) -> str:
    types = schema.get("type", "") if isinstance(schema, dict) else ""
    return types if isinstance(types, str) else " or ".join(types)


def _wrong_type(error: Any, where: str) -> SchemaProblem:
    value = error.validator_value
    return wrong_type(where, error.instance, (value,) if isinstance(value, str) else tuple(value))


def wrong_type(where: str, got: Any, wanted: tuple[str, ...]) -> SchemaProblem:
    """Return the problem of a value whose type is not in *wanted*."""
    expected = " or ".join(wanted)
    return SchemaProblem(
        where=where,
        code="wrong_type",
        detail=f"got {_describe(got)}, expected {expected}",
        hint=problem_hints.type_hint(got, wanted),
        got=abbreviate(got),
        expected=expected,
    )


def _describe(value: Any) -> str:
    return "null" if value is None else f"{json_type_phrase(value)}: {display_value(value)}"


def _not_allowed(error: Any, where: str) -> SchemaProblem:
    value = error.validator_value
    allowed = tuple(value) if error.validator == "enum" else (value,)
    expected = f"one of {display_value(list(allowed))}"
    # Only a few, because each comparison of spellings takes time.
    hint, nearest = problem_hints.choice_hint(error.instance, allowed[:200])
    return SchemaProblem(
        where=where,
        code="not_allowed",
        detail=f"got {display_value(error.instance)}, expected {expected}",
        hint=hint,
        got=abbreviate(error.instance),
        expected=expected,
        allowed=tuple(map(abbreviate, allowed[:20])),
        nearest=nearest,
    )


def _bad_format(error: Any, where: str) -> SchemaProblem:
    expected = f"string in format {display_value(error.validator_value)[1:-1]}"
    hint = problem_hints.EXAMPLES.get(str(error.validator_value), "")
    return _mismatch(error, where, "bad_format", expected, hint)


def _bad_pattern(error: Any, where: str) -> SchemaProblem:
    usual = f"a match of {display_value(error.validator_value)}", ""
    expected, hint = problem_hints.PATTERNS.get(str(error.validator_value), usual)
    return _mismatch(error, where, "bad_pattern", expected, hint)


def _out_of_range(error: Any, where: str) -> SchemaProblem:
    expected = _RANGES[str(error.validator)].format(display_value(error.validator_value))
    return _mismatch(error, where, "out_of_range", expected)


def _wrong_length(error: Any, where: str) -> SchemaProblem:
    expected = _SIZES[str(error.validator)].format(display_value(error.validator_value))
    size = len(error.instance)
    return _mismatch(error, where, "wrong_length", expected, f"its length is {size}")


def _not_multiple(error: Any, where: str) -> SchemaProblem:
    expected = f"a multiple of {display_value(error.validator_value)}"
    return _mismatch(error, where, "not_multiple", expected)


def _not_unique(error: Any, where: str) -> SchemaProblem:
    return _mismatch(error, where, "not_unique", "items that all differ")


def _unwanted(error: Any, where: str) -> SchemaProblem:
    return _mismatch(error, where, "no_alternative", "a value that `not` does not forbid")


def _too_many(error: Any, where: str) -> SchemaProblem:
    return _mismatch(error, where, "wrong_length", "no further items")


def _other(error: Any, where: str) -> SchemaProblem:
    keyword = error.validator
    if keyword is None:
        return _mismatch(error, where, "invalid", "nothing: no value is allowed here")
    return _mismatch(error, where, "invalid", f"what {display_value(str(keyword))[1:-1]} allows")


def _mismatch(error: Any, where: str, code: str, expected: str, hint: str = "") -> SchemaProblem:
    detail = f"got {display_value(error.instance)}, expected {expected}"
    return SchemaProblem(
        where=where,
        code=code,
        detail=detail,
        hint=hint,
        got=abbreviate(error.instance),
        expected=expected,
    )


def _alternatives(
    error: Any, path: tuple[Any, ...], declared_names: tuple[str, ...]
) -> Iterator[SchemaProblem]:
    branches = _branches(error)
    matching_types = [b for b in branches if not any(_fails_keyword(e, ("type",), 0) for e in b)]
    matching_constants = [
        b for b in matching_types if not any(_fails_keyword(e, ("const", "enum"), 1) for e in b)
    ]
    # If only one branch has the value's type, or its constant, that branch was meant.
    for candidates in (matching_types, matching_constants):
        if len(candidates) == 1:
            for each in candidates[0]:
                yield from explain_error(each, declared_names)
            return
    if branches and not matching_types:
        types = [
            t for b in branches for e in b if _fails_keyword(e, ("type",), 0) for t in _list(e)
        ]
        yield wrong_type(pointer(path), error.instance, tuple(dict.fromkeys(types)))
        return
    yield _no_alternative(error, pointer(path), branches)


def _no_alternative(error: Any, where: str, branches: list[Any]) -> SchemaProblem:
    if hasattr(error, "several"):
        return _mismatch(error, where, "no_alternative", "exactly one alternative; several fit")
    if not branches:
        return _mismatch(error, where, "no_alternative", "one of the alternatives; none fits")
    # The branch with the fewest errors is the closest.
    closest = next(explain_error(min(branches, key=len)[0]))
    expected = f"one of {len(branches)} alternatives; none fits"
    place = f" at {closest.where}" if closest.where != where else ""
    hint = f"the closest one says{place}: {closest.detail}"
    return _mismatch(error, where, "no_alternative", expected, hint)


def _branches(error: Any) -> list[list[Any]]:
    groups: dict[object, list[Any]] = {}
    for each in error.context or ():
        groups.setdefault(each.relative_schema_path[0], []).append(each)
    return list(groups.values())


def _fails_keyword(error: Any, keywords: tuple[str, ...], depth: int) -> bool:
    return error.validator in keywords and len(error.relative_path) == depth


def _list(error: Any) -> list[str]:
    value = error.validator_value
    return [value] if isinstance(value, str) else list(value)


_KINDS: dict[str, Callable[[Any, str], SchemaProblem]] = {
    **dict.fromkeys(_SIZES, _wrong_length),
    **dict.fromkeys(_RANGES, _out_of_range),
    "additionalItems": _too_many,
    "const": _not_allowed,
    "enum": _not_allowed,
    "format": _bad_format,
    "items": _too_many,
    "multipleOf": _not_multiple,
    "not": _unwanted,
    "pattern": _bad_pattern,
    "type": _wrong_type,
    "uniqueItems": _not_unique,
}
