"""Keywords that combine schemas; reasons are collected only if no branch fits."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any

from jsonschema.exceptions import ValidationError

from abs_shield.schema.work_budget import Undecided, may_explain, verdict_only

Errors = Iterator[ValidationError]

MOST_REASONS = 100
"""Maximum number of errors of one branch; a long list may have one in every item."""


def fits_schema(validator: Any, instance: Any, schema: Any) -> bool:
    """Return whether a value fits a schema."""
    with verdict_only():
        return next(validator.descend(instance, schema), None) is None


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
