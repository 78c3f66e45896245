"""Strict, bounded parsing of a call's arguments, and copies of them."""

from __future__ import annotations

import json
from collections import OrderedDict, defaultdict
from collections.abc import Mapping
from math import isfinite
from typing import Any, NamedTuple

from abs_shield.text.exact_values import have_same_booleans

# Real arguments nest a few levels; Python's own recursion limit is 1,000 calls.
DEPTH = 64
"""Maximum nesting depth of arguments that are judged."""
# Large enough for a whole file; judging hostile input of this size takes up to a second
# (docs/limits.md).
SIZE = 1 << 20
"""Maximum size of a raw JSON string, in bytes of UTF-8."""
_DIGITS = 4_000  # Python refuses to convert more than 4,300, with a less helpful error


class Malformed(NamedTuple):
    """The reason why arguments cannot be parsed: a stable code, one line, and a hint."""

    code: str
    detail: str
    hint: str = ""


class _Refused(ValueError):
    def __init__(self, malformed: Malformed) -> None:
        super().__init__(malformed.detail)
        self.malformed = malformed


_STRING = frozenset({str})
_WORD = 1 << 63  # the size of an integer of up to 64 bits need not be checked
_MOST_NAMES = 64  # most calls have a few; with more, this check would no longer be fast


def plain_size(arguments: dict[str, Any], *, names: int = -1) -> int:
    """
    Return the number of characters of arguments if they are a few plain scalars, as most are.

    Args:
        arguments: The arguments, by name.
        names: Number of characters of their names, if these are known to be a few strings.

    Returns:
        -1 if a value needs the full check: containers, other types, huge or infinite numbers.

    >>> plain_size({"id": "tx_1", "amount": 2.5}), plain_size({"ids": ["tx_1"]})
    (12, -1)
    """
    if names < 0:
        if len(arguments) > _MOST_NAMES or not _STRING.issuperset(map(type, arguments)):
            return -1
        names = len("".join(arguments))
    size = names
    for value in arguments.values():
        # Exact types: a subclass may return one value to a check and another to the tool.
        kind = type(value)
        if kind is str:
            size += len(value)
        elif kind is int or kind is float:
            if not -_WORD < value < _WORD:  # also true of NaN
                return -1
        elif kind is not bool and value is not None:
            return -1
    return size if size <= SIZE else -1


def read_arguments(raw: Any) -> dict[str, Any] | Malformed:
    """
    Return the arguments as an object, or the reason why they are not one.

    >>> read_arguments('{"a": 1}')
    {'a': 1}
    >>> read_arguments('{"a": 1, "a": 2}').code
    'duplicate_key'
    """
    if type(raw) is dict:
        return raw
    # Models send null or an empty string for a tool without parameters.
    if raw is None:
        return {}
    if isinstance(raw, (bytes, bytearray)):
        # Bytes that are not UTF-8 must not raise here.
        raw = bytes(raw).decode("utf-8", "replace")
    if isinstance(raw, str):
        # `str.__str__`, because a subclass may override `__str__`.
        raw = _parse(str.__str__(raw))
        if isinstance(raw, Malformed):
            return raw
    if isinstance(raw, Mapping):
        return _copy(raw)
    return Malformed(
        "wrong_type", f"arguments are {_kind(raw)}, not an object", "send one JSON object"
    )


def same(one: Any, other: Any) -> bool:
    """Return whether two arguments are equal as JSON; False if comparing them raises."""
    try:
        return bool(one == other) and have_same_booleans(one, other)
    except Exception:  # raised by the `__eq__` of a caller's class, or nested too deeply
        return False


def _copy(raw: Mapping[str, Any]) -> dict[str, Any] | Malformed:
    try:
        return dict(raw)
    except Exception as error:  # reading a mapping class of the caller's may raise
        detail = f"arguments are {_kind(raw)} that cannot be read: {type(error).__name__}"
        return Malformed("wrong_type", detail, "send one JSON object")


def _parse(raw: str) -> Any:
    if not raw.strip():
        return {}
    # Characters first: encoding a huge text is the very cost that the limit avoids.
    if len(raw) > SIZE or len(raw.encode("utf-8", "surrogatepass")) > SIZE:
        return Malformed("too_large", f"arguments are larger than {SIZE} bytes", "send less")
    # Checked before parsing, because the parser recurses at each level.
    if _depth(raw) > DEPTH:
        return Malformed("too_deep", f"arguments are nested deeper than {DEPTH}", "nest less")
    try:
        return _DECODER.decode(raw)
    except _Refused as refused:
        return refused.malformed
    except (ValueError, RecursionError) as error:
        place = f" at character {error.pos}" if isinstance(error, json.JSONDecodeError) else ""
        quotes = "use double quotes" if raw.lstrip().startswith("{'") else ""
        hint = quotes or "send one complete JSON object"
        return Malformed("malformed_json", f"arguments are not JSON{place}", hint)


def _reject_constant(name: str) -> Any:
    raise _Refused(Malformed("not_finite", f"arguments hold {name}", "numbers must be finite"))


def _finite(digits: str) -> float:
    number = float(digits)  # 1e999 is parsed as infinity
    return number if isfinite(number) else _reject_constant("a number too large")


def _integer(digits: str) -> int:
    if len(digits) > _DIGITS:
        detail = f"arguments hold a number of {len(digits)} digits"
        raise _Refused(Malformed("too_large", detail, "send a shorter number"))
    return int(digits)


# Parsers differ in which of two equal keys they use: the tool could receive the unjudged value.
def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) != len(pairs):
        hint = "name every argument once"
        raise _Refused(Malformed("duplicate_key", "arguments name a key twice", hint))
    return members


# Once, because `json.loads` with these arguments makes a decoder at each call.
_DECODER = json.JSONDecoder(
    parse_constant=_reject_constant,
    object_pairs_hook=_unique,
    parse_int=_integer,
    parse_float=_finite,
)


def _depth(raw: str) -> int:
    """Return the depth of brackets outside strings: exact for JSON, linear time for any text."""
    # Most texts have too few brackets to be nested deeply; counting is faster than the loop below.
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


_DEEPEST = 100  # arguments deeper than 64 levels are not judged
_MOST = 100_000
"""Limits above those of judged arguments; larger arguments only run in audit mode."""

_DICTS = frozenset({dict, OrderedDict, defaultdict})
HOLDERS = _DICTS | {list, tuple}
"""Types that are copied; a set, a stream or another object is shared."""


def copy_containers(value: Any) -> Any:
    """
    Copy the dicts and lists of a value, so that later changes to them leave the copy unchanged.

    >>> held = ["a"]
    >>> copy = copy_containers({"names": held, "kinds": ({"b"}, held)})
    >>> held.append("c")
    >>> copy["names"], copy["kinds"][1] is copy["names"]
    (['a'], True)
    """
    return _Copies().of(value, 0) if type(value) in HOLDERS else value


class _Copies:
    """Copies of the containers in one value; one that occurs twice is copied once."""

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
        # `copy` preserves the type and a defaultdict's factory. Stored before its items are
        # copied, because a list may contain itself.
        copied = self._copied[id(value)] = value.copy()
        for key, item in [*copied.items()] if kind in _DICTS else enumerate(copied):
            if type(item) in HOLDERS:
                copied[key] = self.of(item, depth + 1)
        return copied

    def _tuple(self, value: tuple[Any, ...], depth: int) -> tuple[Any, ...]:
        """Copy a tuple if it contains a container that is copied."""
        items = tuple(self.of(item, depth + 1) for item in value)
        same = all(one is other for one, other in zip(items, value, strict=True))
        return value if same else items
