"""The sessions of this process by id; the least recently used are dropped first."""

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
"""Places from the newest request at which a session is measured: it grows after it was got."""
_BITS = 1 << 23
"""Bits, one mebibyte, that remember forgotten ids: of a million, two new ones in a hundred are
taken for forgotten ones, and none that was forgotten for a new one."""
_FORGOTTEN = "the beginning of this session was dropped to stay within the memory limit"


class _Place:
    """A session, whose it is, when it was last asked for, and its size as last measured."""

    __slots__ = ("at", "of", "session", "size")

    def __init__(self, session: Session, of: object, at: float) -> None:
        self.session = session
        self.of = of
        self.at = at
        self.size = 0


class Sessions:
    """
    Keeps sessions by id, within bounds; several Shields may share one.

    A session that was forgotten and is asked for again begins anew and knows that it had begun
    before: a value that is not found in it may have stood there.

    Args:
        most: Sessions that are kept.
        memory_bytes: Memory that they hold together, about. The newest one is kept whatever it
            holds.
        idle_s: Seconds without use after which a session is forgotten.
        clock: A clock in seconds that never goes back.

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
        Return an empty collection with the bounds that *limits* state.

        Args:
            limits: The bounds.
        """
        return cls(most=limits.sessions, memory_bytes=limits.memory_bytes, idle_s=limits.idle_s)

    def get(self, session_id: str, make: Callable[[], Session], *, of: object = None) -> Session:
        """
        Return the session of that id, made anew where there is none.

        Args:
            session_id: Its id.
            make: Makes it.
            of: An object that is held as long as the session is. An id that is made of the
                identity of such an object is not remembered once the session is forgotten.
        """
        with self._lock:
            now = self._clock()  # read in here, or places would not stand by their times
            place = self._places.get(session_id)
            if place is None or now - place.at > self._idle_s:
                place = None  # or it would be held here, and so be in use
                self._expire(now)
                place = self._places[session_id] = _Place(self._create(session_id, make), of, now)
            place.at = now
            self._places.move_to_end(session_id)
            self._newest.append(session_id)
            self._measure()
            self._make_room()
            return place.session

    def clear(self) -> None:
        """Forget all of them."""
        with self._lock:
            self._places.clear()
            self._newest.clear()
            self._forgotten = bytearray()
            self._in_use.clear()
            self._held_bytes = 0

    @property
    def held_bytes(self) -> int:
        """Memory that the sessions hold, about, by when each was last measured."""
        return self._held_bytes

    def __len__(self) -> int:
        return len(self._places)

    def _create(self, session_id: str, make: Callable[[], Session]) -> Session:
        in_use = self._in_use.pop(session_id, None)
        if in_use is not None:
            return in_use  # somebody still holds it: two sessions of one id would not agree
        session = make()
        if self._forgotten and all(self._forgotten[n] & bit for n, bit in _places(session_id)):
            record_of(session).begin_unseen(_FORGOTTEN)
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
            for n, bit in _places(session_id):
                self._forgotten[n] |= bit


def _places(session_id: str) -> list[tuple[int, int]]:
    """The byte and the bit of an id in four of a Bloom filter's places."""
    digest = blake2b(session_id.encode("utf-8", "surrogatepass"), digest_size=16).digest()
    places = [int.from_bytes(digest[n : n + 4]) % _BITS for n in range(0, 16, 4)]
    return [(place >> 3, 1 << (place & 7)) for place in places]
