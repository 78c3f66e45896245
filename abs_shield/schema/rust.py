"""A fast yes from jsonschema-rs, with our patterns, formats and multiples in place of its own."""

from __future__ import annotations

import re
from collections.abc import Callable
from threading import local
from typing import Any

from abs_shield.schema import ecma
from abs_shield.schema.decimals import PREFIX
from abs_shield.schema.equality import multiple_of
from abs_shield.schema.formats import FORMATS
from abs_shield.schema.walk import children

try:
    import jsonschema_rs
except ImportError:
    jsonschema_rs = None  # type: ignore[assignment, unused-ignore]

Accepts = Callable[[Any], bool]

_PLAIN_REF = re.compile(r"#|#/(?:\$defs|definitions)/[^/%]+")

_CLASSES = {
    "http://json-schema.org/draft-04/schema": "Draft4Validator",
    "http://json-schema.org/draft-06/schema": "Draft6Validator",
    "http://json-schema.org/draft-07/schema": "Draft7Validator",
    "https://json-schema.org/draft/2019-09/schema": "Draft201909Validator",
    "https://json-schema.org/draft/2020-12/schema": "Draft202012Validator",
}
# Where its meaning could differ from the reference and no keyword of ours can take its place.
_LEFT_OUT = ("patternProperties", "$dynamicRef", "$recursiveRef", "$id", "id", "$schema")


class Unsuitable(Exception):
    """jsonschema-rs could mean something else by this schema than the reference does."""


def installed() -> bool:
    """Whether jsonschema-rs can be imported."""
    return jsonschema_rs is not None


def rust(schema: dict[str, Any] | bool, *, dialect: str) -> Accepts:
    """Build the fast yes of a prepared schema; raise Unsuitable where it would not be exact."""
    if not installed():
        raise Unsuitable
    patterned = _inspect(schema)
    late = _Late()
    try:
        validator = getattr(jsonschema_rs, _CLASSES[dialect])(
            schema,
            validate_formats=True,
            formats=FORMATS,
            keywords=_keywords(late),
            retriever=_refuse,
        )
    except Exception as error:
        raise Unsuitable from error
    is_valid: Accepts = validator.is_valid
    return _without_timeouts(is_valid, late) if patterned else is_valid


class _Late(local):
    """Whether a pattern of this thread's present call ran out of time."""

    hit = False


def _without_timeouts(is_valid: Accepts, late: _Late) -> Accepts:
    def accepts(value: Any) -> bool:
        late.hit = False
        return is_valid(value) and not late.hit

    return accepts


def _inspect(schema: Any) -> bool:
    """Tell whether any pattern is in a schema; raise Unsuitable for what it cannot express."""
    patterned = False
    todo, first = [schema], True
    while todo:
        here = todo.pop()
        if not isinstance(here, dict):
            continue
        left_out = _LEFT_OUT[:-1] if first else _LEFT_OUT
        if any(keyword in here for keyword in left_out) or not _plain_ref(here):
            raise Unsuitable
        if str(here.get("format", "")).startswith(PREFIX):  # its checkers are named beforehand
            raise Unsuitable
        patterned |= "pattern" in here
        todo += [child for _, child in children(here)]
        first = False
    return patterned


def _plain_ref(schema: dict[str, Any]) -> bool:
    ref = schema.get("$ref", "#")
    return bool(_PLAIN_REF.fullmatch(ref))


def _refuse(uri: str) -> Any:
    raise ValueError(f"{uri} is not fetched")


def _keywords(late: _Late) -> dict[str, Any]:
    return {"pattern": _pattern(late), "multipleOf": _MultipleOf}


def _pattern(late: _Late) -> type:
    class Pattern:
        def __init__(self, parent: object, value: str, path: object) -> None:
            self.found = ecma.finder(value)

        def validate(self, instance: object) -> None:
            if not isinstance(instance, str):
                return
            try:
                found = self.found(instance)
            except TimeoutError:
                late.hit = True
                raise
            if not found:
                raise ValueError

    return Pattern


class _MultipleOf:
    def __init__(self, parent: object, value: float, path: object) -> None:
        self.step = value

    def validate(self, instance: object) -> None:
        number = isinstance(instance, (int, float)) and not isinstance(instance, bool)
        if number and not multiple_of(instance, self.step):  # type: ignore[arg-type]
            raise ValueError
