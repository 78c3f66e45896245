"""Cache of the sessions of this process by id; the least recently used are dropped first."""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import Callable
from hashlib import blake2b
from threading import Lock
from time import monotonic
from typing import Self
from weakref import WeakValueDictionary

from abs_shield.core.fork_safety import renewed
from abs_shield.session.limits import Limits
from abs_shield.session.session import Session
from abs_shield.session.session_record import record_of

_LIMITS = Limits()
_MEASURED = (1, 2, 16, 256)
"""
Numbers of requests after which a session is measured again, as it grows after it was returned.
"""
_BITS = 1 << 23
"""
Bits of the Bloom filter of dropped ids, one mebibyte. With a million dropped ids, 2 % of new ids
count as dropped; a dropped id never counts as new.
"""
_FORGOTTEN = "the beginning of this session was dropped to stay within the memory limit"


class _Place:
    """
    The entry of a session.

    Attributes:
        session: The session.
        of: The object that it belongs to; None without one.
        at: Time of the last request, in seconds on the cache's clock.
        size: Its memory in bytes when it was last measured.
    """

    __slots__ = ("at", "of", "session", "size")

    def __init__(self, session: Session, of: object, at: float) -> None:
        self.session = session
        self.of = of
        self.at = at
        self.size = 0


class Sessions:
    """
    A bounded cache of sessions by id; several Shields may share one.

    If a dropped session is requested again, a new one is created in which a missing mention proves
    nothing, as the dropped session may have had it.

    Args:
        most: Sessions that are stored.
        memory_bytes: Approximate memory of all sessions together, in bytes. The newest session is
            stored whatever its size.
        idle_s: Seconds without use after which a session is dropped.
        clock: A monotonic clock in seconds.

    >>> sessions = Sessions(most=1)
    >>> a = sessions.get("a", lambda: Session("a"))
    >>> sessions.get("a", lambda: Session("a")) is a
    True
    """

    def __init__(
        self,
        *,
        most: int = _LIMITS.sessions,
        memory_bytes: int = _LIMITS.memory_bytes,
        idle_s: float = _LIMITS.idle_s,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        self._most, self._memory_bytes, self._idle_s = most, memory_bytes, idle_s
        self._clock = clock
        self._places: OrderedDict[str, _Place] = OrderedDict()
        self._newest: deque[str] = deque(maxlen=_MEASURED[-1])
        self._forgotten = bytearray()
        self._in_use: WeakValueDictionary[str, Session] = WeakValueDictionary()
        self._held_bytes = 0
        self._lock = renewed(Lock())

    @classmethod
    def within(cls, limits: Limits) -> Self:
        """
        Return an empty cache with the bounds in *limits*.

        Args:
            limits: The bounds; ``sessions``, ``memory_bytes`` and ``idle_s`` are used.
        """
        return cls(most=limits.sessions, memory_bytes=limits.memory_bytes, idle_s=limits.idle_s)

    def get(self, session_id: str, make: Callable[[], Session], *, of: object = None) -> Session:
        """
        Return the session with that id; create it if there is none.

        Args:
            session_id: The id.
            make: Creates the session.
            of: An object from whose identity the id is derived, if any. It is referenced as long as
                the session is stored, and the id is not remembered after that.
        """
        with self._lock:
            now = self._clock()  # under the lock, so that entries are in the order of their times
            place = self._places.get(session_id)
            if place is None or now - place.at > self._idle_s:
                place = None  # this reference would make the session count as in use
                self._expire(now)
                place = self._places[session_id] = _Place(self._create(session_id, make), of, now)
            place.at = now
            self._places.move_to_end(session_id)
            self._newest.append(session_id)
            self._measure()
            self._make_room()
            return place.session

    def clear(self) -> None:
        """Drop all sessions."""
        with self._lock:
            self._places.clear()
            self._newest.clear()
            self._forgotten = bytearray()
            self._in_use.clear()
            self._held_bytes = 0

    @property
    def held_bytes(self) -> int:
        """Approximate memory of the sessions in bytes, as last measured."""
        return self._held_bytes

    def __len__(self) -> int:
        return len(self._places)

    def _create(self, session_id: str, make: Callable[[], Session]) -> Session:
        in_use = self._in_use.pop(session_id, None)
        if in_use is not None:
            return in_use  # still referenced elsewhere; two sessions with one id would differ
        session = make()
        if self._forgotten and all(
            self._forgotten[n] & bit for n, bit in _filter_positions(session_id)
        ):
            record_of(session).mark_continued(_FORGOTTEN)
        return session

    def _measure(self) -> None:
        for back in _MEASURED:
            place = self._places.get(self._newest[-back]) if back <= len(self._newest) else None
            if place is not None:
                before, place.size = place.size, record_of(place.session).memory_bytes
                self._held_bytes += place.size - before

    def _expire(self, now: float) -> None:
        while self._places and now - next(iter(self._places.values())).at > self._idle_s:
            self._forget_oldest()

    def _make_room(self) -> None:
        while len(self._places) > 1 and (
            len(self._places) > self._most or self._held_bytes > self._memory_bytes
        ):
            self._forget_oldest()

    def _forget_oldest(self) -> None:
        session_id, place = self._places.popitem(last=False)
        self._held_bytes -= place.size
        if place.of is None:
            self._in_use[session_id] = place.session
            self._forgotten = self._forgotten or bytearray(_BITS // 8)
            for n, bit in _filter_positions(session_id):
                self._forgotten[n] |= bit


def _filter_positions(session_id: str) -> list[tuple[int, int]]:
    """Return byte and bit of the four positions of an id in the Bloom filter."""
    digest = blake2b(session_id.encode("utf-8", "surrogatepass"), digest_size=16).digest()
    places = [int.from_bytes(digest[n : n + 4]) % _BITS for n in range(0, 16, 4)]
    return [(place >> 3, 1 << (place & 7)) for place in places]
