"""Names, docstrings and type hints of functions, of partials and of callable objects."""

from __future__ import annotations

import functools
import inspect
from collections.abc import AsyncIterable, Callable, Generator, Iterable, Iterator
from io import IOBase
from types import NoneType, UnionType
from typing import IO, Annotated, Any, Union, get_args, get_origin, get_type_hints

from abs_shield.errors import PolicyError
from abs_shield.shield.type_aliases import alias_value

CONTEXTS = frozenset(
    {
        ("agents", "RunContextWrapper"),
        ("fastmcp", "Context"),
        ("langgraph", "ToolRuntime"),
        ("mcp", "Context"),
        ("pydantic_ai", "RunContext"),
    }
)
"""Package and name of each class; compared by name, because frameworks are optional."""


def is_context(kind: type) -> bool:
    """Return whether a class is the context of a framework's run, or derived from one."""
    return any(
        (each.__module__.partition(".")[0], each.__name__) in CONTEXTS for each in kind.__mro__
    )


_STREAMS = (IOBase, IO, AsyncIterable)
"""Types without a JSON form: such a parameter is injected even without a mark."""


def plain_partial(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a partial without attributes, because ``__wrapped__`` would hide its signature."""
    if not isinstance(function, functools.partial):
        return function
    return functools.partial(plain_partial(function.func), *function.args, **function.keywords)


def bound_parameters(function: Callable[..., Any], signature: inspect.Signature) -> frozenset[str]:
    """Return the parameters that a partial binds by name."""
    bare = plain_partial(function)
    if not isinstance(bare, functools.partial):
        return frozenset()
    by_place = {p for p, each in signature.parameters.items() if each.kind is each.POSITIONAL_ONLY}
    return frozenset(bare.keywords) - by_place


def describe_function(function: Callable[..., Any]) -> str:
    """Return the docstring; for a partial, its own or that of its function."""
    while isinstance(function, functools.partial):
        docstring = vars(function).get("__doc__")
        if docstring:
            return inspect.cleandoc(docstring)
        function = function.func
    return inspect.getdoc(function) or ""


def name_of_function(function: Callable[..., Any]) -> str:
    """Return the name of a function, of a partial's function, or of a callable object's class."""
    while isinstance(function, functools.partial):
        function = function.func
    return str(getattr(function, "__name__", type(function).__name__))


def hints_of(function: Callable[..., Any], signature: inspect.Signature) -> dict[str, Any]:
    """
    Return the type hints of a function, of a partial's function, or of a class.

    Raises:
        PolicyError: A type hint cannot be read.
    """
    while isinstance(function, functools.partial):
        function = function.func
    plain = _hinted_callable(function)
    try:
        hints = get_type_hints(inspect.unwrap(plain), include_extras=True)
    # Functions without annotations, e.g. those written in C, have no hints to read.
    except (NameError, TypeError, AttributeError) as error:
        if not getattr(plain, "__annotations__", None):
            return {}
        name = name_of_function(function)
        raise PolicyError(f"tool `{name}`: a type hint cannot be read: {error}") from None
    annotations = {p: parameter.annotation for p, parameter in signature.parameters.items()}
    if isinstance(function, type):  # the fields of a model are only in its signature
        hints = {p: hint for p, hint in annotations.items() if not _is_unresolved(hint)} | hints
    return hints


def _hinted_callable(function: Any) -> Any:
    """Return the callable that has the type hints: a class's constructor, or ``__call__``."""
    if isinstance(function, type):
        uses_new = function.__init__ is object.__init__  # type: ignore[misc]
        return function.__new__ if uses_new else function.__init__  # type: ignore[misc]
    return function if inspect.isroutine(function) else type(function).__call__


def _is_unresolved(hint: Any) -> bool:
    return hint is inspect.Parameter.empty or isinstance(hint, str)


def is_injected_type(hint: Any) -> bool:
    """Return whether a hint accepts only streams, async iterators, framework contexts or None."""
    kinds = _accepted_types(hint) - {NoneType}
    return bool(kinds) and all(issubclass(kind, _STREAMS) or is_context(kind) for kind in kinds)


def accepts_iterator(hint: Any) -> bool:
    """Return whether a hint accepts an iterator."""
    return not {Iterable, Iterator, Generator}.isdisjoint(_accepted_types(hint))


def _accepted_types(hint: Any) -> set[type]:
    """Return the classes that a hint accepts, resolving `Annotated`, aliases and unions."""
    inner = alias_value(hint)
    if inner is not None:
        return _accepted_types(inner)
    origin = get_origin(hint)
    if origin is Annotated:
        return _accepted_types(get_args(hint)[0])
    if origin in (Union, UnionType):
        return set().union(*map(_accepted_types, get_args(hint)))
    kind = hint if origin is None else origin
    return {kind if isinstance(kind, type) else object}


def find_receiver(function: Callable[..., Any], signature: inspect.Signature) -> frozenset[str]:
    """Return ``self`` or ``cls`` if the function is defined in a class; else an empty set."""
    first = next(iter(signature.parameters), "")
    path = str(getattr(function, "__qualname__", "")).rsplit(".", 1)
    # Excludes closures inside methods, whose `self` may be anything.
    inside = len(path) == 2 and not path[0].endswith("<locals>")
    bound = hasattr(function, "__self__")
    return frozenset({first}) if first in ("self", "cls") and inside and not bound else frozenset()
