"""The keys under which a tool's author marks a parameter, and which leaves of a call they mean."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

ANY = "*"
"""A step of a pointer that is every key of an object whose keys are data."""
ANYWHERE = "**"
"""Steps of a pointer of any number: of what stands in a model that holds itself."""


def first_name(key: str) -> str:
    """
    Give the parameter at the top level that a key is about, or ``*``.

    >>> first_name("order_id"), first_name("/lines/sku")
    ('order_id', 'lines')
    """
    return _steps(key)[0] if key[:1] == "/" else key


def names_in(key: str) -> list[str]:
    """Give every name in a key."""
    return (
        [step for step in _steps(key) if step not in (ANY, ANYWHERE)] if key[:1] == "/" else [key]
    )


def keys_of(path: Iterable[str | int], keys: Iterable[str], parameters: Any) -> set[str]:
    """
    Return by which of the *keys* an author means the leaf at *path*.

    A name is that of the parameter or of the leaf itself; a pointer is the place of the leaf, or
    of what it stands in. ``/*`` means the arguments that the schema does not name.

    >>> sorted(keys_of(["lines", 0, "sku"], ["lines", "sku", "/lines/sku", "/lines/id"], {}))
    ['/lines/sku', 'lines', 'sku']
    """
    steps = [step for step in path if isinstance(step, str)]
    if not steps:
        return set()
    names = {steps[0], steps[-1]}
    return {
        key
        for key in keys
        if (_matches_pointer(key, steps, parameters) if key[:1] == "/" else key in names)
    }


def _matches_pointer(key: str, steps: list[str], parameters: Any) -> bool:
    wanted = _steps(key)
    if ANYWHERE in wanted:
        return (wanted[0], wanted[-1]) == (steps[0], steps[-1])
    if len(wanted) > len(steps):
        return False
    if wanted[0] == ANY and isinstance(parameters, Mapping):
        properties = parameters.get("properties")
        if isinstance(properties, Mapping) and steps[0] in properties:
            return False
    return all(want in (ANY, step) for want, step in zip(wanted, steps, strict=False))


def _steps(pointer: str) -> list[str]:
    return [step.replace("~1", "/").replace("~0", "~") for step in pointer[1:].split("/")]
