"""Pairs of tools that undo each other if they are called on the same entity."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from abs_shield.core.declared_fields import checked_keywords
from abs_shield.errors import PolicyError
from abs_shield.policy.declaration_base import SourceLocation, caller_location
from abs_shield.text.safe_display import escaped, shown


@dataclass(frozen=True, slots=True, kw_only=True)
class Inverse:
    """
    A pair of tools that undo each other; created by `inverse`.

    Attributes:
        first: The tool that is called first.
        then: The tool that undoes it.
        same: The parameter that names the entity, by tool name.
        final: Whether any later call on the entity is a contradiction, because *then* removes it.
        unless: A function of the two calls; if it returns true, the pair is not a contradiction.
        place: The file and line of the declaration; ignored by comparisons.
    """

    first: str
    then: str
    same: Mapping[str, str]
    final: bool = False
    unless: Callable[..., Any] | None = None
    place: SourceLocation = field(default_factory=caller_location, compare=False, repr=False)


@checked_keywords
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

    Args:
        first: The tool that is called first.
        then: The tool that undoes it.
        same: The parameter that names the entity in both tools, or a mapping of each tool to its
            parameter.
        final: Whether any later call on the entity is a contradiction, because *then* removes it.
        unless: A function of the two calls; if it returns true, the pair is not a contradiction.

    Raises:
        PolicyError: A keyword is unknown, a tool is not a name, *same* does not name a parameter
            of both tools, or *unless* is not a function.

    >>> inverse("create_user", "delete_user", same="id").same["delete_user"]
    'id'
    """
    for name in (first, then):
        if not _is_name(name):
            raise PolicyError(f"`inverse` got {shown(name)}; give the name of a tool")
    keys = {first: same, then: same} if isinstance(same, str) else same
    # Exactly these, because a misspelt tool in `same` would have no effect.
    has_both_tools = isinstance(keys, Mapping) and set(keys) == {first, then}
    if not has_both_tools or not all(map(_is_name, keys.values())):
        raise _inverse_error(first, then, "`same` has to name a parameter of each tool")
    if unless is not None and not callable(unless):
        raise _inverse_error(
            first, then, f"`unless` is {shown(unless)}; give a function of the two calls"
        )
    # A copy, because the caller may change the mapping.
    return Inverse(first=first, then=then, same=dict(keys), final=final, unless=unless)


def _is_name(value: object) -> bool:
    return isinstance(value, str) and value != ""


def _inverse_error(first: str, then: str, what: str) -> PolicyError:
    return PolicyError(f"`inverse` of `{escaped(first)}` and `{escaped(then)}`: {what}")
