"""The shape of a result, and one remembered result: its numbers and shape, without its texts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from math import fsum
from typing import Any

from abs_shield.session.result_json import as_json
from abs_shield.text.failure_results import is_failure_result, may_be_failure_result
from abs_shield.verification.numeric_fields import LARGEST, LONGEST_NAME, member_pointer

MOST_NAMES = 256
"""Most members of an object with a shape; names of larger ones are data themselves."""


@dataclass(frozen=True, slots=True)
class ResultShape:
    """
    The shape of one result.

    Attributes:
        kind: Its JSON type; empty for a result that reports a failure, which has another shape than
            other results.
        members: JSON type by name, for an object of a few members.
        is_text: Whether the tool returned a text, also one with JSON of type *kind*.
    """

    kind: str
    members: Mapping[str, str]
    is_text: bool = False
    names: frozenset[str] = field(init=False, compare=False)
    _hash: int = field(init=False, compare=False)

    def __post_init__(self) -> None:
        names = frozenset(self.members)
        object.__setattr__(self, "names", names)
        # Computed once, because each call looks its shape up in several tables.
        object.__setattr__(self, "_hash", hash((self.kind, self.is_text, names)))

    def __hash__(self) -> int:
        return self._hash


NO_SHAPE = ResultShape("", {})


@dataclass(frozen=True, slots=True, eq=False)
class Members:
    """
    The properties of an object that follow from the names and JSON types of its members.

    Attributes:
        shape: Its shape.
        may_fail: Whether such an object could report a failure.
        is_flat: Whether all members are scalars.
        numbers: Names of its numbers.
        pointers: Their JSON pointers without the first slash.
        texts: Names of its texts.
        size: Approximate number of characters of its JSON, without its texts.
    """

    shape: ResultShape
    may_fail: bool
    is_flat: bool
    numbers: tuple[str, ...]
    pointers: tuple[str, ...]
    texts: tuple[str, ...]
    size: int

    def read(self, value: Mapping[str, Any]) -> tuple[dict[str, float], int, bool] | None:
        """Return the same as `read_numbers`; None if that has to be called."""
        if not self.is_flat:
            return None
        member = value.__getitem__
        numbers = dict(zip(self.pointers, map(member, self.numbers), strict=True))
        try:
            # False also if a number is not finite, or too large
            if not fsum(map(abs, numbers.values())) < LARGEST:
                return None
        except OverflowError:
            return None
        return numbers, self.size + sum(map(len, map(member, self.texts))), True


# Cached: a tool has few shapes.
@lru_cache(maxsize=1_024)
def kinds_of(members: Members, names: Sequence[str]) -> Mapping[str, str] | None:
    """
    Return the JSON type of each field of *names* that is present and not null.

    None if a name is a JSON pointer, or too long for a member.
    """
    if any(name[:1] == "/" or len(name) > LONGEST_NAME for name in names):
        return None
    kinds = members.shape.members
    return {name: kinds[name] for name in names if kinds.get(name, "null") != "null"}


def members_of(value: Mapping[Any, Any], *, is_text: bool = False) -> Members | None:
    """Return the members of an object; None if there are many, or not all are JSON."""
    if len(value) > MOST_NAMES or not _STRING.issuperset(map(type, value)):
        return None
    return _members_by_type(tuple(value), tuple(map(type, value.values())), is_text)


def shape_of(value: Any, members: Members | None = None, *, is_text: bool = False) -> ResultShape:
    """
    Return the shape of a JSON result.

    Args:
        value: The result.
        members: Its members, where it is an object and has some.
        is_text: As in `ResultShape`.

    >>> shape_of({"price": 5, "venue": None}).members
    {'price': 'number', 'venue': 'null'}
    >>> shape_of([{"price": 5}]).kind, shape_of("Error: no such share").kind
    ('array', '')
    """
    if members is not None and not (members.may_fail and is_failure_result(value)):
        return members.shape
    if type(value) is not dict or len(value) > MOST_NAMES:
        return _whole("" if is_failure_result(value) else kind_of(value), is_text)
    return ResultShape(
        "" if is_failure_result(value) else "object", _members(value.items()), is_text
    )


@lru_cache(maxsize=64)
def _whole(kind: str, is_text: bool) -> ResultShape:
    return ResultShape(kind, {}, is_text)


# Cached: the names and types of a tool's results repeat.
@lru_cache(maxsize=256)
def _members_by_type(
    names: tuple[str, ...], kinds: tuple[type, ...], is_text: bool
) -> Members | None:
    if not _JSON.issuperset(kinds):
        return None
    pairs = list(zip(names, kinds, strict=True))
    shape = ResultShape(
        "object", {name: KIND[kind] for name, kind in pairs if len(name) <= LONGEST_NAME}, is_text
    )
    numbers = tuple(name for name, kind in pairs if kind in _NUMBERS)
    pointers = tuple(
        pointer for name in numbers if (pointer := member_pointer("", name)) is not None
    )
    return Members(
        shape,
        may_be_failure_result(names),
        is_flat=_HOLDERS.isdisjoint(kinds) and len(pointers) == len(numbers),
        numbers=numbers,
        pointers=pointers,
        texts=tuple(name for name, kind in pairs if kind is str),
        size=2 + sum(_size(name, kind) for name, kind in pairs),
    )


def _size(name: str, kind: type) -> int:
    if kind is str:
        return len(name) + 6
    return len(name) + 12 if kind in _NUMBERS else 10


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
    kind = KIND.get(type(value))  # exact types first, since `isinstance` is slower
    if kind is not None:
        return kind
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
"""JSON types of Python's own types, which nearly all values have."""
_JSON = frozenset(KIND)
_NUMBERS = frozenset((int, float))
_HOLDERS = frozenset((list, dict))
_STRING = frozenset((str,))


@dataclass(slots=True)
class Observation:
    """
    The remembered properties of one result, learnt if it is accepted.

    Attributes:
        id: Unique, across processes.
        at: Its time, in seconds since the epoch.
        key: Digest of its call's arguments; empty if unknown.
        session: Its session; empty for none.
        numbers: Its numbers by JSON pointer without the first slash.
        latency_ms: Duration of its call.
        size: Approximate number of characters of its JSON.
        shape: Its JSON type and those of its members; empty if it has no shape.
        kinds: JSON type of each required field it had.
        probability: P(hallucination), as it was judged.
        unlike: Whether it differed from earlier results.
        turn: Number of changes from rejected back to accepted results before it was rejected.
        fault: The difference of its shape from earlier ones; empty if there is none; not saved.
        endless: Its numbers that are NaN or infinite, by pointer; judged, and not saved.
    """

    id: str
    at: float
    key: bytes
    session: str
    numbers: Mapping[str, float]
    latency_ms: float
    size: int
    shape: ResultShape
    kinds: Mapping[str, str]
    probability: float = 0.0
    unlike: bool = False
    turn: int = 0
    endless: Sequence[str] = ()
    fault: str = ""
