"""A cache of function bindings, for methods and closures that are bound for every request."""

from __future__ import annotations

import inspect
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import replace
from threading import Lock
from types import CodeType, FunctionType, MethodType
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

from abs_shield.core.fork_safety import renewed
from abs_shield.shield.signature import Binding, bind
from abs_shield.text.json_leaves import SCALARS

_MOST_CODES = 512
"""Maximum number of cached bindings of factory functions; a program has far fewer."""


def cached_binding(tool: Callable[..., Any], *, name: str | None = None) -> Binding:
    """
    Return the binding of *tool*; its signature is read once for all instances and closures.

    Raises:
        PolicyError: A type hint has no JSON form.
    """
    return BINDINGS.of(tool, name)


def shielded_binding(tool: Any, name: str | None = None) -> Binding | None:
    """Return the binding of a function or method that `@shielded` wraps; None for another one."""
    shielded = getattr(tool, "__shielded__", None)
    if not isinstance(shielded, Binding):
        return None
    name = name or shielded.tool.name
    receiver = getattr(tool, "__self__", None)
    if receiver is not None:
        return cached_binding(MethodType(shielded.function, receiver), name=name)
    return shielded if name == shielded.tool.name else cached_binding(shielded.function, name=name)


def drop_function(binding: Binding) -> Binding:
    """Return *binding* without its function, which may keep clients and other objects alive."""
    return replace(binding, function=_placeholder)


class _FactoryFunction(NamedTuple):
    """The parts of a factory-made function that determine its binding, without its closure."""

    code: CodeType
    module: dict[str, Any]
    defaults: tuple[Any, ...]
    hints: dict[str, Any]
    doc: str | None

    @classmethod
    def of(cls, function: FunctionType) -> _FactoryFunction | None:
        """Return the parts; None if the function has attributes or non-scalar defaults."""
        keyed = function.__kwdefaults__ or {}
        defaults = (*(function.__defaults__ or ()), *keyed, *keyed.values())
        if function.__dict__ or not all(type(value) in SCALARS for value in defaults):
            return None
        try:
            # A copy, as annotations may be changed after the binding.
            hints = dict(function.__annotations__)
        except Exception:  # evaluated here since Python 3.14
            return None
        return cls(function.__code__, function.__globals__, defaults, hints, function.__doc__)

    def equals(self, other: _FactoryFunction) -> bool:
        """Return whether both functions have the same binding."""
        return (
            self.code is other.code
            and self.module is other.module
            and [(type(value), value) for value in self.defaults]
            == [(type(value), value) for value in other.defaults]
            and self.hints.keys() == other.hints.keys()
            and all(_is_same_hint(self.hints[key], other.hints[key]) for key in self.hints)
            and self.doc == other.doc
        )


def _is_same_hint(hint: Any, other: Any) -> bool:
    try:
        return hint is other or (type(hint) is type(other) and bool(hint == other))
    except Exception:  # the host's metadata may not support comparison
        return False


class Bindings:
    """Bindings without their functions, by function and by the code of factory-made functions."""

    def __init__(self) -> None:
        # Weak, so that a closure is freed together with its session.
        self._by_function: WeakKeyDictionary[FunctionType, dict[Any, Binding]]
        self._by_function = WeakKeyDictionary()
        self._by_code: OrderedDict[tuple[int, str | None], tuple[_FactoryFunction, Binding]] = (
            OrderedDict()
        )
        self._lock = renewed(Lock())

    def of(self, tool: Any, name: str | None) -> Binding:
        """Return the binding of *tool* under *name*."""
        function = tool.__func__ if isinstance(tool, MethodType) else tool
        if not isinstance(function, FunctionType):
            return bind(tool, name=name)
        key = (name, function is not tool, _doc(tool, function))
        # Not locked while the signature is read, which may run code in the host's annotations.
        with self._lock:
            binding = self._by_function.get(function, {}).get(key)
        if binding is None:
            binding = self._closure_binding(tool, function, name)
            with self._lock:
                self._by_function.setdefault(function, {})[key] = binding
        return replace(binding, function=tool)

    def _closure_binding(self, tool: Any, function: FunctionType, name: str | None) -> Binding:
        source = (
            _FactoryFunction.of(function) if function is tool and function.__closure__ else None
        )
        if source is None:
            return drop_function(bind(tool, name=name))
        # The stored parts keep the code object alive, so that its id is not reused.
        key = (id(source.code), name)
        with self._lock:
            stored = self._by_code.get(key)
        if stored is not None and stored[0].equals(source):
            return stored[1]
        binding = drop_function(bind(tool, name=name))
        with self._lock:
            self._by_code[key] = (source, binding)
            if len(self._by_code) > _MOST_CODES:
                self._by_code.popitem(last=False)
        return binding


def _doc(tool: Any, function: FunctionType) -> str | None:
    """Return the docstring that a method without one inherits, which depends on its class."""
    return inspect.getdoc(tool) if function.__doc__ is None and function is not tool else None


def _placeholder(*args: Any, **kwargs: Any) -> None:
    """Do nothing; replaces the function of a cached binding."""


BINDINGS = Bindings()
