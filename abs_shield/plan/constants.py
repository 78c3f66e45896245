"""The numbers and words that a callable was written with, or reads: what it may compare with."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from itertools import islice
from re import Pattern
from types import CodeType
from typing import Any

_MOST = 400
_DEEPEST = 3
_INSIDE = 100
_MOST_SORTED = 10_000


def find_constants(function: Any) -> tuple[Any, ...]:
    """
    Give numbers and words of the code of *function*, its closure, defaults and globals.

    The functions that it calls by a name of its module are read too.

    >>> find_constants(lambda amount: amount <= 500)
    (500,)
    """
    found = islice(_of(function, _DEEPEST, set()), _MOST)
    return tuple({(type(value), value): value for value in found}.values())


def _of(function: Any, depth: int, seen: set[int]) -> Iterator[Any]:
    if not depth or id(function) in seen:
        return
    seen.add(id(function))
    if isinstance(function, functools.partial):
        yield from _scalars((function.args, function.keywords), _DEEPEST)
        yield from _of(function.func, depth, seen)
        return
    plain = getattr(function, "__func__", getattr(function, "__wrapped__", function))
    if getattr(plain, "__code__", None) is None:
        yield from _scalars(getattr(function, "__dict__", {}), _DEEPEST)
        plain = getattr(type(function), "__call__", None)  # noqa: B004
    code = getattr(plain, "__code__", None)
    if not isinstance(code, CodeType):
        return
    doc = getattr(plain, "__doc__", None)
    yield from (value for value in _written(code) if value != doc)
    yield from _read(plain, code, depth, seen)


def _written(code: CodeType) -> Iterator[Any]:
    for constant in code.co_consts:
        yield from (
            _written(constant) if isinstance(constant, CodeType) else _scalars(constant, _DEEPEST)
        )


def _read(function: Any, code: CodeType, depth: int, seen: set[int]) -> Iterator[Any]:
    """What it reads from outside: defaults, closure, and the names of its module."""
    yield from _scalars(getattr(function, "__defaults__", None), _DEEPEST)
    yield from _scalars(getattr(function, "__kwdefaults__", None), _DEEPEST)
    known = getattr(function, "__globals__", {})
    held = [known[name] for name in _names(code) if name in known]
    for cell in getattr(function, "__closure__", None) or ():
        with suppress(ValueError):  # a cell that is still empty
            held.append(cell.cell_contents)
    for value in held:
        yield from _scalars(value, _DEEPEST)
        if hasattr(value, "__code__") or isinstance(value, functools.partial):
            yield from _of(value, depth - 1, seen)


def _names(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names(constant)


def _scalars(value: Any, depth: int) -> Iterator[Any]:
    if isinstance(value, (str, int, float)) and not isinstance(value, bool):
        yield value
    elif isinstance(value, Pattern):
        yield from _scalars(value.pattern, depth)
    elif depth and isinstance(value, Mapping):
        inside: Iterable[Any] = (part for pair in value.items() for part in pair)
        yield from (s for part in islice(inside, _INSIDE) for s in _scalars(part, depth - 1))
    elif depth and isinstance(value, (set, frozenset)):
        inside = sorted(value, key=repr)[:_INSIDE] if len(value) <= _MOST_SORTED else ()
        yield from (s for part in inside for s in _scalars(part, depth - 1))
    elif depth and isinstance(value, (tuple, list)):
        yield from (s for part in value[:_INSIDE] for s in _scalars(part, depth - 1))
