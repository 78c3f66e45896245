r"""Quoted YAML scalars that continue over several lines, with their folds and escapes decoded."""

from __future__ import annotations

import re
from collections.abc import Iterator

_SCALAR = re.compile(
    # the key is a name, so that a sentence with a colon is none
    r"^(?P<indent>[ ]*)(?=[\w-])(?:-[ ]+)*(?:\w[\w.@/+-]*+(?:[ ][\w.@/+-]++){0,5}:[ ]+)?"
    # possessive: an unclosed quote is read once
    r"(?:\"(?P<double>(?:[^\"\\]++|\\.)*)\"|'(?P<single>(?:[^']++|'')*)')(?!['\"])[ ]*$",
    re.MULTILINE | re.DOTALL,
)
_LINES = r"(?<![ \t])[ \t]*+(?P<lines>(?:\n[ \t]*+)+)"
_SINGLE = re.compile(rf"{_LINES}|(?P<quote>'')")
_DOUBLE = re.compile(
    rf"\\(?P<fold>\n[ \t]*+)|{_LINES}"
    r"|\\(?:x(?P<x>[0-9a-fA-F]{2})|u(?P<u>[0-9a-fA-F]{4})|U(?P<U>[0-9a-fA-F]{8})|(?P<one>.))",
    re.DOTALL,
)
_ESCAPES = {
    "n": "\n", "t": "\t", "r": "\r", "N": "\n", "L": "\n", "P": "\n", "_": "\u00a0",
    **{char: char for char in "\"\\/' "},
}  # fmt: skip
_PLAIN = {"quote": "'", "fold": ""}
_BLANK = re.compile(r"\s")
_STARTS = (': "', ": '", '- "', "- '")


def decode_folded_scalars(text: str, *, in_place: bool = False) -> str:
    r"""
    Return *text* with the quoted YAML scalars of several lines decoded, in linear time.

    A writer of YAML breaks a long line of a quoted text. The line breaks of such a scalar become
    blanks again, and its escapes characters. Other text is unchanged, and so are scalars of one
    line, since a backslash in them may be a part of a path.

    Args:
        text: The text.
        in_place: Whether each word stays at its offset: blanks fill the place of what is removed.

    >>> decode_folded_scalars('plan: "June 13: Hiking\\\n    \\ at Diamond Head\\nJune 14: rest"')
    'plan: "June 13: Hiking at Diamond Head\nJune 14: rest"'
    >>> decode_folded_scalars("to: 'Ann''s\n  team'", in_place=True)
    "to: 'Ann's    team'"
    """
    if "\n" not in text or not any(start in text for start in _STARTS):
        return text
    return _SCALAR.sub(lambda scalar: _decode(scalar, in_place=in_place), text)


def _decode(scalar: re.Match[str], *, in_place: bool) -> str:
    kind = "single" if scalar["double"] is None else "double"
    body, (start, end) = scalar[kind], scalar.span(kind)
    _, *lines = body.split("\n")
    indent = scalar["indent"] + " "
    is_value = scalar.start(kind) - 1 > scalar.end("indent")
    # a continued line is deeper than its key, which quotes of prose are not
    if not (is_value and lines) or any(one.strip() and not one.startswith(indent) for one in lines):
        return scalar[0]
    pattern = _SINGLE if kind == "single" else _DOUBLE
    decoded, missing = (
        _padded(_pieces(body, pattern)) if in_place else (pattern.sub(_decoded, body), 0)
    )
    before, behind = scalar[0][: start - scalar.start()], scalar[0][end - scalar.start() :]
    return f"{before}{decoded}{behind}{' ' * missing}"


def _pieces(body: str, pattern: re.Pattern[str]) -> Iterator[tuple[str, int]]:
    """Yield each decoded piece of a scalar with its length in the text."""
    behind = 0
    for match in pattern.finditer(body):
        yield body[behind : match.start()], match.start() - behind
        yield _decoded(match), len(match[0])
        behind = match.end()
    yield body[behind:], len(body) - behind


def _decoded(match: re.Match[str]) -> str:
    kind = match.lastgroup or ""
    if kind == "lines":
        # the first line break is the fold, and stands for a blank if it is the only one
        return "\n" * (match[kind].count("\n") - 1) or " "
    if kind in _PLAIN:
        return _PLAIN[kind]
    if kind == "one":
        return _ESCAPES.get(match[kind], match[0])
    number = int(match[kind], 16)
    # half of a pair of surrogates is no character
    is_character = number < 0x110000 and not 0xD800 <= number < 0xE000
    return chr(number) if is_character else match[0]


def _padded(pieces: Iterator[tuple[str, int]]) -> tuple[str, int]:
    """
    Return decoded pieces with blanks between words for what was removed.

    Returns:
        The text, and the number of blanks that are still missing behind its last word.
    """
    parts: list[str] = []
    missing = 0
    for text, length in pieces:
        if missing and (blank := _BLANK.search(text)) and length == len(text):
            parts += [text[: blank.end()], " " * missing, text[blank.end() :]]
            missing = 0
        elif text:
            parts.append(text)
        missing += length - len(text)
        # after a blank or a line break they split no word
        if missing and parts and parts[-1][-1:].isspace():
            parts.append(" " * missing)
            missing = 0
    return "".join(parts), missing
