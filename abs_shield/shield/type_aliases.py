"""Type hints that stand for other hints: type aliases, new types, root models."""

from __future__ import annotations

import sys
import typing
from typing import Annotated, Any, NewType, get_args, get_origin, get_type_hints

import typing_extensions
from pydantic import RootModel

_ALIASES = tuple(
    {
        kind
        for module in (typing, typing_extensions)
        if (kind := getattr(module, "TypeAliasType", None)) is not None
    }
)
"""The alias classes; `typing_extensions` may define its own."""


def underlying_hint(hint: Any) -> Any:
    """Return the hint behind an alias, a new type or a root model; None for other hints."""
    if isinstance(hint, type) and issubclass(hint, RootModel):
        root = hint.model_fields.get("root")
        return None if root is None else Annotated[(root.annotation, None, *root.metadata)]
    return alias_value(hint)


def alias_value(hint: Any) -> Any:
    """
    Return the hint that an alias or a new type names; None for other hints.

    >>> from typing_extensions import TypeAliasType
    >>> alias_value(TypeAliasType("Names", list[str])), alias_value(NewType("Id", str))
    (list[str], <class 'str'>)
    >>> alias_value(str) is None
    True
    """
    if isinstance(hint, _ALIASES):
        return _value(hint)
    if isinstance(hint, NewType):
        return hint.__supertype__
    alias = get_origin(hint)
    return (
        _substitute(_value(alias), alias, get_args(hint)) if isinstance(alias, _ALIASES) else None
    )


def _value(alias: Any) -> Any:
    """Return the value of an alias, with names that are strings resolved in its module."""
    value = alias.__value__
    names = vars(sys.modules.get(alias.__module__ or "", sys))
    # `get_type_hints` resolves names only in the annotations of an object.
    holder = type("Holder", (), {"__annotations__": {"value": value}})
    try:
        return get_type_hints(holder, names, {alias.__name__: alias}, include_extras=True)["value"]
    except Exception:  # pydantic reports the error later
        return value


def _substitute(value: Any, alias: Any, arguments: tuple[Any, ...]) -> Any:
    """Return the value of a generic alias with *arguments* substituted for its parameters."""
    by_parameter = dict(zip(alias.__type_params__, arguments, strict=False))
    parameters = getattr(value, "__parameters__", ())
    try:
        return value[tuple(by_parameter[one] for one in parameters)] if parameters else value
    except (KeyError, TypeError):
        return value
