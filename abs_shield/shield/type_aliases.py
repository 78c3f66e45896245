"""Type hints that stand for another one: type aliases, new types, models of one root."""

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
"""Two classes where `typing_extensions` has one of its own."""


def underlying_hint(hint: Any) -> Any:
    """Return the hint for which *hint* stands, also as a model of one root; None of others."""
    if isinstance(hint, type) and issubclass(hint, RootModel):
        root = hint.model_fields.get("root")
        return None if root is None else Annotated[(root.annotation, None, *root.metadata)]
    return alias_value(hint)


def alias_value(hint: Any) -> Any:
    """
    Return the hint that *hint* is a name of; None where it is none.

    >>> from typing_extensions import TypeAliasType
    >>> named(TypeAliasType("Names", list[str])), named(NewType("Id", str)), named(str)
    (list[str], <class 'str'>, None)
    """
    if isinstance(hint, _ALIASES):
        return _value(hint)
    if isinstance(hint, NewType):
        return hint.__supertype__
    alias = get_origin(hint)
    return (
        _with_arguments(_value(alias), alias, get_args(hint))
        if isinstance(alias, _ALIASES)
        else None
    )


def _value(alias: Any) -> Any:
    """What an alias names; what stands in it as a text is looked up in its module."""
    value = alias.__value__
    names = vars(sys.modules.get(alias.__module__ or "", sys))
    holder = type("Holder", (), {"__annotations__": {"value": value}})
    try:
        return get_type_hints(holder, names, {alias.__name__: alias}, include_extras=True)["value"]
    except Exception:  # pydantic says what is wrong with it
        return value


def _with_arguments(value: Any, alias: Any, arguments: tuple[Any, ...]) -> Any:
    """The value of a generic alias with *arguments* in the place of its parameters."""
    by_parameter = dict(zip(alias.__type_params__, arguments, strict=False))
    wanted = getattr(value, "__parameters__", ())
    try:
        return value[tuple(by_parameter[one] for one in wanted)] if wanted else value
    except (KeyError, TypeError):
        return value
