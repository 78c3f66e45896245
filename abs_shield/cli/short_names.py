"""Long names, shortened in the middle to fit a table, and kept distinct."""

from __future__ import annotations

from collections.abc import Iterable

from rich.text import Text

from abs_shield.cli.console import safe
from abs_shield.text.safe_display import LONGEST_NAME

SHORTEST = 20  # less does not show both ends of a name
"""Minimum width of a shortened name, in characters."""


def short_names(names: Iterable[str], width: int) -> dict[str, Text]:
    """
    Return each name as a text of at most *width* characters.

    Names of services have a common beginning (``mcp__github__...``), so the middle is left out;
    if two shortened names are equal, the gap of the second has a number.

    Args:
        names: The names, which a model may have written.
        width: Characters, at least `SHORTEST`.

    >>> names = ["mcp__github__create_pull_request", "mcp__github__delete_pull_request", "refund"]
    >>> [text.plain for text in short_names(names, 24).values()]
    ['mcp__github...ll_request', 'mcp__githu..2..l_request', 'refund']
    """
    shown: dict[str, Text] = {}
    taken: set[str] = set()
    for name in names:
        if name in shown:
            continue
        whole = safe(name, limit=LONGEST_NAME)
        text, number = _shorten(whole, width, "..."), 2
        # two tools with one name in a table would be indistinguishable
        while text.plain in taken:
            text = _shorten(whole, width, f"..{number}..")
            number += 1
        taken.add(text.plain)
        shown[name] = text
    return shown


def _shorten(text: Text, width: int, gap: str) -> Text:
    if text.cell_len <= width:
        return text if gap == "..." else Text(f"{text.plain[: width - len(gap)]}{gap}")
    room = max(width, SHORTEST) - len(gap)
    head, tail = text.copy(), text.plain
    head.truncate((room + 1) // 2)
    # in cells of the terminal: a Chinese character takes two
    while Text(tail).cell_len > room // 2:
        tail = tail[1:]
    return Text(f"{head.plain}{gap}{tail}")
