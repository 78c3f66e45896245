"""Conversion of a model's arguments to Python values by pydantic."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError
from pydantic_core import to_json

from abs_shield.schema.schema_problem import pointer

M = TypeVar("M", bound=BaseModel)
MOST_ERRORS = 1_000
"""Maximum number of errors of one call that are read; pydantic has one for each list item."""


def read_values(model: type[M], arguments: Mapping[str, Any]) -> tuple[M, dict[str, Any]]:
    """
    Validate *arguments* like a framework, in pydantic's lax mode.

    A refused null is left out if its argument is optional. Values that are refused as Python are
    validated again as JSON, from which a strict type accepts a date.

    Returns:
        The validated model, and the remaining arguments.

    Raises:
        ValidationError: The types refuse them in every form.
    """
    taken = dict(arguments)
    try:
        return model.model_validate(taken), taken
    # Models write null for "not given", where the parameter has a default but takes no null.
    except ValidationError as error:
        taken = _without_nulls(taken, error)
    try:
        return model.model_validate(taken), taken
    except ValidationError as error:
        return _from_json(model, taken, error), taken


def refused_by(error: ValidationError) -> frozenset[str]:
    """Return JSON pointers to the arguments that *error* is about; ``""`` is all of them."""
    if error.error_count() > MOST_ERRORS:
        return frozenset({""})
    errors = error.errors(include_url=False, include_context=False, include_input=False)
    return frozenset(pointer(each["loc"][:1]) for each in errors)


def _from_json(model: type[M], arguments: dict[str, Any], refused: ValidationError) -> M:
    try:
        written = to_json(arguments, inf_nan_mode="constants")
    except Exception:  # what has no JSON form was refused as Python
        raise refused from None
    # JSON, as strict types take a date's text only from there.
    return model.model_validate_json(written)


def _without_nulls(arguments: dict[str, Any], error: ValidationError) -> dict[str, Any]:
    """Return a copy of *arguments* without the nulls that *error* refuses."""
    if error.error_count() > MOST_ERRORS:
        return arguments
    cleaned: Any = arguments
    for each in error.errors(include_url=False, include_context=False):
        if each["input"] is None and each["type"] != "missing":
            cleaned = _without(cleaned, each["loc"])
    return cleaned if isinstance(cleaned, dict) else arguments


def _without(holder: Any, path: tuple[int | str, ...]) -> Any:
    step, *rest = path or ("",)
    if isinstance(holder, list) and isinstance(step, int) and rest and step < len(holder):
        return [*holder[:step], _without(holder[step], tuple(rest)), *holder[step + 1 :]]
    if not isinstance(holder, dict) or step not in holder:
        return holder  # the step names a branch of a union, or nothing that was sent
    if rest and holder[step] is not None:  # a union's error names its branch behind the place
        return {**holder, step: _without(holder[step], tuple(rest))}
    return {name: value for name, value in holder.items() if name != step or value is not None}
