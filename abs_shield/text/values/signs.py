"""Signs of numbers, which the values of figures leave out."""

from __future__ import annotations

import re

from abs_shield.text.values.figure import SUMS, Figure

_BEFORE = re.compile(
    r"(?:(?<![\w.,)\]])[-\u2212]|\b(?:minus|negative)\s)[$\u20ac\u00a3\u00a5]?$", re.IGNORECASE
)
_INSIDE = re.compile(r"^[^\d\u2212-]{0,4}[-\u2212]\s?[$\u20ac\u00a3\u00a5]?\s?\d")
_REACH = 12  # characters: "negative " and a sign of a currency


def minus_before(plain: str, figure: Figure) -> int | None:
    """
    Return the position of the minus sign of a number, or of the word for it; else None.

    Args:
        plain: The normal form of the text that *figure* was extracted from.
        figure: One of its figures.
    """
    if figure.kind not in SUMS:
        return None
    if _INSIDE.search(figure.text) is not None:
        return figure.start
    start = max(0, figure.start - _REACH)
    before = _BEFORE.search(plain[start : figure.start])
    return None if before is None else start + before.start()


def is_negative(plain: str, figure: Figure) -> bool:
    """
    Return whether a number has a minus sign, or the word for it, before it.

    >>> from abs_shield.text.values.figure_reader import figures
    >>> texts = ("-5", "it fell to minus 5 degrees", "$-3.1 billion", "pages 5-7", "- $14.99")
    >>> [is_negative(text, figures(text)[-1]) for text in texts]
    [True, True, True, False, False]
    """
    return minus_before(plain, figure) is not None
