"""Marks of a tool's parameters, for use inside ``Annotated``."""

from __future__ import annotations

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
