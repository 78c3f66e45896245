"""Copies of the containers in arguments; the values inside are not copied."""

from __future__ import annotations

from collections import OrderedDict, defaultdict
from typing import Any

_DEEPEST = 100  # judged arguments end at 64 levels
_MOST = 100_000
"""Containers deeper, and values more, than are judged: what is beyond runs in audit mode alone."""

_DICTS = frozenset({dict, OrderedDict, defaultdict})
HOLDERS = _DICTS | {list, tuple}
"""Types whose values are copied: a set, a stream or an object of the caller's is itself."""


def apart(value: Any) -> Any:
    """
    Copy the dicts and lists of a value, so that who holds the value changes nothing in the copy.

    >>> held = ["a"]
    >>> copy = apart({"names": held, "kinds": ({"b"}, held)})
    >>> held.append("c")
    >>> copy["names"], copy["kinds"][1] is copy["names"]
    (['a'], True)
    """
    return _Copies().of(value, 0) if type(value) in HOLDERS else value


class _Copies:
    """The copies of one value; a container that occurs twice is copied once."""

    __slots__ = ("_copied", "_left")

    def __init__(self) -> None:
        self._left = _MOST
        self._copied: dict[int, Any] = {}

    def of(self, value: Any, depth: int) -> Any:
        kind = type(value)
        if kind not in HOLDERS or depth > _DEEPEST or self._left < 0:
            return value
        self._left -= len(value)
        if kind is tuple:
            return self._tuple(value, depth)
        copy = self._copied.get(id(value))
        if copy is not None:
            return copy
        # `copy` leaves the type and a defaultdict's factory; entered first, as a list may hold
        # itself.
        copied = self._copied[id(value)] = value.copy()
        for key, item in [*copied.items()] if kind in _DICTS else enumerate(copied):
            if type(item) in HOLDERS:
                copied[key] = self.of(item, depth + 1)
        return copied

    def _tuple(self, value: tuple[Any, ...], depth: int) -> tuple[Any, ...]:
        """A tuple cannot be changed, and what it holds can."""
        items = tuple(self.of(item, depth + 1) for item in value)
        same = all(one is other for one, other in zip(items, value, strict=True))
        return value if same else items
