"""A fast validator from jsonschema-rs, with replaced patterns, formats and multiples."""

from __future__ import annotations

import re
from collections.abc import Callable
from threading import local
from typing import Any

from abs_shield.schema import ecma_regex
from abs_shield.schema.decimal_format import PREFIX
from abs_shield.schema.formats import FORMATS
from abs_shield.schema.json_equality import is_multiple_of
from abs_shield.schema.subschemas import children

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
# Keywords that might behave differently from the reference and cannot be replaced.
_UNSUPPORTED = ("patternProperties", "$dynamicRef", "$recursiveRef", "$id", "id", "$schema")


class Unsuitable(Exception):
    """Raised if jsonschema-rs could interpret a schema differently from the reference."""


def is_installed() -> bool:
    """Return whether jsonschema-rs can be imported."""
    return jsonschema_rs is not None


def compile_with_jsonschema_rs(schema: dict[str, Any] | bool, *, dialect: str) -> Accepts:
    """Compile a prepared schema; raise Unsuitable if the result would not be exact."""
    if not is_installed():
        raise Unsuitable
    patterned = _inspect(schema)
    timed_out = _TimedOut()
    try:
        validator = getattr(jsonschema_rs, _CLASSES[dialect])(
            schema,
            validate_formats=True,
            formats=FORMATS,
            keywords=_keywords(timed_out),
            retriever=_refuse,
        )
    except Exception as error:
        raise Unsuitable from error
    is_valid: Accepts = validator.is_valid
    return _without_timeouts(is_valid, timed_out) if patterned else is_valid


class _TimedOut(local):
    """A flag per thread: whether a pattern of the current call exceeded its time."""

    hit = False


def _without_timeouts(is_valid: Accepts, timed_out: _TimedOut) -> Accepts:
    def accepts(value: Any) -> bool:
        timed_out.hit = False
        return is_valid(value) and not timed_out.hit

    return accepts


def _inspect(schema: Any) -> bool:
    """Return whether a schema has patterns; raise Unsuitable for unsupported keywords."""
    patterned = False
    todo, first = [schema], True
    while todo:
        here = todo.pop()
        if not isinstance(here, dict):
            continue
        # At the root, `$schema` names the draft; in a subschema, it would change it.
        unsupported = _UNSUPPORTED[:-1] if first else _UNSUPPORTED
        if any(keyword in here for keyword in unsupported) or not _plain_ref(here):
            raise Unsuitable
        # Formats with bounds are unlimited in number, but the library needs all in advance.
        if str(here.get("format", "")).startswith(PREFIX):
            raise Unsuitable
        patterned |= "pattern" in here
        todo += [child for _, child in children(here)]
        first = False
    return patterned


def _plain_ref(schema: dict[str, Any]) -> bool:
    ref = schema.get("$ref", "#")
    return bool(_PLAIN_REF.fullmatch(ref))


def _refuse(uri: str) -> Any:
    # Without this, the library would fetch the address from the network.
    raise ValueError(f"{uri} is not fetched")


def _keywords(timed_out: _TimedOut) -> dict[str, Any]:
    return {"pattern": _pattern(timed_out), "multipleOf": MultipleOfKeyword}


def _pattern(timed_out: _TimedOut) -> type:
    class PatternKeyword:
        def __init__(self, parent: object, value: str, path: object) -> None:
            self.matches = ecma_regex.search_of(value)

        def validate(self, instance: object) -> None:
            if not isinstance(instance, str):
                return
            try:
                matches = self.matches(instance)
            except TimeoutError:
                timed_out.hit = True  # under `not`, the exception alone would count as a match
                raise
            if not matches:
                raise ValueError

    return PatternKeyword


class MultipleOfKeyword:
    def __init__(self, parent: object, value: float, path: object) -> None:
        self.step = value

    def validate(self, instance: object) -> None:
        number = isinstance(instance, (int, float)) and not isinstance(instance, bool)
        if number and not is_multiple_of(instance, self.step):  # type: ignore[arg-type]
            raise ValueError
