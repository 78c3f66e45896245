"""Names of modules that are resolved when first used: lazy ones, and old ones, which warn."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from sys import modules
from typing import Any
from warnings import warn


def lazy_names(
    module: str, names: Mapping[str, str]
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """
    Return a ``__getattr__`` and a ``__dir__`` for a package that imports its names on first use.

    Args:
        module: The package's ``__name__``.
        names: The module of each name.
    """

    def resolve(name: str) -> Any:
        if name not in names:
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        value = getattr(import_module(names[name]), name)
        setattr(modules[module], name, value)  # the next access does not come here
        return value

    return resolve, lambda: sorted({*vars(modules[module]), *names})


def old_names(module: str, names: Mapping[str, str]) -> Callable[[str], Any]:
    """
    Return a ``__getattr__`` for a module that resolves its old names with a `DeprecationWarning`.

    Args:
        module: The module's ``__name__``.
        names: The new name for each old one, in the same module (``"Outcome"``) or in another
            (``"abs_shield.session.memory:SessionMemory"``).

    The returned function raises `AttributeError` for any other name.
    """

    def resolve(name: str) -> Any:
        if name not in names:
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        new_module, _, new_name = names[name].rpartition(":")
        warn(
            f"`{module}.{name}` is now `{new_module or module}.{new_name}`; "
            "the old name goes with the next release",
            DeprecationWarning,
            stacklevel=2,
        )
        return getattr(import_module(new_module or module), new_name)

    return resolve


def old_module(module: str, new_module: str) -> Callable[[str], Any]:
    """
    Return a ``__getattr__`` for a module that moved, with a `DeprecationWarning` for each name.

    Args:
        module: The old module's ``__name__``.
        new_module: Where its names are now.
    """

    def resolve(name: str) -> Any:
        # Tools ask a module for names that it may not have, such as `__path__`: no warning then.
        if name.startswith("__") or not hasattr(import_module(new_module), name):
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        warn(
            f"`{module}` is now `{new_module}`; the old name goes with the next release",
            DeprecationWarning,
            stacklevel=2,
        )
        return getattr(import_module(new_module), name)

    return resolve
