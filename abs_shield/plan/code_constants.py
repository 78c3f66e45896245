"""The numbers and strings in the code and globals of a callable, which it may compare with."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from itertools import islice
from re import Pattern
from types import CodeType
from typing import Any

_MAX_CONSTANTS = 400  # a rule has a few; an imported table of thousands would fill every sample
_MAX_DEPTH = 3  # a rule, a helper and its helper; also tuples within tuples
_MAX_MEMBERS = 100  # the first members of a list are typical of the others
_MAX_SET_SIZE = 10_000  # a set has no order, and sorting a larger one takes too long


def find_constants(function: Any) -> tuple[Any, ...]:
    """
    Return the numbers and strings in the code, closure, defaults and globals of *function*.

    Functions of its module that it calls are included, up to 3 levels deep; at most 400 constants.

    >>> find_constants(lambda amount: amount <= 500)
    (500,)
    """
    constants = islice(_constants_of(function, _MAX_DEPTH, set()), _MAX_CONSTANTS)
    # With the type, as `1 == True == 1.0`.
    return tuple({(type(value), value): value for value in constants}.values())


def _constants_of(function: Any, depth: int, visited: set[int]) -> Iterator[Any]:
    # A recursive function refers to itself.
    if not depth or id(function) in visited:
        return
    visited.add(id(function))
    if isinstance(function, functools.partial):
        yield from _scalars_in((function.args, function.keywords), _MAX_DEPTH)
        yield from _constants_of(function.func, depth, visited)
        return
    # Through decorators, or the constants would be those of the wrapper.
    inner = getattr(function, "__func__", getattr(function, "__wrapped__", function))
    if getattr(inner, "__code__", None) is None:
        yield from _scalars_in(getattr(function, "__dict__", {}), _MAX_DEPTH)
        inner = getattr(type(function), "__call__", None)  # noqa: B004
    code = getattr(inner, "__code__", None)
    if not isinstance(code, CodeType):
        return
    doc = getattr(inner, "__doc__", None)
    # The docstring is a constant of the code object, but nothing is compared with it.
    yield from (value for value in _code_constants(code) if value != doc)
    yield from _referenced_constants(inner, code, depth, visited)


def _code_constants(code: CodeType) -> Iterator[Any]:
    for constant in code.co_consts:
        yield from (
            _code_constants(constant)
            if isinstance(constant, CodeType)
            else _scalars_in(constant, _MAX_DEPTH)
        )


def _referenced_constants(
    function: Any, code: CodeType, depth: int, visited: set[int]
) -> Iterator[Any]:
    """Yield constants from defaults, the closure, and referenced names of the module."""
    yield from _scalars_in(getattr(function, "__defaults__", None), _MAX_DEPTH)
    yield from _scalars_in(getattr(function, "__kwdefaults__", None), _MAX_DEPTH)
    module_globals = getattr(function, "__globals__", {})
    referenced = [
        module_globals[name] for name in _referenced_names(code) if name in module_globals
    ]
    for cell in getattr(function, "__closure__", None) or ():
        with suppress(ValueError):  # a cell that is still empty
            referenced.append(cell.cell_contents)
    for value in referenced:
        yield from _scalars_in(value, _MAX_DEPTH)
        if hasattr(value, "__code__") or isinstance(value, functools.partial):
            yield from _constants_of(value, depth - 1, visited)


def _referenced_names(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _referenced_names(constant)


def _scalars_in(value: Any, depth: int) -> Iterator[Any]:
    if isinstance(value, (str, int, float)) and not isinstance(value, bool):
        yield value
    elif isinstance(value, Pattern):
        yield from _scalars_in(value.pattern, depth)
    elif depth and isinstance(value, Mapping):
        inside: Iterable[Any] = (part for pair in value.items() for part in pair)
        yield from (
            s for part in islice(inside, _MAX_MEMBERS) for s in _scalars_in(part, depth - 1)
        )
    elif depth and isinstance(value, (set, frozenset)):
        # Sorted, so that a proof gives the same result in every process.
        inside = sorted(value, key=repr)[:_MAX_MEMBERS] if len(value) <= _MAX_SET_SIZE else ()
        yield from (s for part in inside for s in _scalars_in(part, depth - 1))
    elif depth and isinstance(value, (tuple, list)):
        yield from (s for part in value[:_MAX_MEMBERS] for s in _scalars_in(part, depth - 1))
