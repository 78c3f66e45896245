"""Labelled values in running text: lines ``name: value``, as in YAML and reports."""

from __future__ import annotations

import re
from collections.abc import Iterator

# A longer label is prose; the bounds keep the time linear.
_LINE = re.compile(
    r"^[ \t\-*]*[\"']?([^\W\d][\w .-]{0,40}?)[\"']?[ \t]*[:=][ \t]*(\S.{0,63})$", re.MULTILINE
)
_QUOTES = " \"',"


def labelled_values(text: str) -> Iterator[tuple[str, str]]:
    """
    Yield each label with its value.

    >>> list(labelled_values("- id_: '27'\\n  title: Lunch"))
    [('id_', '27'), ('title', 'Lunch')]
    """
    return ((match[1], match[2].strip(_QUOTES)) for match in _LINE.finditer(text))
