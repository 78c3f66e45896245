"""The texts of an event of a run."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from abs_shield.core.events import Event, MessageText, Returned
from abs_shield.session.result_text import read_result
from abs_shield.text.json_leaves import SCALARS, leaves, scalar_text
from abs_shield.text.yaml_scalars import decode_folded_scalars

_MOST = 256 * 1024
"""Characters of one text that are read: the default of `Limits.message`."""


def texts_of(event: Event) -> Iterator[str]:
    """Yield the text of a user or of the system, or the values and names of a result."""
    # the agent's own texts are no evidence
    if isinstance(event, MessageText) and event.role != "assistant":
        yield event.text[:_MOST]
    elif isinstance(event, Returned) and not event.error:
        yield from texts_in(event.value)


def texts_in(value: Any, *, most: int = _MOST) -> Iterator[str]:
    """
    Yield the values and names in a value, including those of objects and of escaped JSON or YAML.

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
        is_plain = is_plain and type(leaf) in SCALARS and _is_verbatim(text)
        for each in (text[:most], *(step for step in path if isinstance(step, str))):
            yielded.add(each)
            yield each
    if is_plain:
        return
    with suppress(Exception):  # an object of the caller may raise when it is read
        yield from (text for text in read_result(value, most=most).texts if text not in yielded)


def _is_verbatim(text: str) -> bool:
    """Return whether a text has every value verbatim: without escapes and folded lines of YAML."""
    return "\\" not in text and decode_folded_scalars(text) == text
