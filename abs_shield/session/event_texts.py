"""The texts of an event of a run, and what stands between them where they are one text."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from abs_shield.core.events import Event, MessageText, Returned
from abs_shield.session.result_text import read_result
from abs_shield.text.json_leaves import leaves, scalar_text

_MOST = 256 * 1024
"""Characters of one text that are read, as many as `Limits.message` indexes."""
_PLAIN = frozenset({str, int, float, bool, type(None)})
APART = 5 * "\n"
"""Separator of two texts: a value is never matched across it."""


def texts_of(event: Event) -> Iterator[str]:
    """Return what a person said, or the values and the names of a result."""
    # the agent's own words prove nothing
    if isinstance(event, MessageText) and event.role != "assistant":
        yield event.text[:_MOST]
    elif isinstance(event, Returned) and not event.error:
        yield from texts_in(event.value)


def texts_in(value: Any, *, most: int = _MOST) -> Iterator[str]:
    """
    Return the values and the names in a value, those of objects and of escaped JSON text included.

    Args:
        value: A result, or arguments.
        most: Characters of each text that are read.

    >>> list(texts_in({"ids": {7}})), list(texts_in('["\\\\u00fc"]'))
    (['', 'ids', '7'], ['["\\\\u00fc"]', 'ü'])
    """
    yielded: set[str] = set()
    is_plain = True
    for path, leaf in leaves(value):
        text = scalar_text(leaf) or ""
        is_plain = is_plain and type(leaf) in _PLAIN and "\\" not in text
        for each in (text[:most], *(step for step in path if isinstance(step, str))):
            yielded.add(each)
            yield each
    if is_plain:  # JSON text without escapes has every value verbatim
        return
    with suppress(Exception):  # an object of the caller's may break when it is read
        yield from (text for text in read_result(value, most=most).texts if text not in yielded)
