"""The decision logs that are watched, as long as somebody uses them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol
from weakref import ref


class WatchedStatus(Protocol):
    """How a decision log is doing, in records."""

    @property
    def waiting(self) -> int: ...

    @property
    def dropped(self) -> int: ...


class WatchedStore(Protocol):
    """A decision log, as far as it is watched."""

    @property
    def status(self) -> WatchedStatus: ...


@dataclass(slots=True)
class _Watched:
    log: Callable[[], WatchedStore | None]
    dropped: int = 0


class WatchedStores:
    """
    What all watched logs lost, and what waits for them.

    Attributes:
        watched: Whether there ever was one.
    """

    def __init__(self) -> None:
        self.watched = False
        self._logs: list[_Watched] = []
        self._gone = 0

    def watch(self, log: WatchedStore) -> None:
        """Count *log* from now on; it is not kept alive."""
        self.watched = True
        self._forget()
        if not any(known.log() is log for known in self._logs):
            self._logs.append(_Watched(_weakly(log)))

    def dropped(self) -> int:
        """Return how many decisions were lost; what a log that is gone had told stays counted."""
        for known in self._logs:
            if (log := known.log()) is not None:
                known.dropped = log.status.dropped
        self._forget()
        return self._gone + sum(known.dropped for known in self._logs)

    def waiting(self) -> int:
        """Return how many decisions wait."""
        logs = (known.log() for known in self._logs)
        return sum(log.status.waiting for log in logs if log is not None)

    def restart(self) -> None:
        """Forget in a forked child what its parent's logs lost; a log begins anew there itself."""
        self._gone = 0
        for known in self._logs:
            known.dropped = 0

    def _forget(self) -> None:
        self._gone += sum(known.dropped for known in self._logs if known.log() is None)
        self._logs = [known for known in self._logs if known.log() is not None]


def _weakly(log: WatchedStore) -> Callable[[], WatchedStore | None]:
    try:
        return ref(log)
    except TypeError:  # a class of the host's may have slots without `__weakref__`
        return lambda: log
