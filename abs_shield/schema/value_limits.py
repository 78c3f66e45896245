"""Limits on the size, depth and numbers of a value, checked before validation."""

from __future__ import annotations

from collections.abc import Iterator
from math import inf, isfinite

# Real arguments have about ten levels; validators use several Python frames for each.
MAX_DEPTH = 64
MAX_NODES = 100_000  # real arguments have some hundred; more would take seconds
MAX_CHARACTERS = 1 << 20  # a mebibyte, the limit of raw JSON (docs/limits.md)
MAX_BITS = 8192  # 2,466 digits; Python refuses to format more than 4,300

# Integers of 64 bits need no further check.
_WORD = 1 << 63

Path = tuple[object, ...]
Link = tuple["Link | None", object]


def is_plain_json(value: object) -> bool:
    """Return whether a value is pure JSON (exact types, finite numbers) within every limit."""
    # 64 members of 256 and 8,192 characters are within `MAX_CHARACTERS`, so nothing is counted.
    if type(value) is not dict or len(value) > 64:
        return _is_plain_nested(value)
    for key, item in value.items():
        if type(key) is not str or len(key) > 256:
            return _is_plain_nested(value)
        kind = type(item)
        if kind is str:
            if len(item) > 8192:
                return _is_plain_nested(value)
        elif kind is int:
            if not -_WORD < item < _WORD:
                return _is_plain_nested(value)
        elif kind is float:
            if not isfinite(item):
                return False
        elif kind is not bool and item is not None:
            return _is_plain_nested(value)
    return True


def _is_plain_nested(value: object) -> bool:
    nodes, characters, level = 1, 0, [value]
    # Level by level, not recursive: this loop is the only limit on the depth of a hostile value.
    for _ in range(MAX_DEPTH + 1):
        below: list[object] = []
        for item in level:
            kind = type(item)
            if kind is str:
                characters += len(item)  # type: ignore[arg-type]
            elif kind is dict:
                if set(map(type, item)) - {str}:  # type: ignore[call-overload]
                    return False
                characters += sum(map(len, item))  # type: ignore[call-overload]
                below.extend(item.values())  # type: ignore[attr-defined]
            elif kind is list:
                below.extend(item)  # type: ignore[arg-type]
            elif not _is_plain_scalar(item):
                return False
            if nodes + len(below) > MAX_NODES:
                return False
        if characters > MAX_CHARACTERS:
            return False
        if not below:
            return True
        nodes, level = nodes + len(below), below
    return False


def _is_plain_scalar(item: object) -> bool:
    kind = type(item)
    if kind is float:
        return isfinite(item)  # type: ignore[arg-type]
    if kind is int:
        return item.bit_length() <= MAX_BITS  # type: ignore[attr-defined, no-any-return]
    return kind is bool or item is None


def is_shallow(value: object, depth: int) -> bool:
    """Return whether a value of JSON types is nested at most *depth* levels deep."""
    level = [value]
    for _ in range(depth + 1):
        level = [child for item in level for _, child in _children(item)]
        if not level:
            return True
    return False


def count_parts(value: object, most: float = inf) -> int:
    """Return the number of items and members inside a value; stop soon after *most*."""
    count, left = 0, [value]
    while left and count <= most:
        item = left.pop()
        if isinstance(item, (list, dict)):
            count += 1 + len(item)
            if count <= most:
                left += item.values() if isinstance(item, dict) else item
    return count


def exceeded_limits(value: object) -> Iterator[tuple[str, Path]]:
    """Yield each exceeded limit as a code and a path; stop at the first depth or size limit."""
    nodes, characters = 1, 0
    level: list[tuple[object, Link | None]] = [(value, None)]
    for _ in range(MAX_DEPTH + 1):
        below: list[tuple[object, Link | None]] = []
        for item, link in level:
            characters += _characters(item)
            if (
                nodes + len(below) + _count_children(item) > MAX_NODES
                or characters > MAX_CHARACTERS
            ):
                yield "too_large", ()
                return
            below += [(child, (link, name)) for name, child in _children(item)]
            if (code := _limit_code(item)) is not None:
                yield code, _path(link)
        if not below:
            return
        nodes, level = nodes + len(below), below
    yield "too_deep", _path(level[0][1])


def find_path(value: object, wanted: object) -> Path:
    """Return the path of one identical object inside a value that is within the limits."""
    level: list[tuple[object, Link | None]] = [(value, None)]
    while level:
        for item, link in level:
            if item is wanted:
                return _path(link)
        level = [(c, (link, name)) for item, link in level for name, c in _children(item)]
    return ()


def _count_children(item: object) -> int:
    return len(item) if isinstance(item, (dict, list, tuple)) else 0


def _children(item: object) -> Iterator[tuple[object, object]]:
    if isinstance(item, dict):
        yield from item.items()
    elif isinstance(item, (list, tuple)):
        yield from enumerate(item)


def _characters(item: object) -> int:
    if isinstance(item, str):
        return len(item)
    if isinstance(item, dict):
        return sum(len(key) for key in item if isinstance(key, str))
    return 0


def _limit_code(item: object) -> str | None:
    if isinstance(item, float):
        return None if isfinite(item) else "not_finite"
    if isinstance(item, int):
        return "too_large" if item.bit_length() > MAX_BITS else None
    if isinstance(item, dict) and not all(isinstance(key, str) for key in item):
        return "wrong_type"
    return None


def _path(link: Link | None) -> Path:
    parts: list[object] = []
    while link is not None:
        link, name = link
        parts.append(name)
    return tuple(reversed(parts))
