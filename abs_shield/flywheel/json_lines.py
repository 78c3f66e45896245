"""JSON lines, split only at line feeds: JSON strings may contain other line breaks."""

from __future__ import annotations

from collections.abc import Iterator


def numbered_lines(text: str) -> Iterator[tuple[int, str]]:
    r"""
    Yield the non-blank lines of a text, each with its number from 1.

    >>> [*numbered_lines("a\u2028b\n\n c\r\n")]
    [(1, 'a\u2028b'), (3, 'c')]
    """
    for number, line in enumerate(text.split("\n"), 1):
        if stripped := line.strip(" \t\r"):
            yield number, stripped
