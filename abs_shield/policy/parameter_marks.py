"""Marks of a tool's parameters, for use in ``Annotated``, and the keys that refer to them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from abs_shield.core.declared_fields import checked_fields
from abs_shield.policy.declaration_base import as_tuple


@checked_fields
@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """
    The parameter names an entity that must occur earlier in the run.

    Attributes:
        must_be_seen: Whether a value that does not occur is HALLUCINATED instead of SUSPICIOUS.
        allow: Values, globs or callables that are always accepted.

    Raises:
        PolicyError: A field is unknown, or *allow* is not a list.
    """

    must_be_seen: bool = False
    allow: tuple[Any, ...] = ()

    if TYPE_CHECKING:  # what it accepts is wider than what it stores

        def __init__(self, *, must_be_seen: bool = ..., allow: Iterable[Any] = ...) -> None: ...

    def __post_init__(self) -> None:
        object.__setattr__(self, "allow", as_tuple(self.allow, where="`Target`: `allow`"))


@checked_fields
@dataclass(frozen=True, slots=True)
class Soft:
    """The parameter is a name or a place: a value that does not occur is a weaker finding."""


@checked_fields
@dataclass(frozen=True, slots=True)
class Free:
    """The parameter is free text: its value is not checked against the run."""


@checked_fields
@dataclass(frozen=True, slots=True)
class Creates:
    """The parameter is the id that this call creates, so it cannot occur earlier in the run."""


@checked_fields
@dataclass(frozen=True, slots=True)
class Injected:
    """The parameter is provided by the host, not the model, such as a context or a client."""


Mark = Target | Soft | Free | Creates | Injected


ANY = "*"
"""A pointer step that matches every key of an object whose keys are data."""
ANYWHERE = "**"
"""A pointer step that matches any number of steps, for recursive models."""


def first_name(key: str) -> str:
    """
    Return the top-level parameter of a key, or ``*``.

    >>> first_name("order_id"), first_name("/lines/sku")
    ('order_id', 'lines')
    """
    return steps_of(key)[0]


def names_in(key: str) -> list[str]:
    """Return all names in a key: the name itself, or the steps of a pointer except wildcards."""
    return (
        [step for step in steps_of(key) if step not in (ANY, ANYWHERE)] if key[:1] == "/" else [key]
    )


def keys_of(path: Iterable[str | int], keys: Iterable[str], parameters: Any) -> set[str]:
    """
    Return the keys that match the value at *path*.

    A name matches the top-level parameter or the last step; a pointer matches the value itself or
    a parent of it. ``/*`` matches arguments that the schema does not declare.

    Args:
        path: The steps to the value in the arguments.
        keys: Parameter names and JSON pointers.
        parameters: The JSON Schema of the arguments.

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
    required = steps_of(key)
    if ANYWHERE in required:
        # Any number of steps may lie between, so only the first and the last are compared.
        return (required[0], required[-1]) == (steps[0], steps[-1])
    if len(required) > len(steps):
        return False
    if required[0] == ANY and isinstance(parameters, Mapping):
        properties = parameters.get("properties")
        # `*` only matches arguments that are not declared.
        if isinstance(properties, Mapping) and steps[0] in properties:
            return False
    # A shorter key matches all values below it, so the remaining steps are not compared.
    return all(want in (ANY, step) for want, step in zip(required, steps, strict=False))


def steps_of(key: str) -> list[str]:
    """
    Return the unescaped steps of a key; a name is one step.

    >>> steps_of("/lines/a~1b"), steps_of("a/b")
    (['lines', 'a/b'], ['a/b'])
    """
    if key[:1] != "/":
        return [key]
    # RFC 6901: `~1` first, or `~01` would become a slash.
    return [step.replace("~1", "/").replace("~0", "~") for step in key[1:].split("/")]
