"""Keywords that combine schemas; reasons are collected only if no branch fits."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any

from jsonschema.exceptions import ValidationError

from abs_shield.schema.work_budget import Undecided, may_explain, memo, spend, verdict_only
from abs_shield.text.json_leaves import SCALARS

Errors = Iterator[ValidationError]

MOST_REASONS = 100
"""Maximum number of errors of one branch; a long list may have one in every item."""


def fits_schema(validator: Any, instance: Any, schema: Any) -> bool:
    """Return whether a value fits a schema; decided once for equal values without parts."""
    cache = memo()
    key = None if cache is None else _key(instance, schema)
    if cache is None or key is None:
        return _fits(validator, instance, schema)
    fits = cache.branches.get(key)
    if fits is None:
        fits = cache.branches[key] = _fits(validator, instance, schema)
    else:
        spend()
    return fits


def _fits(validator: Any, instance: Any, schema: Any) -> bool:
    with verdict_only():
        return next(validator.descend(instance, schema), None) is None


def _key(instance: Any, schema: Any) -> tuple[int, type, Any] | None:
    """Return a key that equal values without parts have in common; None for other values."""
    kind = type(instance)
    if kind is dict or kind is list:
        # Long lists of empty objects are answers to a union, too.
        return None if instance else (id(schema), kind, None)
    return (id(schema), kind, instance) if kind in SCALARS else None


def any_of(validator: Any, branches: list[Any], instance: Any, schema: Any) -> Errors:
    """Yield an error unless at least one branch fits."""
    if not any(fits_schema(validator, instance, branch) for branch in branches):
        yield _none_fits(validator, branches, instance)


def one_of(validator: Any, branches: list[Any], instance: Any, schema: Any) -> Errors:
    """Yield an error unless exactly one branch fits."""
    fitting = (branch for branch in branches if fits_schema(validator, instance, branch))
    # A second match is enough to know that there is not exactly one.
    matches = sum(1 for _ in islice(fitting, 2))
    if not matches:
        yield _none_fits(validator, branches, instance)
    elif matches > 1:
        error = ValidationError("several branches fit")
        error.several = True  # type: ignore[attr-defined]
        yield error


def not_(validator: Any, unwanted: Any, instance: Any, schema: Any) -> Errors:
    """Yield an error if the schema fits."""
    if fits_schema(validator, instance, unwanted):
        yield ValidationError("fits what is not wanted")


def _none_fits(validator: Any, branches: list[Any], instance: Any) -> ValidationError:
    """Return an error with the reasons of each branch, as far as the budget allows."""
    reasons: list[ValidationError] = []
    try:
        for at, branch in enumerate(branches if may_explain(len(branches)) else ()):
            errors = validator.descend(instance, branch, schema_path=at)
            reasons.extend(islice(errors, MOST_REASONS))
    except Undecided:  # only reasons are missing: that no branch fits is already certain
        pass
    return ValidationError("no branch fits", context=reasons)
