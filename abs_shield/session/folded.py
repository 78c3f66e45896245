"""What was said and returned in a run, as one text without capitals that grows as the run does."""

from __future__ import annotations

from collections.abc import Iterator

from abs_shield.core.events import Event, Returned, Said
from abs_shield.session.log import Log
from abs_shield.text.leaves import leaves, scalar_text

_MOST = 256 * 1024
"""Characters of one text that are read."""
APART = 5 * "\n"
"""What stands between two texts: no value goes on behind it."""


class Folded:
    """
    The texts of a log; each is read once, when it is first asked for.

    Args:
        limit: Characters that the log keeps; up to twice as many are kept here.

    >>> log, folded = Log(1_000), Folded(1_000)
    >>> log.append(Said("user", "Delete /Tmp/A."))
    >>> folded.of(log)
    'delete /tmp/a.'
    """

    __slots__ = ("_limit", "_state")

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._state = (0, "")

    def of(self, log: Log) -> str:
        """Return the texts of *log*; of text that it forgot some may still stand here."""
        version, text = self._state  # in one attribute, since threads may read at the same time
        if version == log.version:
            return text
        version, new = log.version, self._texts(log, version)
        text = APART.join((text, *new)) if text else APART.join(new)
        if len(text) > 2 * self._limit:
            text = APART.join(self._texts(log, 0))
        self._state = (version, text)
        return text

    def _texts(self, log: Log, version: int) -> list[str]:
        return [said.casefold() for event in log.since(version) for said in texts_of(event)]

    def __len__(self) -> int:
        return len(self._state[1])


def texts_of(event: Event) -> Iterator[str]:
    """Return what a person said, or the values and the names of a result."""
    if isinstance(event, Said) and event.role != "assistant":
        yield event.text[:_MOST]
    elif isinstance(event, Returned) and not event.error:
        for path, leaf in leaves(event.value):
            yield (scalar_text(leaf) or "")[:_MOST]
            yield from (step for step in path if isinstance(step, str))
