"""The scalars inside a JSON value, each with the names on its way."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any

from abs_shield.text.opaque import Named, Unread

Path = tuple[str | int, ...]

DEEPEST = 64
MOST = 50_000
_MOST_JSON = 64 * 1024


def leaves(value: Any, *, most: int = MOST) -> Iterator[tuple[Path, Any]]:
    """
    Give each scalar with its path, in order; at most *most* of them, at most 64 levels deep.

    >>> list(leaves({"to": ["a@x.org"], "n": 2}))
    [(('to', 0), 'a@x.org'), (('n',), 2)]
    """
    left: list[tuple[Path, Any]] = [((), value)]
    given = 0
    while left and given < most:
        path, item = left.pop()
        if isinstance(item, Mapping):
            some = islice(item.items(), most - given)
            inside = [((*path, str(key)), inner) for key, inner in some]
        elif isinstance(item, (list, tuple)) and not isinstance(item, Unread):
            inside = [((*path, n), inner) for n, inner in enumerate(item[: most - given])]
        else:
            given += 1
            yield path, item
            continue
        if len(path) < DEEPEST:
            left.extend(reversed(inside))


def items(value: Any) -> Iterator[Any]:
    """
    Give the items of a list, or the value itself.

    >>> list(items(["a", "b"])), list(items("a"))
    (['a', 'b'], ['a'])
    """
    return iter(value if isinstance(value, (list, tuple)) else (value,))


def texts(value: Any) -> Iterator[str]:
    """
    Give a text, or the texts among the items of a list.

    >>> list(texts(["a", 5, None])), list(texts("a")), list(texts(5))
    (['a'], ['a'], [])
    """
    return (item for item in items(value) if isinstance(item, str))


def name_of(path: Path) -> str:
    """
    Give the innermost name of a path; empty where there is none.

    >>> name_of(("to", 0)), name_of(("user", "id"))
    ('to', 'id')
    """
    return next((step for step in reversed(path) if isinstance(step, str)), "")


def pointer(path: Path) -> str:
    """
    Give a path as a JSON pointer.

    >>> pointer(("a/b", 0))
    '/a~1b/0'
    """
    return "".join("/" + str(step).replace("~", "~0").replace("/", "~1") for step in path)


def opened(text: str) -> Any:
    """
    Give the object or list that a string holds as JSON; None where it holds none.

    >>> opened('{"id": 7}'), opened("7")
    ({'id': 7}, None)
    """
    if text.lstrip()[:1] not in ("{", "[") or len(text) < 2:
        return None
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, (dict, list)) else None


def data_of(value: Any) -> Any:
    """
    Return a result, or what it holds as JSON where it is a text of at most 64 KiB.

    >>> data_of('{"id": 7}'), data_of("7"), data_of(7)
    ({'id': 7}, '7', 7)
    """
    inside = opened(value) if isinstance(value, str) and len(value) <= _MOST_JSON else None
    return value if inside is None else inside


def scalar_text(value: Any) -> str | None:
    """
    Give a string or a number as text; None for booleans, null and anything else.

    >>> scalar_text(7.0), scalar_text(True), scalar_text("x")
    ('7.0', None, 'x')
    """
    if isinstance(value, str):
        return None if isinstance(value, Named) else value
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    if isinstance(value, int) and value.bit_length() > 4096:
        return None
    return repr(value)


def parent_of(path: Path, arguments: Mapping[str, Any]) -> Any:
    """Return the object that holds the leaf at *path*; None where a name of it is no string."""
    here: Any = arguments
    for step in path[:-1]:
        if isinstance(step, int):
            here = here[step] if isinstance(here, (list, tuple)) else None
        else:
            here = here.get(step) if isinstance(here, Mapping) else None
    return here
