"""Reads a call's arguments as strictly as JSON is written, within bounds, and copies them."""

from __future__ import annotations

import json
from collections import OrderedDict, defaultdict
from collections.abc import Mapping
from itertools import compress
from math import isfinite
from operator import length_hint
from typing import Any, NamedTuple

# Honest arguments nest a few levels; Python's own recursion ends at 1,000 calls.
DEPTH = 64
"""Deepest nesting of arguments that is judged."""
# A whole file fits; judging hostile input of this size takes up to a second (docs/limits.md).
SIZE = 1 << 20
"""Largest raw JSON string that is read, in bytes of UTF-8."""
_DIGITS = 4_000  # Python refuses to convert more than 4,300, with an error that says less


class Malformed(NamedTuple):
    """Why arguments could not be read: a stable code, one line, and a hint."""

    code: str
    detail: str
    hint: str = ""


class _Refused(ValueError):
    def __init__(self, malformed: Malformed) -> None:
        super().__init__(malformed.detail)
        self.malformed = malformed


# These very types: a subclass may show the check one value and the tool another.
_PLAIN = frozenset({str, int, float, bool, type(None)})
_STRING = frozenset({str})
_NUMBERS = frozenset({int, float})
_WORD = 1 << 63  # a number of up to 64 bits needs no look at its size
_MOST_NAMES = 64  # a tool's call has a few; for more, the short way would be a long one


def plain_size(arguments: dict[str, Any], *, names: int = -1) -> int:
    """
    Return the characters of arguments that are a few plain scalars, as those of most calls are.

    Args:
        arguments: The arguments, by name.
        names: Characters of their names, where these are known to be a few strings.

    Returns:
        -1 where anything needs a closer look: containers, other types, huge or infinite numbers.

    >>> plain_size({"id": "tx_1", "amount": 2.5}), plain_size({"ids": ["tx_1"]})
    (12, -1)
    """
    if names < 0:
        if len(arguments) > _MOST_NAMES or not _STRING.issuperset(map(type, arguments)):
            return -1
        names = len("".join(arguments))
    kinds = [*map(type, arguments.values())]
    if not _STRING.issuperset(kinds):
        if not _PLAIN.issuperset(kinds):
            return -1
        for number in compress(arguments.values(), map(_NUMBERS.__contains__, kinds)):
            if not -_WORD < number < _WORD:  # nor is NaN
                return -1
    # `length_hint` is 0 for a number, where `len` raises.
    size = names + sum(map(length_hint, arguments.values()))
    return size if size <= SIZE else -1


def read_arguments(raw: Any) -> dict[str, Any] | Malformed:
    """
    Return the arguments as an object, or say why they are none.

    >>> read_arguments('{"a": 1}')
    {'a': 1}
    >>> read_arguments('{"a": 1, "a": 2}').code
    'duplicate_key'
    """
    if type(raw) is dict:
        return raw
    # Models write null, or nothing at all, for a tool without parameters.
    if raw is None:
        return {}
    if isinstance(raw, (bytes, bytearray)):
        # Bytes that are not UTF-8 may not end in an exception here.
        raw = bytes(raw).decode("utf-8", "replace")
    if isinstance(raw, str):
        # `str.__str__`, as a subclass may override what is read.
        raw = _parsed(str.__str__(raw))
        if isinstance(raw, Malformed):
            return raw
    if isinstance(raw, Mapping):
        return _copied(raw)
    return Malformed(
        "wrong_type", f"arguments are {_kind(raw)}, not an object", "send one JSON object"
    )


def same(one: Any, other: Any) -> bool:
    """Return whether two arguments are equal; what cannot be compared is not."""
    try:
        return bool(one == other)
    except Exception:  # a class of the caller's, or a nesting too deep
        return False


def _copied(raw: Mapping[str, Any]) -> dict[str, Any] | Malformed:
    try:
        return dict(raw)
    except Exception as error:  # a class of the caller's may break when it is read
        detail = f"arguments are {_kind(raw)} that cannot be read: {type(error).__name__}"
        return Malformed("wrong_type", detail, "send one JSON object")


def _parsed(raw: str) -> Any:
    if not raw.strip():
        return {}
    # Characters first: encoding a huge text would cost what the bound is there to save.
    if len(raw) > SIZE or len(raw.encode("utf-8", "surrogatepass")) > SIZE:
        return Malformed("too_large", f"arguments are larger than {SIZE} bytes", "send less")
    # Before it is parsed, as the parser recurses as deep as the text is nested.
    if _depth(raw) > DEPTH:
        return Malformed("too_deep", f"arguments are nested deeper than {DEPTH}", "nest less")
    try:
        return json.loads(
            raw,
            parse_constant=_no_constant,
            object_pairs_hook=_unique,
            parse_int=_integer,
            parse_float=_finite,
        )
    except _Refused as refused:
        return refused.malformed
    except (ValueError, RecursionError) as error:
        place = f" at character {error.pos}" if isinstance(error, json.JSONDecodeError) else ""
        return Malformed(
            "malformed_json", f"arguments are not JSON{place}", "send one complete JSON object"
        )


def _no_constant(name: str) -> Any:
    raise _Refused(Malformed("not_finite", f"arguments hold {name}", "numbers must be finite"))


def _finite(digits: str) -> float:
    number = float(digits)  # 1e999 is read as infinity
    return number if isfinite(number) else _no_constant("a number too large")


def _integer(digits: str) -> int:
    if len(digits) > _DIGITS:
        detail = f"arguments hold a number of {len(digits)} digits"
        raise _Refused(Malformed("too_large", detail, "send a shorter number"))
    return int(digits)


# Parsers differ in which of two equal keys they take: the tool could get the unjudged one.
def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) != len(pairs):
        hint = "name every argument once"
        raise _Refused(Malformed("duplicate_key", "arguments name a key twice", hint))
    return members


def _depth(raw: str) -> int:
    """Nesting by brackets outside strings; exact for JSON, and linear for anything."""
    # Nearly all texts: too few brackets to be nested deeply, without a walk through the characters.
    if raw.count("[") + raw.count("{") <= DEPTH:
        return 0
    depth = deepest = 0
    inside = escape = False
    for character in raw:
        if inside:
            inside = escape or character != '"'
            escape = not escape and character == "\\"
        elif character == '"':
            inside = True
        elif character in "[{":
            depth += 1
            deepest = max(deepest, depth)
        elif character in "]}":
            depth -= 1
    return deepest


def _kind(value: object) -> str:
    return {list: "a list", str: "a string", bool: "a boolean", int: "a number"}.get(
        type(value), f"a {type(value).__name__}"
    )


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
