"""Safe versions of jsonschema's validators: finite numbers, replaced keywords, counted steps."""

from __future__ import annotations

from functools import cache
from math import isfinite
from typing import Any

import jsonschema
from jsonschema import validators
from jsonschema.exceptions import ValidationError

from abs_shield.schema.keywords import REPLACED
from abs_shield.schema.work_budget import spend, verdict_only

LATEST = "https://json-schema.org/draft/2020-12/schema"
DRAFTS: dict[str, Any] = {
    "http://json-schema.org/draft-04/schema": jsonschema.Draft4Validator,
    "http://json-schema.org/draft-06/schema": jsonschema.Draft6Validator,
    "http://json-schema.org/draft-07/schema": jsonschema.Draft7Validator,
    "https://json-schema.org/draft/2019-09/schema": jsonschema.Draft201909Validator,
    LATEST: jsonschema.Draft202012Validator,
}


@cache
def safe_validator(dialect: str) -> Any:
    """Return the safe validator class of a draft."""
    base = DRAFTS[dialect]
    replaced = {name: function for name, function in REPLACED.items() if name in base.VALIDATORS}
    checker = base.TYPE_CHECKER.redefine("number", _number).redefine("integer", _integer)
    extend: Any = validators.extend
    safe_class = extend(base, {**replaced, "format": REPLACED["format"]}, type_checker=checker)
    # jsonschema's own `evolve` would return another class for a subschema with `$schema`.
    safe_class.evolve = _evolve  # type: ignore[attr-defined, method-assign, unused-ignore]
    safe_class.descend = _brief(safe_class.descend)  # type: ignore[attr-defined, unused-ignore]
    safe_class.iter_errors = _count_steps(safe_class.iter_errors)  # type: ignore[attr-defined, unused-ignore]
    safe_class.is_valid = _is_valid  # type: ignore[attr-defined, method-assign, unused-ignore]
    return safe_class


@cache
def meta_validator(dialect: str) -> Any:
    """Return the validator of schemas of a draft."""
    base = DRAFTS[dialect]
    return base(base.META_SCHEMA)


def _count_steps(iter_errors: Any) -> Any:
    def counted(self: Any, instance: Any) -> Any:
        spend()
        return iter_errors(self, instance)

    return counted


def _brief(descend: Any) -> Any:
    """Wrap `descend` to count `false` schemas, whose messages then omit the value."""

    def brief(
        self: Any,
        instance: Any,
        schema: Any,
        path: Any = None,
        schema_path: Any = None,
        resolver: Any = None,
    ) -> Any:
        if schema is not False:
            return descend(self, instance, schema, path, schema_path, resolver)
        spend()
        unset: Any = {"validator": None, "validator_value": None}  # as jsonschema's own error
        error = ValidationError("allows nothing", instance=instance, schema=schema, **unset)
        error.path.extend(() if path is None else (path,))
        error.schema_path.extend(() if schema_path is None else (schema_path,))
        return iter((error,))

    return brief


def _is_valid(self: Any, instance: Any) -> bool:
    with verdict_only():
        return next(self.iter_errors(instance), None) is None


def _evolve(self: Any, **changes: Any) -> Any:
    # Counted as well: each of many branches gets a validator, even if no value is visited.
    spend()
    return type(self)(
        changes.get("schema", self.schema),
        registry=self._registry,
        _resolver=changes.get("_resolver", self._resolver),
    )


def _number(_: object, value: object) -> bool:
    if isinstance(value, float):
        return isfinite(value)  # NaN and the infinities are not numbers in JSON
    # A boolean is an integer in Python, but not in JSON.
    return isinstance(value, int) and not isinstance(value, bool)


def _integer(_: object, value: object) -> bool:
    if isinstance(value, float):
        return value.is_integer()
    return isinstance(value, int) and not isinstance(value, bool)
