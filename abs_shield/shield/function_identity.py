"""The identity of callables, to detect two different functions under one tool name."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping
from types import CodeType, FunctionType, MethodType
from typing import Any, NamedTuple

from abs_shield.text.json_leaves import SCALARS
from abs_shield.text.safe_display import escaped

_MOST_WRAPPED = 100
"""Maximum number of wrappers that are followed, because an object may wrap itself."""
Pair = tuple[int, int]
"""The ids of two compared values."""


class Identity(NamedTuple):
    """
    The definition of a callable, and the objects bound to it.

    Attributes:
        function: The function or class itself.
        name: Its module and qualified name; for a lambda, also its file and line.
        bound: The object of a bound method, the arguments of a partial, a callable object.
        layers: The Python functions that wrap it, outermost first, and the function itself.
    """

    function: Any
    name: tuple[str, str]
    bound: tuple[Any, ...]
    layers: tuple[FunctionType, ...]

    @classmethod
    def of(cls, tool: Callable[..., Any]) -> Identity:
        """Return the identity of *tool*, looking through partials, methods and wrappers."""
        bound: list[Any] = []
        layers: list[FunctionType] = []
        inner: Any = tool
        for _ in range(_MOST_WRAPPED):
            if isinstance(inner, functools.partial):
                bound.append((*inner.args, *sorted(inner.keywords.items())))
                inner = inner.func
            elif isinstance(inner, MethodType):
                bound.append(inner.__self__)
                inner = inner.__func__
            elif hasattr(inner, "__wrapped__"):
                # The wrapper of `@shielded` is the same for every tool, so it identifies nothing.
                if isinstance(inner, FunctionType) and not hasattr(inner, "__shielded__"):
                    layers.append(inner)
                inner = inner.__wrapped__
            else:
                break
        if isinstance(inner, FunctionType):
            layers.append(inner)
        if not (inspect.isroutine(inner) or isinstance(inner, type)):
            bound.append(inner)
            inner = type(inner)
        return cls(inner, _name(inner), tuple(bound), tuple(layers))

    def has_code_of(self, other: Identity) -> bool:
        """Return whether both have the same code object, as functions of one factory do."""
        code = _code(self.function)
        return code is not None and code is _code(other.function)

    def is_reload_of(self, other: Identity) -> bool:
        """Return whether this is the same function as *other*, e.g. of a reloaded module."""
        if not self._has_name_of(other):
            return False
        return not (self.is_other_instance(other) or self.is_other_closure(other))

    def is_other_instance(self, other: Identity) -> bool:
        """Return whether the same function is bound to a different object than in *other*."""
        if not self._has_name_of(other) or not (self.bound and other.bound):
            return False
        code = _code(self.function)
        # With the same code there was no reload, so the objects must have the same classes.
        reloads = code is None or code is not _code(other.function)
        return not _is_same(self.bound, other.bound, reloads=reloads)

    def is_other_closure(self, other: Identity) -> bool:
        """
        Return whether one factory made both functions, around different values.

        A reload compiles a function anew, so two functions of one code object are not a reload.
        """
        if not self._has_name_of(other) or len(self.layers) != len(other.layers):
            return False
        if _code(self.function) is not _code(other.function):
            return False  # a reload; the values of a library's decorator do not matter
        return any(
            one.__code__ is two.__code__
            and not _is_same(_captured_values(one), _captured_values(two), reloads=False)
            for one, two in zip(self.layers, other.layers, strict=True)
            if one is not two
        )

    def _has_name_of(self, other: Identity) -> bool:
        """Return whether both have the same name; lambdas must have the same code as well."""
        if self.name != other.name:
            return False
        if getattr(self.function, "__name__", "") != "<lambda>":
            return True
        return bool(self.function.__code__ == other.function.__code__)

    def __str__(self) -> str:
        name = escaped(str(getattr(self.function, "__qualname__", self.name[1])))
        return f"`{name}` {_place(self.function) or f'in `{escaped(self.name[0])}`'}"


def _name(function: Any) -> tuple[str, str]:
    module = str(getattr(function, "__module__", None) or "builtins")
    name = str(getattr(function, "__qualname__", type(function).__qualname__))
    # All lambdas have the same name, so their location is added.
    code = getattr(function, "__code__", None)
    if code is not None and function.__name__ == "<lambda>":
        return module, f"{name} {code.co_filename}:{code.co_firstlineno}"
    return module, name


def _place(function: Any) -> str:
    """Return ``at FILE:LINE``; empty for a callable that is not written in Python."""
    code = _code(function)
    return f"at {escaped(code.co_filename, limit=300)}:{code.co_firstlineno}" if code else ""


def _code(function: Any) -> CodeType | None:
    """Return the code object of a function, or of the first method of a class."""
    code = getattr(function, "__code__", None)
    if code is None and isinstance(function, type):
        methods = (vars(function).get(name) for name in ("__call__", "__init__"))
        code = next((c for c in (getattr(each, "__code__", None) for each in methods) if c), None)
    return code


def _captured_values(function: FunctionType) -> tuple[Any, ...]:
    cells = function.__closure__ or ()
    return (
        *(_cell_content(cell) for cell in cells),
        function.__defaults__,
        function.__kwdefaults__,
    )


def _cell_content(cell: Any) -> Any:
    try:
        return cell.cell_contents
    except ValueError:  # a variable that is assigned later
        return None


def _is_same(one: Any, two: Any, *, reloads: bool, compared: set[Pair] | None = None) -> bool:
    """
    Return whether two values are the same; classes of the same name count as reloaded.

    Args:
        one: A value that the first callable references.
        two: A value that the second callable references.
        reloads: Whether the callables may belong to a module before and after a reload, so that
            objects of two classes with one name count as the same.
        compared: Pairs that were already compared, because a function may reference itself.
    """
    compared = set() if compared is None else compared
    pair = (id(one), id(two))
    if one is two or pair in compared:
        return True
    # Only these may contain themselves, and stay alive; a freed object's id may be reused.
    if isinstance(one, (FunctionType, Mapping)):
        compared.add(pair)
    inside = functools.partial(_is_same, reloads=reloads, compared=compared)
    if isinstance(one, type) and isinstance(two, type):
        return _name(one) == _name(two)
    if type(one) is not type(two):
        return reloads and _name(type(one)) == _name(type(two))
    if type(one) in SCALARS:
        return bool(one == two)
    if isinstance(one, tuple):
        return len(one) == len(two) and all(map(inside, one, two))
    if isinstance(one, Mapping):
        return one.keys() == two.keys() and all(inside(one[key], two[key]) for key in one)
    if isinstance(one, FunctionType):
        return _is_same_function(one, two, compared=compared)
    if isinstance(one, MethodType):
        return inside((one.__self__, one.__func__), (two.__self__, two.__func__))
    return False


def _is_same_function(one: FunctionType, two: FunctionType, *, compared: set[Pair]) -> bool:
    """Return whether two referenced functions are the same, or one is a reload of the other."""
    if _name(one) != _name(two) or (one.__name__ == "<lambda>" and one.__code__ != two.__code__):
        return False
    # Different code under the same name: the module was reloaded.
    if one.__code__ is not two.__code__:
        return True
    return _is_same(_captured_values(one), _captured_values(two), reloads=False, compared=compared)
