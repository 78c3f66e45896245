"""The clock of a recorded run, which advances only with the times in the file."""

from __future__ import annotations

from collections.abc import Iterable
from math import isfinite

from abs_shield.core.events import Event
from abs_shield.session import Session
from abs_shield.session.session_record import record_of


class RunClock:
    """
    Returns the latest time recorded so far, in seconds; it never runs backwards.

    >>> clock = RunClock(5.0)
    >>> clock.move(9.0), clock.move(None), clock.move(7.0), clock()
    (None, None, None, 9.0)
    """

    __slots__ = ("_now",)

    def __init__(self, now: float = 0.0) -> None:
        self._now = now

    @classmethod
    def of(cls, session: Session, events: Iterable[Event]) -> RunClock:
        """Return the session's clock; a new one starts at the first time of *events*."""
        clock = record_of(session).clock
        if not isinstance(clock, cls):  # runs of one session go on with one clock
            times = (event.at for event in events if event.at is not None)
            clock = cls(next((at for at in times if isfinite(at)), 0.0))
            record_of(session).clock = clock
        return clock

    def move(self, at: float | None) -> None:
        """Advance to *at*, if that is later."""
        if at is not None and at > self._now and isfinite(at):  # infinite times would stop it
            self._now = at

    def __call__(self) -> float:
        return self._now
