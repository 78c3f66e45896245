"""Two tools that undo each other when they meet the same entity."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from abs_shield.errors import PolicyError


@dataclass(frozen=True, slots=True, kw_only=True)
class Inverse:
    """
    A pair of calls that cancel each other; built by `inverse`.

    Attributes:
        first: The tool that is called before.
        then: The tool that undoes it.
        same: Tool name to the parameter that names the entity.
        final: Nothing may follow on an entity that *then* removed.
        unless: Excuses a pair; called with the two calls.
    """

    first: str
    then: str
    same: Mapping[str, str]
    final: bool = False
    unless: Callable[..., Any] | None = None


def inverse(
    first: str,
    then: str,
    *,
    same: str | Mapping[str, str],
    final: bool = False,
    unless: Callable[..., Any] | None = None,
) -> Inverse:
    """
    Declare that *then* undoes *first* on the entity that *same* names.

    Raises:
        PolicyError: *same* does not name a parameter of both tools.

    >>> inverse("create_user", "delete_user", same="id").same["delete_user"]
    'id'
    """
    keys = {first: same, then: same} if isinstance(same, str) else same
    if not isinstance(keys, Mapping) or set(keys) != {first, then} or not all(keys.values()):
        raise PolicyError(
            f"`inverse` of `{first}` and `{then}`: `same` has to name a parameter of each tool"
        )
    return Inverse(first=first, then=then, same=dict(keys), final=final, unless=unless)
