"""The JSON form of Python arguments, as pydantic serialises them; iterators are not consumed."""

from __future__ import annotations

import re
from cmath import isfinite
from collections import UserString, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set, ValuesView
from contextlib import suppress
from dataclasses import fields, is_dataclass
from datetime import date, time, timedelta
from decimal import Decimal
from enum import Enum
from ipaddress import (
    IPv4Address,
    IPv4Interface,
    IPv4Network,
    IPv6Address,
    IPv6Interface,
    IPv6Network,
)
from math import nan
from pathlib import PurePath
from types import MappingProxyType
from typing import Any, get_args
from uuid import UUID

from pydantic import (
    AliasChoices,
    BaseModel,
    PlainSerializer,
    RootModel,
    Secret,
    SecretBytes,
    SecretStr,
    WrapSerializer,
)
from pydantic_core import to_jsonable_python

from abs_shield.schema.value_limits import MAX_DEPTH, MAX_NODES
from abs_shield.text.json_leaves import SCALARS, MaskedSecret, TypePlaceholder

_MAPS = (dict, MappingProxyType)
LISTS = (list, tuple, set, frozenset, deque, range)
_WORDS = (IPv4Address, IPv4Interface, IPv4Network, IPv6Address, IPv6Interface, IPv6Network)
_LEAVES = (
    str, int, float, complex, bytes, bytearray, date, time, timedelta, Decimal, UUID, Enum,
    PurePath, re.Pattern, type(None),
)  # fmt: skip
_SECRETS = (Secret, SecretStr, SecretBytes)
_SERIALIZERS = (PlainSerializer, WrapSerializer)
_BYTES = ("B", "b", "c")
"""Formats of a `memoryview` whose items are bytes."""


class ArgumentSerializer:
    """
    Serialiser of the arguments of one call.

    A value that is too deep or too large is cut just beyond the limits of a schema, so that the
    schema refuses it; iterators, streams and other objects are replaced by their type's name.

    >>> ArgumentSerializer().serialize([timedelta(hours=1), (n for n in "ab")])
    ['PT1H', '<generator>']
    """

    __slots__ = ("_left",)

    def __init__(self) -> None:
        self._left = MAX_NODES

    def serialize(self, value: Any) -> Any:
        """Return the JSON form of one argument."""
        try:
            return self._value(value, 1)
        except Exception:  # the object's own code may raise anything
            return _placeholder(value)

    def _value(self, value: Any, depth: int) -> Any:
        self._left -= 1
        # Exact types: a subclass may have a JSON form of its own.
        if type(value) in SCALARS:
            return value
        if isinstance(value, _MAPS):
            return self._map(value.items(), depth)
        if isinstance(value, LISTS):
            return self._list(value, depth)
        if (parts := parts_of(value)) is not None:
            return self._record(value, parts, depth)
        if isinstance(value, _SECRETS):
            mask = str.__str__(str(value))
            return MaskedSecret(mask, self._value(value.get_secret_value(), depth + 1))
        if not is_data(value) and not isinstance(value, (UserString, memoryview)):
            if isinstance(value, Mapping):
                return self._map(value.items(), depth)
            if isinstance(value, (Sequence, Set, ValuesView)):
                return self._list(value, depth)
        return _leaf(value)

    def _map(self, items: Iterable[tuple[Any, Any]], depth: int) -> Any:
        # A level beyond the limit is enough for the schema to refuse the value.
        if depth > MAX_DEPTH:
            return None
        return {
            # As text, an infinite key would be an ordinary name; the value NaN makes it invalid.
            _key(key): self._value(item, depth + 1) if _is_finite_key(key) else nan
            for key, item in self._within_budget(items)
        }

    def _list(self, items: Any, depth: int) -> Any:
        if depth > MAX_DEPTH:
            return None
        # A list of plain scalars is copied whole, which is faster than item by item.
        if len(items) <= self._left and SCALARS.issuperset(map(type, items)):
            self._left -= len(items)
            return list(items)
        return [self._value(item, depth + 1) for item in self._within_budget(items)]

    def _record(self, value: Any, parts: dict[str, Any], depth: int) -> Any:
        """Serialise a record; with pydantic if it is flat and its type accepts the result."""
        if depth > MAX_DEPTH:
            return None
        kind = type(value)
        if _defines_own_json(kind) or (
            _has_symmetric_names(kind) and all(map(_is_leaf, parts.values()))
        ):
            size = size_of(parts.values(), self._left)
            if size is not None:
                with suppress(ValueError):  # bytes that are not UTF-8: field by field
                    written = to_jsonable_python(value, fallback=_leaf, inf_nan_mode="constants")
                    self._left -= size
                    return written
        if isinstance(value, RootModel):
            return self._value(value.root, depth + 1)
        return self._map(_by_input_name(value, parts).items(), depth)

    def _within_budget(self, items: Iterable[Any]) -> Iterator[Any]:
        for item in items:
            if self._left < 0:
                return
            yield item


def parts_of(value: Any) -> dict[str, Any] | None:
    """Return the fields of a model or a dataclass by their names in JSON; None for others."""
    if isinstance(value, BaseModel):
        model_fields = type(value).model_fields
        by_name = {
            (model_fields[k].serialization_alias or k if k in model_fields else k): item
            for k, item in vars(value).items()
        }
        return {**by_name, **(value.__pydantic_extra__ or {})}
    # `is_dataclass` is also true of the class itself.
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: getattr(value, field.name, None) for field in fields(value)}
    return None


def _defines_own_json(kind: type[Any]) -> bool:
    """Return whether a model customises its JSON schema or serialisation."""
    hooks = ("__get_pydantic_core_schema__", "__get_pydantic_json_schema__")
    return issubclass(kind, BaseModel) and any(
        getattr(getattr(kind, hook), "__func__", None) is not getattr(BaseModel, hook).__func__
        for hook in hooks
    )


def _has_symmetric_names(kind: type[Any]) -> bool:
    """Return whether a class serialises its fields unchanged, by the names it validates."""
    marks = getattr(kind, "__pydantic_decorators__", None)
    if marks and (marks.computed_fields or marks.field_serializers or marks.model_serializers):
        return False
    return not any(
        field.exclude
        or _has_serializer(field.annotation, field.metadata)
        or (field.serialization_alias or name) != _input_name(field, name)
        for name, field in getattr(kind, "__pydantic_fields__", {}).items()
    )


def _has_serializer(hint: Any, marks: Iterable[Any]) -> bool:
    """Return whether a field's hint has a serialiser of its own, outside or inside."""
    return any(isinstance(mark, _SERIALIZERS) for mark in marks) or any(
        _has_serializer(inner, getattr(inner, "__metadata__", ())) for inner in get_args(hint)
    )


def _by_input_name(value: Any, parts: dict[str, Any]) -> dict[str, Any]:
    """Return the fields of a model or a dataclass by the names under which it validates them."""
    model_fields = getattr(type(value), "__pydantic_fields__", {})
    if not model_fields:
        return parts
    inside = parts
    if isinstance(value, BaseModel):
        inside = vars(value) | (value.__pydantic_extra__ or {})
    return {
        _input_name(model_fields[k], k) if k in model_fields else k: item
        for k, item in inside.items()
    }


def _input_name(field: Any, name: str) -> str:
    """Return the name of a field in the validation schema: its first alias that is a string."""
    alias = field.validation_alias
    for each in alias.choices if isinstance(alias, AliasChoices) else (alias,):
        if isinstance(each, str):
            return each
    return name


def size_of(items: Iterable[Any], most: int) -> int | None:
    """Return the number of values inside; None above *most*, or if pydantic would consume one."""
    size, todo = 0, list(items)
    while todo:
        item = todo.pop()
        size += 1
        inside: Any = ()
        if isinstance(item, _MAPS):
            inside = item.values()
        elif isinstance(item, LISTS):
            inside = item
        elif (parts := parts_of(item)) is not None:
            inside = parts.values()
        elif not is_data(item):
            return None
        if size + len(todo) + len(inside) > most:
            return None
        todo.extend(inside)
    return size


def is_data(item: Any) -> bool:
    """Return whether pydantic writes *item* as JSON without consuming it."""
    return isinstance(item, (*_LEAVES, *_WORDS)) or hasattr(type(item), "__pydantic_serializer__")


def _is_leaf(item: Any) -> bool:
    return (
        parts_of(item) is None
        and is_data(item)
        and not isinstance(item, _SECRETS)
        and _is_finite(item)
    )


def _is_finite(item: Any) -> bool:
    """Return whether *item* is finite or not a number; the schema itself checks floats."""
    if isinstance(item, Decimal):
        return item.is_finite()
    return not isinstance(item, complex) or isfinite(item)


def _leaf(value: Any) -> Any:
    if isinstance(value, _WORDS):
        return str(value)
    if isinstance(value, UserString):
        return str.__str__(str(value))  # `str()` of a user's class may return a subclass
    if isinstance(value, memoryview) and value.format in _BYTES:
        value = value.tobytes()
    if not _is_finite(value):  # pydantic would return a text, which a schema may accept
        return nan
    if not is_data(value):
        return _placeholder(value)
    try:
        return to_jsonable_python(value, fallback=_placeholder, inf_nan_mode="constants")
    except ValueError:  # bytes that are not UTF-8
        return _placeholder(value)


def _key(key: Any) -> Any:
    if type(key) is str:
        return key
    return next(iter(to_jsonable_python({key: None}, fallback=_placeholder)))


def _is_finite_key(key: Any) -> bool:
    """Return whether a key is finite or not a number: as text it would be an ordinary name."""
    if isinstance(key, tuple):
        return all(map(_is_finite_key, key))
    return isfinite(key) if isinstance(key, float) else _is_finite(key)


def _placeholder(value: Any) -> TypePlaceholder:
    return TypePlaceholder(f"<{type(value).__name__}>")
