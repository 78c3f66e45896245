"""Conversion of a model's arguments to Python values by pydantic."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError
from pydantic_core import to_json

from abs_shield.schema.schema_problem import pointer

M = TypeVar("M", bound=BaseModel)
MOST_ERRORS = 1_000
"""Maximum number of errors of a call that are read; pydantic reports one for each list item."""


def read_values(model: type[M], arguments: Mapping[str, Any]) -> tuple[M, dict[str, Any]]:
    """
    Validate *arguments* in pydantic's lax mode, as frameworks do.

    A null that a type rejects is left out if its argument is optional, and the value that the text
    of a ``Json[...]`` stands for is accepted in its place. Rejected values are validated again as
    JSON, from which strict types accept more, e.g. dates.

    Returns:
        The validated model, and the arguments without the nulls that were left out.

    Raises:
        ValidationError: The types reject the arguments in every form.
    """
    taken = dict(arguments)
    try:
        return model.model_validate(taken), taken
    # Models often write null for an optional parameter that does not accept null.
    except ValidationError as error:
        refused, cleaned = error, _write_texts(_drop_nulls(taken, error), error)
    if cleaned is not taken:  # without a change, a second attempt has the result of the first
        try:
            return model.model_validate(cleaned), cleaned
        except ValidationError as error:
            refused = error
    return _from_json(model, cleaned, refused), cleaned


def refused_pointers(error: ValidationError) -> frozenset[str]:
    """Return JSON pointers to the arguments that *error* rejects; ``""`` stands for all."""
    if error.error_count() > MOST_ERRORS:
        return frozenset({""})
    errors = error.errors(include_url=False, include_context=False, include_input=False)
    return frozenset(pointer(each["loc"][:1]) for each in errors)


def _from_json(model: type[M], arguments: dict[str, Any], refused: ValidationError) -> M:
    try:
        written = to_json(arguments, inf_nan_mode="constants")
    except Exception:  # a value has no JSON form: report the first error
        raise refused from None
    return model.model_validate_json(written)


def _drop_nulls(arguments: dict[str, Any], error: ValidationError) -> dict[str, Any]:
    """Return a copy of *arguments* without the nulls that *error* rejects."""
    if error.error_count() > MOST_ERRORS:
        return arguments
    cleaned: Any = arguments
    for each in error.errors(include_url=False, include_context=False):
        if each["input"] is None and each["type"] != "missing":
            cleaned = _drop_null(cleaned, each["loc"])
    return cleaned if isinstance(cleaned, dict) else arguments


def _write_texts(arguments: dict[str, Any], error: ValidationError) -> dict[str, Any]:
    """Return a copy of *arguments* with the values for ``Json[...]`` as the text it expects."""
    if error.error_count() > MOST_ERRORS:
        return arguments
    written: Any = arguments
    for each in error.errors(include_url=False, include_context=False):
        if each["type"] == "json_type":
            written = _write_text(written, each["loc"], each["input"])
    return written if isinstance(written, dict) else arguments


def _write_text(holder: Any, path: tuple[int | str, ...], value: Any) -> Any:
    if holder is value:
        return to_json(value, inf_nan_mode="constants").decode()
    step, *rest = path or ("",)
    if isinstance(holder, list) and isinstance(step, int) and step < len(holder):
        items = holder.copy()
        items[step] = _write_text(holder[step], tuple(rest), value)
        return items
    if not isinstance(holder, dict) or step not in holder:
        return holder  # the step names a branch of a union
    return {**holder, step: _write_text(holder[step], tuple(rest), value)}


def _drop_null(holder: Any, path: tuple[int | str, ...]) -> Any:
    step, *rest = path or ("",)
    if isinstance(holder, list) and isinstance(step, int) and rest and step < len(holder):
        return [*holder[:step], _drop_null(holder[step], tuple(rest)), *holder[step + 1 :]]
    if not isinstance(holder, dict) or step not in holder:
        return holder  # the step names a branch of a union, or a missing value
    if rest and holder[step] is not None:  # the error of a union names its branch last
        return {**holder, step: _drop_null(holder[step], tuple(rest))}
    return {name: value for name, value in holder.items() if name != step or value is not None}
