"""Lost and waiting decisions of all watched stores, which are weakly referenced."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol
from weakref import ref


class WatchedStatus(Protocol):
    """The status of a store, in records."""

    @property
    def waiting(self) -> int: ...

    @property
    def dropped(self) -> int: ...


class WatchedStore(Protocol):
    """A store with a status."""

    @property
    def status(self) -> WatchedStatus: ...


@dataclass(slots=True)
class _Watched:
    log: Callable[[], WatchedStore | None]
    dropped: int = 0


class WatchedStores:
    """
    The totals of all watched stores.

    Attributes:
        watched: Whether any store was ever watched.
    """

    def __init__(self) -> None:
        self.watched = False
        self._logs: list[_Watched] = []
        self._dropped_by_dead = 0

    def watch(self, log: WatchedStore) -> None:
        """Include *log* from now on; it is weakly referenced."""
        self.watched = True
        self._remove_dead()
        if not any(watched.log() is log for watched in self._logs):
            self._logs.append(_Watched(_weak_reference(log)))

    def dropped(self) -> int:
        """Return the number of lost decisions, including those of deleted stores."""
        for watched in self._logs:
            if (log := watched.log()) is not None:
                watched.dropped = log.status.dropped
        self._remove_dead()
        return self._dropped_by_dead + sum(watched.dropped for watched in self._logs)

    def waiting(self) -> int:
        """Return the number of waiting decisions."""
        logs = (watched.log() for watched in self._logs)
        return sum(log.status.waiting for log in logs if log is not None)

    def restart(self) -> None:
        """Reset the counts in a forked child, where each store resets itself as well."""
        self._dropped_by_dead = 0
        for watched in self._logs:
            watched.dropped = 0

    def _remove_dead(self) -> None:
        self._dropped_by_dead += sum(
            watched.dropped for watched in self._logs if watched.log() is None
        )
        self._logs = [watched for watched in self._logs if watched.log() is not None]


def _weak_reference(log: WatchedStore) -> Callable[[], WatchedStore | None]:
    try:
        return ref(log)
    except TypeError:  # a host's class may have slots without `__weakref__`
        return lambda: log
