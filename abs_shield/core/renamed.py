"""Old names of a module, which warn for one release before they go."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any
from warnings import warn


def old_names(module: str, names: Mapping[str, str]) -> Callable[[str], Any]:
    """
    Return a ``__getattr__`` for a module that resolves its old names with a `DeprecationWarning`.

    Args:
        module: The module's ``__name__``.
        names: The new name for each old one: of the same module (``"Outcome"``), or with its
            module (``"abs_shield.session.memory:SessionMemory"``).

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
