"""Whether two callables are one function: for tools, of which each name has one."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping
from types import FunctionType, MethodType
from typing import Any, NamedTuple

from abs_shield.schema.written import SCALARS
from abs_shield.text.show import escaped

_MOST_WRAPPED = 100
"""Wrappers around one function: an object may claim to wrap itself."""


class Identity(NamedTuple):
    """
    Where a callable was defined, and what is bound to it.

    Attributes:
        function: The function or class itself.
        name: Its module and qualified name; a lambda, which has no name, has its line instead.
        bound: The object of a bound method, the arguments of a partial, a callable object.
    """

    function: Any
    name: tuple[str, str]
    bound: tuple[Any, ...]

    @classmethod
    def of(cls, tool: Callable[..., Any]) -> Identity:
        """Return the identity of *tool*, looking through partials, methods and wrappers."""
        bound: list[Any] = []
        inner: Any = tool
        for _ in range(_MOST_WRAPPED):
            if isinstance(inner, functools.partial):
                bound.append((*inner.args, *sorted(inner.keywords.items())))
                inner = inner.func
            elif isinstance(inner, MethodType):
                bound.append(inner.__self__)
                inner = inner.__func__
            elif hasattr(inner, "__wrapped__"):
                inner = inner.__wrapped__
            else:
                break
        if not (inspect.isroutine(inner) or isinstance(inner, type)):
            bound.append(inner)
            inner = type(inner)
        return cls(inner, _name(inner), tuple(bound))

    def is_reload_of(self, other: Identity) -> bool:
        """Return whether this is the function *other* again, e.g. of a reloaded module."""
        return self.name == other.name and not self.is_other_instance(other)

    def is_other_instance(self, other: Identity) -> bool:
        """Return whether the same function is bound to something else here than in *other*."""
        if self.name != other.name or not (self.bound and other.bound):
            return False
        return not _same(self.bound, other.bound)

    def is_other_closure(self, other: Identity) -> bool:
        """Return whether one factory made both functions, around different values."""
        one, two = self.function, other.function
        if not (isinstance(one, FunctionType) and isinstance(two, FunctionType)) or one is two:
            return False
        return one.__code__ is two.__code__ and not _same(_cells(one), _cells(two))

    def __str__(self) -> str:
        name = escaped(str(getattr(self.function, "__qualname__", self.name[1])))
        return f"`{name}` {_place(self.function) or f'in `{escaped(self.name[0])}`'}"


def _name(function: Any) -> tuple[str, str]:
    module = str(getattr(function, "__module__", None) or "builtins")
    name = str(getattr(function, "__qualname__", type(function).__qualname__))
    code = getattr(function, "__code__", None)
    if code is not None and function.__name__ == "<lambda>":
        return module, f"{name} {code.co_filename}:{code.co_firstlineno}"
    return module, name


def _place(function: Any) -> str:
    """Return ``at FILE:LINE``; empty for what was not written in Python."""
    code = getattr(function, "__code__", None)
    if code is None and isinstance(function, type):
        made = (vars(function).get(name) for name in ("__call__", "__init__"))
        code = next((c for c in (getattr(each, "__code__", None) for each in made) if c), None)
    return f"at {escaped(code.co_filename, limit=300)}:{code.co_firstlineno}" if code else ""


def _cells(function: FunctionType) -> tuple[Any, ...]:
    cells = function.__closure__ or ()
    return (*(_content(cell) for cell in cells), function.__defaults__, function.__kwdefaults__)


def _content(cell: Any) -> Any:
    try:
        return cell.cell_contents
    except ValueError:  # a variable that is assigned later
        return None


def _same(one: Any, two: Any) -> bool:
    """Return whether two bound values are one; two classes of one name are a reload's."""
    if one is two:
        return True
    if isinstance(one, type) and isinstance(two, type):
        return _name(one) == _name(two)
    if type(one) is not type(two):
        return _name(type(one)) == _name(type(two))
    if type(one) in SCALARS:
        return bool(one == two)
    if isinstance(one, tuple):
        return len(one) == len(two) and all(map(_same, one, two))
    if isinstance(one, Mapping):
        return one.keys() == two.keys() and all(_same(one[key], two[key]) for key in one)
    return False
