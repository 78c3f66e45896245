"""Iteration over the scalars inside a JSON value, with their paths."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice
from operator import is_
from typing import Any, Generic, TypeVar


class TypePlaceholder(str):
    """The type of a value without a JSON form, as in ``<generator>``."""

    __slots__ = ()


class MaskedSecret(TypePlaceholder):
    """The masked form of a secret, as in ``**********``, with the JSON form that a schema reads."""

    __slots__ = ("revealed",)
    revealed: Any

    def __new__(cls, mask: str, revealed: Any) -> MaskedSecret:
        self = super().__new__(cls, mask)
        self.revealed = revealed
        return self

    def __reduce__(self) -> Any:  # a copy or a pickle contains only the mask
        return str, (str.__str__(self),)


class UnreadIterator(list[Any]):
    """An iterator that is left to the tool; an empty list for a schema."""

    __slots__ = ()


Path = tuple[str | int, ...]
State = TypeVar("State")

DEEPEST = 64  # levels, as many as arguments may have; Python stops recursion at 1,000
MOST = 50_000  # scalars and containers of one value: half of those that a call may have
_MOST_JSON = 64 * 1024  # characters; longer JSON text is not parsed in every call
_SCALAR_CLASSES = (str, int, float)
SCALARS = frozenset({str, int, float, bool, type(None)})
"""Types that are JSON as they are."""


class LeafWalk(Generic[State]):
    """
    The scalars inside a value, in order, each with a state built along its path.

    Args:
        value: The value.
        state: The state of the whole value, such as a path or a name.
        members: A function of a state and a value that returns its members, each with its state;
            None for a scalar.
        most: Scalars that are read.

    Attributes:
        cut: Whether the value was too deep or too large to be read completely.
    """

    __slots__ = ("_first", "_members", "_most", "cut")

    def __init__(
        self,
        value: Any,
        state: State,
        members: Callable[[State, Any], Iterable[tuple[State, Any]] | None],
        *,
        most: int = MOST,
    ) -> None:
        self._first = (state, value)
        self._members = members
        self._most = most
        self.cut = False

    def __iter__(self) -> Iterator[tuple[State, Any]]:
        members, left, containers = self._members, self._most, MOST
        levels = [iter([self._first])]
        while levels:
            for pair in levels[-1]:
                inside = members(*pair)
                if inside is None:
                    if left <= 0:
                        self.cut = True
                        return
                    left -= 1
                    yield pair
                elif containers <= 0:  # a list that contains itself is infinite
                    self.cut = True
                    return
                elif len(levels) <= DEEPEST:
                    containers -= 1
                    levels.append(iter(inside))
                    break
                else:
                    self.cut = self.cut or bool(pair[1])
            else:
                levels.pop()


def leaves(value: Any, *, most: int = MOST) -> Iterator[tuple[Path, Any]]:
    """
    Yield each scalar with its path, in order; at most *most* of them, at most 64 levels deep.

    >>> list(leaves({"to": ["a@x.org"], "n": 2}))
    [(('to', 0), 'a@x.org'), (('n',), 2)]
    """

    # An object of scalars, as most calls have, needs no walk.
    if type(value) is dict and len(value) <= most and SCALARS.issuperset(map(type, value.values())):
        return iter([((str(key),), item) for key, item in value.items()])

    def members(path: Path, item: Any) -> list[tuple[Path, Any]] | None:
        if item is None or isinstance(
            item, _SCALAR_CLASSES
        ):  # first: checks of abstract classes are slow
            return None
        if isinstance(item, (dict, Mapping)):
            # `islice`, because a caller's mapping may be infinite.
            return [((*path, str(key)), inner) for key, inner in islice(item.items(), most)]
        # Reading an iterator would consume its items before the tool.
        if isinstance(item, (list, tuple)) and not isinstance(item, UnreadIterator):
            return [((*path, n), inner) for n, inner in enumerate(item[:most])]
        return None

    walk: LeafWalk[Path] = LeafWalk(value, (), members, most=most)
    return iter(walk)


def items(value: Any) -> Iterator[Any]:
    """
    Return the items of a list, or the value itself.

    >>> list(items(["a", "b"])), list(items("a"))
    (['a', 'b'], ['a'])
    """
    return iter(value if isinstance(value, (list, tuple)) else (value,))


def texts(value: Any) -> Iterator[str]:
    """
    Return a text, or the texts among the items of a list.

    >>> list(texts(["a", 5, None])), list(texts("a")), list(texts(5))
    (['a'], ['a'], [])
    """
    return (item for item in items(value) if isinstance(item, str))


def name_of(path: Path) -> str:
    """
    Return the innermost name of a path; empty without one.

    >>> name_of(("to", 0)), name_of(("user", "id"))
    ('to', 'id')
    """
    for step in reversed(path):
        if isinstance(step, str):
            return step
    return ""


def pointer(path: Path) -> str:
    """
    Return a path as a JSON pointer.

    >>> pointer(("a/b", 0))
    '/a~1b/0'
    """
    return "".join(f"/{escape_step(str(step))}" for step in path)


def escape_step(name: str) -> str:
    """
    Return a member's name as a step of a JSON pointer.

    >>> escape_step("a/b")
    'a~1b'
    """
    if "/" in name or "~" in name:
        return name.replace("~", "~0").replace("/", "~1")
    return name


def parse_container(text: str) -> Any:
    """
    Return the object or list in a JSON text; None for other texts.

    >>> parse_container('{"id": 7}'), parse_container("7")
    ({'id': 7}, None)
    """
    # A fast check first, because most texts are not JSON.
    if text.lstrip()[:1] not in ("{", "[") or len(text) < 2:
        return None
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):  # deep nesting raises `RecursionError`
        return None
    return value if isinstance(value, (dict, list)) else None


def json_data(value: Any) -> Any:
    """
    Return a result, with JSON text of at most 64 KiB parsed.

    >>> json_data('{"id": 7}'), json_data("7"), json_data(7)
    ({'id': 7}, '7', 7)
    """
    inside = parse_container(value) if isinstance(value, str) and len(value) <= _MOST_JSON else None
    return value if inside is None else inside


def scalar_text(value: Any) -> str | None:
    """
    Return a string or a number as text; None for booleans, null and anything else.

    >>> scalar_text(7.0), scalar_text(True), scalar_text("x")
    ('7.0', None, 'x')
    """
    if isinstance(value, str):
        return None if isinstance(value, TypePlaceholder) else value
    # `bool` is a subclass of `int`.
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    # 1,233 digits; Python refuses to print an integer of more than 4,300.
    if isinstance(value, int) and value.bit_length() > 4096:
        return None
    return repr(value)


def value_at(value: Any, path: Path) -> Any:
    """Return the part of *value* at *path*, which exists."""
    for step in path:
        value = value[step]
    return value


def parent_of(path: Path, arguments: Mapping[str, Any]) -> Any:
    """Return the object that holds the leaf at *path*; None if *path* does not exist."""
    here: Any = arguments
    for step in path[:-1]:
        if isinstance(step, int):
            here = here[step] if isinstance(here, (list, tuple)) else None
        else:
            here = here.get(step) if isinstance(here, Mapping) else None
    return here


def reveal_secrets(value: Any) -> Any:
    """Return a JSON value with its masked secrets revealed; the value itself if it has none."""
    if isinstance(value, MaskedSecret):
        return reveal_secrets(value.revealed)
    if type(value) is dict:
        revealed = {name: reveal_secrets(item) for name, item in value.items()}
        same = all(item is value[name] for name, item in revealed.items())
        return value if same else revealed
    if type(value) is list:
        items = [reveal_secrets(item) for item in value]
        return value if all(map(is_, items, value)) else items
    return value
