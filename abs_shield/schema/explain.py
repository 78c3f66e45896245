"""From an error of jsonschema to problems in our words."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any

from abs_shield.schema import hints
from abs_shield.schema.problem import Problem, pointer
from abs_shield.schema.text import brief, kind, shown

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


def explained(error: Any, known: tuple[str, ...] = ()) -> Iterator[Problem]:
    """Yield the problems one error stands for; ``known`` are the names at the top level."""
    path = tuple(error.absolute_path)
    names = known if not path else ()
    unknown = getattr(error, "unknown", None)
    if unknown is not None:
        declared = names or tuple(error.schema.get("properties", ()))
        yield from (
            unknown_argument(path, name, error.instance[name], declared) for name in unknown
        )
    elif hasattr(error, "missing"):
        yield _missing(error, pointer(path))
    elif error.validator in ("anyOf", "oneOf"):
        yield from _alternatives(error, path, known)
    else:
        yield _KINDS.get(str(error.validator), _other)(error, pointer(path))


def unknown_argument(path: tuple[Any, ...], name: str, got: Any, known: tuple[str, ...]) -> Problem:
    """Say that nobody declared an argument of this name."""
    hint, nearest = hints.of_name(name, known)
    return Problem(
        where=pointer((*path, name)),
        code="unknown_argument",
        detail=f"there is no argument {shown(name, 60)} here",
        hint=hint or ("" if known else "no arguments are declared"),
        got=brief(got),
        allowed=known[:20],
        nearest=nearest,
    )


def _missing(error: Any, where: str) -> Problem:
    name, because = error.missing, error.because
    schema = error.schema if isinstance(error.schema, dict) else {}
    declared = schema.get("properties", {})
    types = _types(declared.get(name)) if because is None else ""
    when = "and was not sent" if because is None else f"when {shown(because, 60)} is sent"
    send = f", of type {types}" if types else "" if because is None else " too"
    return Problem(
        where=where + pointer((name,)),
        code="missing_argument",
        detail=f"{shown(name, 60)} is required {when}",
        hint=f"send {shown(name, 60)}{send}",
        expected=types,
        allowed=tuple(islice(declared, 20)) if because is None else (),
    )


def _types(schema: Any) -> str:
    named = schema.get("type", "") if isinstance(schema, dict) else ""
    return named if isinstance(named, str) else " or ".join(named)


def _wrong_type(error: Any, where: str) -> Problem:
    value = error.validator_value
    return wrong_type(where, error.instance, (value,) if isinstance(value, str) else tuple(value))


def wrong_type(where: str, got: Any, wanted: tuple[str, ...]) -> Problem:
    """Say that a value is of another type than every wanted one."""
    expected = " or ".join(wanted)
    return Problem(
        where=where,
        code="wrong_type",
        detail=f"got {_named(got)}, expected {expected}",
        hint=hints.of_type(got, wanted),
        got=brief(got),
        expected=expected,
    )


def _named(value: Any) -> str:
    return "null" if value is None else f"{kind(value)}: {shown(value)}"


def _not_allowed(error: Any, where: str) -> Problem:
    value = error.validator_value
    allowed = tuple(value) if error.validator == "enum" else (value,)
    hint, nearest = hints.of_choice(error.instance, allowed[:200])
    return Problem(
        where=where,
        code="not_allowed",
        detail=f"got {shown(error.instance)}, expected one of {shown(list(allowed))}",
        hint=hint,
        got=brief(error.instance),
        expected=f"one of {shown(list(allowed))}",
        allowed=tuple(map(brief, allowed[:20])),
        nearest=nearest,
    )


def _bad_format(error: Any, where: str) -> Problem:
    expected = f"string in format {shown(error.validator_value)[1:-1]}"
    hint = hints.EXAMPLES.get(str(error.validator_value), "")
    return _plain(error, where, "bad_format", expected, hint)


def _bad_pattern(error: Any, where: str) -> Problem:
    usual = f"a match of {shown(error.validator_value)}", ""
    expected, hint = hints.PATTERNS.get(str(error.validator_value), usual)
    return _plain(error, where, "bad_pattern", expected, hint)


def _out_of_range(error: Any, where: str) -> Problem:
    expected = _RANGES[str(error.validator)].format(shown(error.validator_value))
    return _plain(error, where, "out_of_range", expected)


def _wrong_length(error: Any, where: str) -> Problem:
    expected = _SIZES[str(error.validator)].format(shown(error.validator_value))
    size = len(error.instance)
    return _plain(error, where, "wrong_length", expected, f"its length is {size}")


def _not_multiple(error: Any, where: str) -> Problem:
    expected = f"a multiple of {shown(error.validator_value)}"
    return _plain(error, where, "not_multiple", expected)


def _not_unique(error: Any, where: str) -> Problem:
    return _plain(error, where, "not_unique", "items that all differ")


def _unwanted(error: Any, where: str) -> Problem:
    return _plain(error, where, "no_alternative", "a value outside what `not` forbids")


def _too_many(error: Any, where: str) -> Problem:
    return _plain(error, where, "wrong_length", "no further items")


def _other(error: Any, where: str) -> Problem:
    keyword = error.validator
    if keyword is None:
        return _plain(error, where, "invalid", "nothing: no value is allowed here")
    return _plain(error, where, "invalid", f"what {shown(str(keyword))[1:-1]} allows")


def _plain(error: Any, where: str, code: str, expected: str, hint: str = "") -> Problem:
    detail = f"got {shown(error.instance)}, expected {expected}"
    return Problem(
        where=where,
        code=code,
        detail=detail,
        hint=hint,
        got=brief(error.instance),
        expected=expected,
    )


def _alternatives(error: Any, path: tuple[Any, ...], known: tuple[str, ...]) -> Iterator[Problem]:
    branches = _branches(error)
    meant = [b for b in branches if not any(_misfit(e, ("type",), 0) for e in b)]
    told = [b for b in meant if not any(_misfit(e, ("const", "enum"), 1) for e in b)]
    for candidates in (meant, told):
        if len(candidates) == 1:
            for each in candidates[0]:
                yield from explained(each, known)
            return
    if branches and not meant:
        types = [t for b in branches for e in b if _misfit(e, ("type",), 0) for t in _listed(e)]
        yield wrong_type(pointer(path), error.instance, tuple(dict.fromkeys(types)))
        return
    yield _no_alternative(error, pointer(path), branches)


def _no_alternative(error: Any, where: str, branches: list[Any]) -> Problem:
    if hasattr(error, "several"):
        return _plain(error, where, "no_alternative", "exactly one alternative; several fit")
    if not branches:
        return _plain(error, where, "no_alternative", "one of the alternatives; none fits")
    closest = next(explained(min(branches, key=len)[0]))
    expected = f"one of {len(branches)} alternatives; none fits"
    place = f" at {closest.where}" if closest.where != where else ""
    hint = f"the closest one says{place}: {closest.detail}"
    return _plain(error, where, "no_alternative", expected, hint)


def _branches(error: Any) -> list[list[Any]]:
    groups: dict[object, list[Any]] = {}
    for each in error.context or ():
        groups.setdefault(each.relative_schema_path[0], []).append(each)
    return list(groups.values())


def _misfit(error: Any, keywords: tuple[str, ...], depth: int) -> bool:
    return error.validator in keywords and len(error.relative_path) == depth


def _listed(error: Any) -> list[str]:
    value = error.validator_value
    return [value] if isinstance(value, str) else list(value)


_KINDS: dict[str, Callable[[Any, str], Problem]] = {
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
