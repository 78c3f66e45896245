"""What a result says: scalars with the field they stand under, and running text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from abs_shield.session.results import UNREADABLE, as_json
from abs_shield.text.fields import labelled
from abs_shield.text.leaves import DEEPEST, MOST, Path, name_of, opened, scalar_text

LONGEST_SCALAR = 64
"""Characters of a string that still is a value; a longer one is running text."""
_MOST_WORDS = 6
_ESCAPE = re.compile(r"\\u([0-9a-fA-F]{4})|\\x([0-9a-fA-F]{2})")


@dataclass(slots=True)
class Told:
    """
    What one result says.

    Attributes:
        scalars: Field and text of each short value, keys of objects included.
        prose: Running text.
        cut: Whether something was too long to be read whole.
    """

    scalars: list[tuple[str, str]] = field(default_factory=list)
    prose: list[str] = field(default_factory=list)
    cut: bool = False


def read_result(value: Any, *, most: int) -> Told:
    """Read a result, JSON inside strings included, up to *most* characters."""
    told = Told()
    left: list[tuple[str, Any]] = [("", value)]
    size = 0
    while left:
        field, item = left.pop()
        for path, leaf in _with_keys(item, told):
            text = scalar_text(leaf)
            if not text:
                continue
            size += len(text)
            if size > most:
                told.cut = True
                return told
            inner = opened(text)
            if inner is not None:
                left.append((name_of(path) or field, inner))
            else:
                _take(told, name_of(path) or field, text)
    return told


def _take(told: Told, field: str, text: str) -> None:
    if len(text) <= LONGEST_SCALAR and text.count(" ") < _MOST_WORDS and "\n" not in text:
        told.scalars.append((field, text))
        return
    text = _unescaped(text)
    told.prose.append(text)
    told.scalars.extend(labelled(text))


def _with_keys(value: Any, told: Told) -> Iterator[tuple[Path, Any]]:
    """Leaves, and the keys of objects under the name that holds the object: ids are often keys."""
    left: list[tuple[Path, Any]] = [((), value)]
    given = 0
    while left:
        path, item = left.pop()
        item = as_json(item)
        given += 1
        if given > MOST or len(left) > MOST or item is UNREADABLE:
            told.cut = True
            if item is not UNREADABLE:
                return
        elif not isinstance(item, (Mapping, list, tuple)):
            yield path, item
        elif len(path) >= DEEPEST:
            told.cut = told.cut or bool(item)
        elif isinstance(item, Mapping):
            inside = list(islice(item.items(), MOST))
            yield from ((path, key) for key, _ in inside if isinstance(key, (str, int)))
            left.extend(((*path, str(key)), inner) for key, inner in reversed(inside))
        else:
            left.extend(((*path, n), inner) for n, inner in reversed([*enumerate(item[:MOST])]))


def _unescaped(text: str) -> str:
    r"""Running text with ``\u00e9`` and ``\xe9`` decoded."""
    if "\\u" not in text and "\\x" not in text:
        return text
    return _ESCAPE.sub(lambda found: chr(int(found[1] or found[2], 16)), text)
