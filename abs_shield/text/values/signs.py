"""The sign of a number as it stands in a text: the values that are read leave it out."""

from __future__ import annotations

import re

from abs_shield.text.values.figure import SUMS, Figure

_BEFORE = re.compile(r"(?:(?<![\w)\]])-\s?|\b(?:minus|negative)\s)[$\u20ac\u00a3\u00a5]?$")
_INSIDE = re.compile(r"^[^\d-]{0,4}-\s?[$\u20ac\u00a3\u00a5]?\s?\d")
_REACH = 12


def is_negative(plain: str, figure: Figure) -> bool:
    """
    Return whether a number has a minus sign, or the word for one, before it.

    Args:
        plain: The text in its normal form, of which *figure* was read.
        figure: One of its figures.

    >>> from abs_shield.text.values.reader import figures
    >>> texts = ("-5", "it fell to minus 5 degrees", "$-3.1 billion", "pages 5-7", "a non-5 value")
    >>> [is_negative(text, figures(text)[-1]) for text in texts]
    [True, True, True, False, False]
    """
    if figure.kind not in SUMS:
        return False
    before = plain[max(0, figure.start - _REACH) : figure.start]
    return _INSIDE.search(figure.text) is not None or _BEFORE.search(before) is not None
