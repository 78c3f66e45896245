"""Parts of the package, replaced wherever they are bound by name: what one rule changes."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any, NamedTuple


class Argument(NamedTuple):
    """As *off* of a function: it returns its argument at this place, a method's ``self`` at 0."""

    place: int


FIRST = Argument(0)
NEVER, ALWAYS = re.compile(r"(?!)"), re.compile("")
NONE: frozenset[str] = frozenset()


def rows_without(table: tuple[Any, ...], absent: Callable[[Any], bool]) -> tuple[Any, ...]:
    """Return the rows of a table that are not *absent*."""
    return tuple(row for row in table if not absent(row))


class Part(NamedTuple):
    """
    One part of the package that can be switched off.

    Attributes:
        path: Module below the package, and the name in it: ``answer.gate:gate``; a method as
            ``module:Class.method``.
        off: What a function returns instead, or what replaces a table.
    """

    path: str
    off: Any = None


@contextmanager
def without(*parts: Part) -> Iterator[None]:
    """Switch parts off, in every module that has them."""
    if not parts:
        yield
        return
    first, *rest = parts
    with replaced(first.path, lambda value: _off(value, first.off)), without(*rest):
        yield


@contextmanager
def replaced(path: str, replacement: Callable[[Any], Any]) -> Iterator[None]:
    """Put ``replacement(part)`` wherever a module of the package has the part at *path*."""
    module, _, inner = path.partition(":")
    import_module(f"abs_shield.{module}")
    holder: Any = sys.modules[f"abs_shield.{module}"]  # a layer's module is called as its function
    *classes, name = inner.split(".")
    for step in classes:
        holder = getattr(holder, step)
    part = vars(holder)[name]
    holders = [holder] if classes else [*_holders(part)]
    new = replacement(part)
    bound = [(each, key) for each in holders for key, value in vars(each).items() if value is part]
    for each, key in bound:
        setattr(each, key, new)
    try:
        yield
    finally:
        for each, key in bound:
            setattr(each, key, part)


def _holders(part: Any) -> Iterator[Any]:
    for name, module in [*sys.modules.items()]:
        if name.startswith("abs_shield.") and any(v is part for v in vars(module).values()):
            yield module


def _off(part: Any, off: Any) -> Any:
    if isinstance(part, (staticmethod, classmethod)) or not callable(part):
        return off
    return lambda *args, **kwargs: args[off.place] if isinstance(off, Argument) else off
