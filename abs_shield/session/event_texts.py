"""The texts of an event of a run, and what stands between them where they are one text."""

from __future__ import annotations

from collections.abc import Iterator

from abs_shield.core.events import Event, MessageText, Returned
from abs_shield.text.json_leaves import leaves, scalar_text

_MOST = 256 * 1024
"""Characters of one text that are read, as many as `Limits.message` indexes."""
APART = 5 * "\n"
"""Separator of two texts: a value is never matched across it."""


def texts_of(event: Event) -> Iterator[str]:
    """Return what a person said, or the values and the names of a result."""
    # the agent's own words prove nothing
    if isinstance(event, MessageText) and event.role != "assistant":
        yield event.text[:_MOST]
    elif isinstance(event, Returned) and not event.error:
        for path, leaf in leaves(event.value):
            yield (scalar_text(leaf) or "")[:_MOST]
            yield from (step for step in path if isinstance(step, str))
