"""Checks of the names of a declaration's fields."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import wraps
from typing import Any, ParamSpec, TypeVar

from abs_shield.errors import PolicyError
from abs_shield.text.nearest import nearest
from abs_shield.text.safe_display import escaped, shown

T = TypeVar("T")
P = ParamSpec("P")


def require_fields(what: str, names: Any, fields: Any) -> None:
    """
    Raise if a field does not exist.

    Raises:
        PolicyError: A field is unknown; the message contains the nearest existing name.
    """
    for name in names:
        if name not in fields:
            near = nearest(str(name), fields)
            hint = f"did you mean `{near[0]}`?" if near else f"use one of {', '.join(fields)}"
            hint = hint if fields else "it has no fields"
            raise PolicyError(f"{what}: no field is named `{escaped(str(name))}`; {hint}")


def require_keywords(what: str, unnamed: tuple[Any, ...], fields: Any) -> None:
    """
    Raise if a field was passed by position.

    Raises:
        PolicyError: The message contains the first field.
    """
    if unnamed:
        hint = next((f"such as `{name}=...`" for name in fields), "and it has none")
        raise PolicyError(
            f"{what}: got {shown(unnamed[0])} without a name; fields are passed by keyword, {hint}"
        )


def checked_fields(declared: type[T]) -> type[T]:
    """
    Let a dataclass raise a `PolicyError` for an unknown field, as other declarations do.

    Args:
        declared: A dataclass whose fields are passed by keyword.
    """
    original = declared.__init__
    fields = tuple(getattr(declared, "__dataclass_fields__"))  # noqa: B009 - mypy has no such attribute
    what = declared.__name__.lower()

    @wraps(original)
    def checked(self: Any, *unnamed: Any, **named: Any) -> None:
        require_keywords(what, unnamed, fields)
        require_fields(what, named, fields)
        original(self, **named)

    setattr(declared, "__init__", checked)  # noqa: B010 - mypy forbids the assignment
    return declared


def checked_keywords(function: Callable[P, T]) -> Callable[P, T]:
    """
    Let a function raise a `PolicyError` for an unknown keyword, as declarations do.

    Args:
        function: A function without ``**kwargs``.
    """
    names = tuple(inspect.signature(function).parameters)

    @wraps(function)
    def checked(*args: P.args, **kwargs: P.kwargs) -> T:
        require_fields(function.__name__, kwargs, names)
        return function(*args, **kwargs)

    return checked
