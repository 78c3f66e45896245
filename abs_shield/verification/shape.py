"""The shape of a result: its JSON type, and the JSON type of each of its members."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from abs_shield.session.results import as_json
from abs_shield.text.failure import may_tell_failure, tells_failure
from abs_shield.verification.numbers import LONGEST_NAME

MOST_NAMES = 256
"""Members of an object that has a shape: names of more of them are data themselves."""


@dataclass(frozen=True, slots=True)
class Shape:
    """
    The shape of one result.

    Attributes:
        kind: Its JSON type; empty of a result that says that the call failed, which is no sign of
            what other results look like.
        members: JSON type by name, where it is an object of a few members.
        is_text: Whether the tool returned a text, also one that holds JSON of type *kind*.
    """

    kind: str
    members: Mapping[str, str]
    is_text: bool = False
    names: frozenset[str] = field(init=False, compare=False)
    _hash: int = field(init=False, compare=False)

    def __post_init__(self) -> None:
        names = frozenset(self.members)
        object.__setattr__(self, "names", names)
        object.__setattr__(self, "_hash", hash((self.kind, self.is_text, names)))

    def __hash__(self) -> int:
        return self._hash


NO_SHAPE = Shape("", {})


def shape_of(value: Any, *, is_text: bool = False) -> Shape:
    """
    Return the shape of a result that has JSON's form; *is_text* as in `Shape`.

    >>> shape_of({"price": 5, "venue": None}).members
    {'price': 'number', 'venue': 'null'}
    >>> shape_of([{"price": 5}]).kind, shape_of("Error: no such share").kind
    ('array', '')
    """
    if type(value) is not dict or len(value) > MOST_NAMES:
        return _whole("" if tells_failure(value) else kind_of(value), is_text)
    if _STRING.issuperset(map(type, value)):
        shape, may_fail = _flat(tuple(value), tuple(map(type, value.values())), is_text)
        if shape is not None and not (may_fail and tells_failure(value)):
            return shape
    return Shape("" if tells_failure(value) else "object", _members(value.items()), is_text)


@lru_cache(maxsize=64)
def _whole(kind: str, is_text: bool) -> Shape:
    return Shape(kind, {}, is_text)


@lru_cache(maxsize=256)
def _flat(
    names: tuple[str, ...], kinds: tuple[type, ...], is_text: bool
) -> tuple[Shape | None, bool]:
    """Return the shape of members of JSON's own types, and whether such an object may fail."""
    if not _JSON.issuperset(kinds):
        return None, True
    pairs = zip(names, kinds, strict=True)
    members = {name: KIND[kind] for name, kind in pairs if len(name) <= LONGEST_NAME}
    return Shape("object", members, is_text), may_tell_failure(names)


def _members(items: Iterable[tuple[Any, Any]]) -> dict[str, str]:
    return {
        name: KIND[type(value)] if type(value) in KIND else kind_of(as_json(value))
        for name, value in items
        if type(name) is str and len(name) <= LONGEST_NAME
    }


def kind_of(value: Any) -> str:
    """
    Return the JSON type of a value: object, array, string, number, boolean or null.

    >>> kind_of(1), kind_of(1.5), kind_of(True), kind_of(None), kind_of({})
    ('number', 'number', 'boolean', 'null', 'object')
    """
    known = KIND.get(type(value))
    if known is not None:
        return known
    for kinds, name in _KINDS:
        if isinstance(value, kinds):
            return name
    return "object"


_KINDS: tuple[tuple[Any, str], ...] = (
    (bool, "boolean"), ((int, float), "number"), (str, "string"), ((list, tuple), "array"),
)  # fmt: skip
KIND: Mapping[type, str] = {
    bool: "boolean", int: "number", float: "number", str: "string", list: "array", dict: "object",
    type(None): "null",
}  # fmt: skip
"""Those of JSON's own types, which are nearly all."""
_JSON = frozenset(KIND)
_STRING = frozenset((str,))
