"""Render JSON values as Python literals, as a formatter would."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from keyword import iskeyword
from math import isfinite
from typing import Any

from abs_shield.text.safe_display import escaped

WIDTH = 88
"""Columns for a value on one line; longer ones get a line for each item."""
_LONGEST_LINE = 100
"""Columns from which a text is split, as many as linters usually allow."""
_STEP = 4  # indentation of a formatter
_MOST_DIGITS = 300  # beyond, hexadecimal: Python reads no decimal of more than 4,300
_NARROWEST = 20  # deep nesting leaves no columns, and a text cannot be split into letters
_LONGEST_NAME = 60  # long enough to be understood; a linter limits the line
_PRINTED = frozenset("LMNPS")  # letters, marks, numbers, punctuation, symbols: printed as they are
_NOT_A_WORD = re.compile(r"[^a-z0-9]+")
_BLANK = re.compile(r"(?<= )")


def literal(value: Any, *, indent: int = 0, used: int = 0, after: int = 1) -> str:
    """
    Return the source of *value*; a value that is not JSON becomes its text.

    Args:
        indent: Indentation of the line on which it begins.
        used: Columns of that line that are used, including the indentation.
        after: Columns after it on its last line: a comma, a bracket.

    >>> literal({"a": [1, True, None], "b": 'say "x"'})
    '{"a": [1, True, None], "b": \\'say "x"\\'}'
    """
    short = flat(value)
    # a text may be longer than other values, as a formatter does not split it
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
    return list_source(_items(value, indent + _STEP), *_brackets(value), indent=indent)


def flat(value: Any) -> str:
    """Return the source of *value* on one line, of any length."""
    if isinstance(value, bool) or value is None:
        return repr(value)
    if isinstance(value, int):
        return _whole(value)
    if isinstance(value, float):
        # the form of a formatter
        return repr(value).replace("e+", "e") if isfinite(value) else f'float("{value}")'
    if isinstance(value, Mapping):
        inside = (f"{_quote(str(key))}: {flat(held)}" for key, held in value.items())
        return f"{{{', '.join(inside)}}}"
    if isinstance(value, (list, tuple)):
        opening, closing = _brackets(value)
        only = "," if isinstance(value, tuple) and len(value) == 1 else ""
        return f"{opening}{', '.join(map(flat, value))}{only}{closing}"
    return _quote(str(value))


def list_source(items: Iterable[str], opening: str, closing: str, *, indent: int) -> str:
    """Return a bracketed list of sources, one per line, with trailing commas."""
    pad = " " * (indent + _STEP)
    lines = "".join(f"{pad}{item},\n" for item in items)
    return f"{opening}\n{lines}{' ' * indent}{closing}"


def comment(text: str, *, indent: int = 0) -> Iterator[str]:
    """
    Return *text* as comment lines, which cannot end early or be a directive.

    >>> [*comment("seen: `a # noqa\\n`")]
    ['# seen: `a \\\\x23 noqa\\\\n`']
    """
    pad = " " * indent
    # a hash could begin a directive such as `noqa`
    escaped_text = escaped(text, limit=2_000).replace("#", r"\x23")
    for line in _wrap(escaped_text, _LONGEST_LINE - indent - 2):
        yield f"{pad}# {line}".rstrip()


def comment_lines(source: str, *, indent: int = 0) -> Iterator[str]:
    """Return lines of generated source as comments; each ``#`` is escaped."""
    for line in source.splitlines():
        held = line.replace("#", r"\x23")  # as in `comment`
        yield f"{' ' * indent}# {held}".rstrip()


def name_for(*words: str, taken: set[str]) -> str:
    """
    Return a function name made of *words* that is not in *taken*, and add it there.

    >>> taken: set[str] = set()
    >>> name_for("Cabin Class", "book!", taken=taken), name_for("cabin", "class_book", taken=taken)
    ('cabin_class_book', 'cabin_class_book_2')
    """
    stem = _NOT_A_WORD.sub("_", "_".join(words).casefold())[:_LONGEST_NAME].strip("_")
    # an identifier cannot begin with a digit
    plain = stem if stem.isidentifier() and not iskeyword(stem) else f"value_{stem}".strip("_")
    name, n = plain, 1
    while name in taken:
        n += 1
        name = f"{plain}_{n}"
    taken.add(name)
    return name


def _whole(value: int) -> str:
    """Return the source of an integer: decimal, or hexadecimal if it is huge."""
    short = value.bit_length() < 3 * _MOST_DIGITS
    return repr(value) if short else f"{'-' if value < 0 else ''}0x{abs(value):X}"


def _items(value: Any, indent: int) -> Iterator[str]:
    if not isinstance(value, Mapping):
        yield from (literal(item, indent=indent, used=indent) for item in value)
        return
    for key, held in value.items():
        name = f"{_quote(str(key))}: "
        yield name + literal(held, indent=indent, used=indent + _columns(name))


def _brackets(value: Any) -> tuple[str, str]:
    if isinstance(value, Mapping):
        return "{", "}"
    return ("(", ")") if isinstance(value, tuple) else ("[", "]")


def _in_parts(text: str, indent: int, short: str) -> str:
    """Return a long text as several literals that Python joins; unchanged if it cannot be split."""
    parts = [*_pieces(text, WIDTH - indent - _STEP)]
    if len(parts) < 2 or indent + _STEP + _columns(short) <= _LONGEST_LINE:
        return short  # it fits on a line of its own, and a formatter would join it
    pad = " " * (indent + _STEP)
    lines = "".join(f"{pad}{_quote(part)}\n" for part in parts)
    return f"(\n{lines}{' ' * indent})"


def _pieces(text: str, width: int) -> Iterator[str]:
    held = ""
    for word in _BLANK.split(text):
        if held and _columns(_quote(held + word)) > max(width, _NARROWEST):
            yield held
            held = ""
        held += word
    yield held


def _quote(text: str) -> str:
    quote = "'" if text.count('"') > text.count("'") else '"'  # the quote that needs fewer escapes
    return f"{quote}{''.join(_character(c, quote) for c in text)}{quote}"


def _character(character: str, quote: str) -> str:
    if character == quote or character == "\\":
        return f"\\{character}"
    if character.isascii():
        if character.isprintable():
            return character
    elif unicodedata.category(character)[0] in _PRINTED:
        return character
    # invisible or unassigned: a reader must not be deceived
    return character.encode("unicode_escape").decode("ascii")


def _columns(text: str) -> int:
    """Return the width of a text: two columns for a wide character, none for an accent."""
    return len(text) if text.isascii() else sum(map(_column, text))


def _column(character: str) -> int:
    if unicodedata.east_asian_width(character) in ("W", "F"):
        return 2
    return 0 if unicodedata.category(character) in ("Mn", "Me") else 1


def _wrap(text: str, width: int) -> Iterator[str]:
    line = ""
    for word in text.split(" "):
        if line and len(line) + 1 + len(word) > width:
            yield line
            line = ""
        line = f"{line} {word}" if line else word
    yield line
