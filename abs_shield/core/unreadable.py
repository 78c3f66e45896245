"""Objects and SDK models that callers give, and the error for what is neither."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, cast

from abs_shield.errors import ShieldError
from abs_shield.text.show import escaped

_LISTED = 8  # keys in an error: enough to recognise a shape, on one line


class UnreadableMessage(ShieldError, ValueError):
    """A message, tool or call has none of the shapes that are read here."""


def keys_of(value: Mapping[str, Any]) -> str:
    """Return the names of the members of a shape that is not known, for an error."""
    names = [f"`{escaped(str(name), limit=40)}`" for name in value]
    more = f" and {len(names) - _LISTED} more" if len(names) > _LISTED else ""
    return f"the keys {', '.join(names[:_LISTED])}{more}" if names else "no keys"


def has_members(part: Any) -> bool:
    """Return whether *part* is an object, or a model of an SDK."""
    return isinstance(part, Mapping) or hasattr(part, "model_dump")


def mapping_of(value: Any, what: str) -> Mapping[str, Any]:
    """
    Return an object, or a model of an SDK, as a mapping.

    Raises:
        UnreadableMessage: It is neither, or breaks when it is read; *what* names it.
    """
    if type(value) is dict:
        return value
    try:
        if isinstance(value, Mapping):
            return dict(value)
        dump = getattr(value, "model_dump", None)
        if callable(dump):
            return _dumped(dump)
    except Exception as error:  # an object of the caller's may break when it is read
        raise UnreadableMessage(f"{what} cannot be read: {type(error).__name__}") from None
    raise UnreadableMessage(f"{what} is of type {type(value).__name__}; give an object")


def _dumped(dump: Callable[..., Any]) -> Mapping[str, Any]:
    """A model as an object; what an SDK parsed into it may be of a type that pydantic warns of."""
    try:
        # Without nulls, as models of SDKs have one for every member that is not there.
        return cast("Mapping[str, Any]", dump(mode="json", exclude_none=True, warnings=False))
    except TypeError:  # the caller's own method, which knows no such option
        return cast("Mapping[str, Any]", dump(mode="json", exclude_none=True))
