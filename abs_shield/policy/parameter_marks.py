"""Marks of a tool's parameters, for use inside ``Annotated``, and keys of schemas for them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from abs_shield.policy.declaration_base import as_tuple


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """
    The parameter names an entity that this run must have seen.

    Attributes:
        must_be_seen: Whether an unseen value is HALLUCINATED instead of SUSPICIOUS.
        allow: Values, globs or callables that are always accepted.

    Raises:
        PolicyError: *allow* is not a list.
    """

    must_be_seen: bool = False
    allow: tuple[Any, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "allow", as_tuple(self.allow, where="`Target`: `allow`"))


@dataclass(frozen=True, slots=True)
class Soft:
    """The parameter is a name or a place: an unseen value gives a weaker finding."""


@dataclass(frozen=True, slots=True)
class Free:
    """The parameter is free text: its value is not checked against the run."""


@dataclass(frozen=True, slots=True)
class Creates:
    """The parameter is the id that this call creates, so the run cannot have seen it."""


@dataclass(frozen=True, slots=True)
class Injected:
    """The parameter is filled in by the host, not the model: a context, a client."""


Mark = Target | Soft | Free | Creates | Injected


ANY = "*"
"""A pointer step that matches every key of an object whose keys are data."""
ANYWHERE = "**"
"""A pointer part that matches any number of steps, for recursive models."""


def first_name(key: str) -> str:
    """
    Return the top-level parameter of a key, or ``*``.

    >>> first_name("order_id"), first_name("/lines/sku")
    ('order_id', 'lines')
    """
    return steps_of(key)[0]


def names_in(key: str) -> list[str]:
    """Return every name in a key."""
    return (
        [step for step in steps_of(key) if step not in (ANY, ANYWHERE)] if key[:1] == "/" else [key]
    )


def keys_of(path: Iterable[str | int], keys: Iterable[str], parameters: Any) -> set[str]:
    """
    Return those of the *keys* that match the value at *path*.

    A name matches the top-level parameter or the last step; a pointer matches the value's
    place or a parent of it. ``/*`` matches the arguments that the schema does not name.

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
    wanted = steps_of(key)
    if ANYWHERE in wanted:
        # Recursive: the steps between are of any number, so only the ends are compared.
        return (wanted[0], wanted[-1]) == (steps[0], steps[-1])
    if len(wanted) > len(steps):
        return False
    if wanted[0] == ANY and isinstance(parameters, Mapping):
        properties = parameters.get("properties")
        # A declared parameter has a key of its own; `*` is for further arguments.
        if isinstance(properties, Mapping) and steps[0] in properties:
            return False
    # Shorter keys match all that is below them, so the rest of the steps does not count.
    return all(want in (ANY, step) for want, step in zip(wanted, steps, strict=False))


def steps_of(key: str) -> list[str]:
    """
    Return the steps of a key; a name is one step.

    >>> steps_of("/lines/a~1b"), steps_of("a/b")
    (['lines', 'a/b'], ['a/b'])
    """
    if key[:1] != "/":
        return [key]
    # RFC 6901; `~1` first, or `~01` would become a slash.
    return [step.replace("~1", "/").replace("~0", "~") for step in key[1:].split("/")]
