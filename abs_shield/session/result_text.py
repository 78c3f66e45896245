"""The text of a result: scalars with their fields, and prose."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from abs_shield.session.result_json import UNREADABLE, LevelReader, own_text
from abs_shield.text.json_leaves import DEEPEST, MOST, parse_container, scalar_text
from abs_shield.text.labelled_values import labelled_values
from abs_shield.text.yaml_scalars import decode_folded_scalars

LONGEST_SCALAR = 64
"""Most characters of a string that counts as a value; a longer one is running text."""
_MOST_WORDS = 6  # words of a value; with more, a string of 64 characters is a sentence
_OF_JSON = frozenset({str, int, float, bool, type(None), dict, list})
_ESCAPE = re.compile(r"\\u([0-9a-fA-F]{4})|\\x([0-9a-fA-F]{2})")


@dataclass(slots=True)
class ResultText:
    """
    The text of one result.

    Attributes:
        scalars: Field and text of each short value, including keys of objects, and of the labelled
            values in running text.
        prose: The running texts.
        texts: All values, keys and running texts, without the labelled values in them.
        cut: Whether a part was too long or too deep to be read.
    """

    scalars: list[tuple[str, str]] = field(default_factory=list)
    prose: list[str] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    cut: bool = False


def read_result(value: Any, *, most: int) -> ResultText:
    """Read a result up to *most* characters, including JSON inside strings."""
    content, levels = ResultText([], [], []), LevelReader()
    left: list[tuple[str, Any]] = [("", value)]
    while left:
        outer, item = left.pop()
        for labelled_text in _texts(item, outer, content, levels):
            field, text = labelled_text
            most -= len(text)
            if most < 0:
                content.cut = True
                return content
            # most texts have no bracket, and parsing is slow
            inner = parse_container(text) if "{" in text or "[" in text else None
            if inner is not None:
                left.append((field, inner))
            elif len(text) <= LONGEST_SCALAR and text.count(" ") < _MOST_WORDS and "\n" not in text:
                content.scalars.append(labelled_text)
                content.texts.append(text)
            else:
                _add_prose(content, text)
    return content


def _add_prose(content: ResultText, text: str) -> None:
    text = _unescape(decode_folded_scalars(text))
    content.prose.append(text)
    content.texts.append(text)
    content.scalars.extend(labelled_values(text))


def _texts(
    value: Any, outer: str, content: ResultText, levels: LevelReader
) -> Iterator[tuple[str, str]]:
    """
    Yield the texts of leaves with their field; keys count as values of the object's own field.

    Keys are included, as ids are often keys. JSON's own types are compared by identity, which is
    faster, as every result is read here.
    """
    left: list[tuple[str, int, Any]] = [(outer, 0, value)]
    decoded = 0
    while left:
        name, depth, item = left.pop()
        kind = type(item)
        if kind not in _OF_JSON:
            item = _read(item, levels)
        decoded += 1
        if decoded > MOST or len(left) > MOST or item is UNREADABLE:
            content.cut = True
            if item is not UNREADABLE:
                return
        elif kind is str:
            if item:
                yield name, item
        elif not isinstance(item, (dict, list, tuple, Mapping)):
            if text := scalar_text(item):
                yield name, text
        elif depth >= DEEPEST:
            content.cut = content.cut or bool(item)
        elif isinstance(item, (dict, Mapping)):
            inside = list(islice(item.items(), MOST))
            for key, _ in inside:
                if type(key) is str:
                    if key:
                        yield name, key
                elif text := scalar_text(levels.read(key)):
                    yield name, text
            # Reversed, as the stack returns the last item first.
            left.extend([(str(key) or outer, depth + 1, inner) for key, inner in reversed(inside)])
        else:
            left.extend([(name, depth + 1, inner) for inner in reversed(item[:MOST])])


def _read(item: Any, levels: LevelReader) -> Any:
    """Return one level as JSON, or the own text of an object of an unknown class."""
    plain = levels.read(item)
    if plain is not UNREADABLE:
        return plain
    text = own_text(item)
    return UNREADABLE if text is None else text


def _unescape(text: str) -> str:
    r"""Return running text with escapes such as ``\u00e9`` and ``\xe9`` decoded."""
    if "\\u" not in text and "\\x" not in text:
        return text
    return _ESCAPE.sub(lambda match: chr(int(match[1] or match[2], 16)), text)
