"""Any JSON value as a Python literal, laid out as a formatter would leave it."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from keyword import iskeyword
from math import isfinite
from typing import Any

from abs_shield.text.show import escaped

WIDTH = 88
"""Columns in which a value stays on one line; wider ones get a line an item."""
_LONGEST_LINE = 100
"""Columns from which a text is written in parts."""
_STEP = 4
_MOST_DIGITS = 300
_NARROWEST = 20
_LONGEST_NAME = 60
_PRINTED = frozenset("LMNPS")
_NOT_A_WORD = re.compile(r"[^a-z0-9]+")
_BLANK = re.compile(r"(?<= )")


def literal(value: Any, *, indent: int = 0, used: int = 0, after: int = 1) -> str:
    """
    Return the source of *value*; whatever is no JSON is its text.

    Args:
        indent: Columns before the line on which it begins.
        used: Columns of that line which are taken, indentation included.
        after: Columns that follow it on its last line: a comma, a bracket.

    >>> literal({"a": [1, True, None], "b": 'say "x"'})
    '{"a": [1, True, None], "b": \\'say "x"\\'}'
    """
    short = flat(value)
    if isinstance(value, str):
        fits = used + _columns(short) + after <= _LONGEST_LINE
        return short if fits else _in_parts(value, indent, short)
    if used + _columns(short) + after <= WIDTH:
        return short
    if isinstance(value, float) and not isfinite(value):
        pad = " " * indent
        return f'float(\n{pad}{" " * _STEP}"{value}"\n{pad})'
    if not isinstance(value, (Mapping, list, tuple)) or not value:
        return short
    return exploded(_items(value, indent + _STEP), *_brackets(value), indent=indent)


def flat(value: Any) -> str:
    """Return the source of *value* on one line, however long."""
    if isinstance(value, bool) or value is None:
        return repr(value)
    if isinstance(value, int):
        return _whole(value)
    if isinstance(value, float):
        return repr(value).replace("e+", "e") if isfinite(value) else f'float("{value}")'
    if isinstance(value, Mapping):
        inside = (f"{_quoted(str(key))}: {flat(held)}" for key, held in value.items())
        return f"{{{', '.join(inside)}}}"
    if isinstance(value, (list, tuple)):
        opening, closing = _brackets(value)
        only = "," if isinstance(value, tuple) and len(value) == 1 else ""
        return f"{opening}{', '.join(map(flat, value))}{only}{closing}"
    return _quoted(str(value))


def exploded(items: Iterable[str], opening: str, closing: str, *, indent: int) -> str:
    """Return a bracketed list of sources, a line each, with the comma that keeps them apart."""
    pad = " " * (indent + _STEP)
    lines = "".join(f"{pad}{item},\n" for item in items)
    return f"{opening}\n{lines}{' ' * indent}{closing}"


def comment(text: str, *, indent: int = 0) -> Iterator[str]:
    """
    Give *text* as lines of comment, none of which can end early or be a directive.

    >>> [*comment("seen: `a # noqa\\n`")]
    ['# seen: `a \\\\x23 noqa\\\\n`']
    """
    pad = " " * indent
    said = escaped(text, limit=2_000).replace("#", r"\x23")
    for line in _wrapped(said, _LONGEST_LINE - indent - 2):
        yield f"{pad}# {line}".rstrip()


def commented(source: str, *, indent: int = 0) -> Iterator[str]:
    """Return lines of our own source as comments; a ``#`` can only stand in a text of it."""
    for line in source.splitlines():
        held = line.replace("#", r"\x23")
        yield f"{' ' * indent}# {held}".rstrip()


def name_for(*words: str, taken: set[str]) -> str:
    """
    Return a function's name made of *words*, whatever they hold; it is *taken* from now on.

    >>> taken: set[str] = set()
    >>> name_for("Cabin Class", "book!", taken=taken), name_for("cabin", "class_book", taken=taken)
    ('cabin_class_book', 'cabin_class_book_2')
    """
    said = _NOT_A_WORD.sub("_", "_".join(words).casefold())[:_LONGEST_NAME].strip("_")
    plain = said if said.isidentifier() and not iskeyword(said) else f"value_{said}".strip("_")
    made, n = plain, 1
    while made in taken:
        n += 1
        made = f"{plain}_{n}"
    taken.add(made)
    return made


def _whole(value: int) -> str:
    """Decimal digits; of a huge number hexadecimal ones, which any reader of Python takes."""
    short = value.bit_length() < 3 * _MOST_DIGITS
    return repr(value) if short else f"{'-' if value < 0 else ''}0x{abs(value):X}"


def _items(value: Any, indent: int) -> Iterator[str]:
    if not isinstance(value, Mapping):
        yield from (literal(item, indent=indent, used=indent) for item in value)
        return
    for key, held in value.items():
        name = f"{_quoted(str(key))}: "
        yield name + literal(held, indent=indent, used=indent + _columns(name))


def _brackets(value: Any) -> tuple[str, str]:
    if isinstance(value, Mapping):
        return "{", "}"
    return ("(", ")") if isinstance(value, tuple) else ("[", "]")


def _in_parts(text: str, indent: int, short: str) -> str:
    """A long text as several that Python joins; as it is where it has no place to break."""
    parts = [*_pieces(text, WIDTH - indent - _STEP)]
    if len(parts) < 2 or indent + _STEP + _columns(short) <= _LONGEST_LINE:
        return short  # one line of its own would hold it, and a formatter joins what fits
    pad = " " * (indent + _STEP)
    lines = "".join(f"{pad}{_quoted(part)}\n" for part in parts)
    return f"(\n{lines}{' ' * indent})"


def _pieces(text: str, width: int) -> Iterator[str]:
    held = ""
    for word in _BLANK.split(text):
        if held and _columns(_quoted(held + word)) > max(width, _NARROWEST):
            yield held
            held = ""
        held += word
    yield held


def _quoted(text: str) -> str:
    quote = "'" if text.count('"') > text.count("'") else '"'
    return f"{quote}{''.join(_character(c, quote) for c in text)}{quote}"


def _character(character: str, quote: str) -> str:
    if character == quote or character == "\\":
        return f"\\{character}"
    if character.isascii():
        if character.isprintable():
            return character
    elif unicodedata.category(character)[0] in _PRINTED:
        return character
    return character.encode("unicode_escape").decode("ascii")


def _columns(text: str) -> int:
    """Columns that a text takes on a screen: two for a wide character, none for an accent."""
    return len(text) if text.isascii() else sum(map(_column, text))


def _column(character: str) -> int:
    if unicodedata.east_asian_width(character) in ("W", "F"):
        return 2
    return 0 if unicodedata.category(character) in ("Mn", "Me") else 1


def _wrapped(text: str, width: int) -> Iterator[str]:
    line = ""
    for word in text.split(" "):
        if line and len(line) + 1 + len(word) > width:
            yield line
            line = ""
        line = f"{line} {word}" if line else word
    yield line
