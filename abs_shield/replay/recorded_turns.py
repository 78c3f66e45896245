"""Match results to calls, if one message proposes several, and keep the clock of a recorded run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import isfinite

from abs_shield.core import ToolCall
from abs_shield.core.events import Event, MessageText, Opaque, Proposed, Returned
from abs_shield.session import Session
from abs_shield.session.call_states import is_feedback
from abs_shield.session.session_record import record_of


@dataclass(frozen=True, slots=True)
class Turn:
    """
    The calls that the model proposed together, and their results.

    Attributes:
        proposals: The proposals, one call each, in order.
        results: The result of each call, or None.
        rest: Further events before the next message: results that match none of the calls.
    """

    proposals: tuple[Proposed, ...]
    results: tuple[Returned | None, ...]
    rest: tuple[Event, ...]


def turns(events: Sequence[Event]) -> Iterator[Turn | MessageText | Returned | Opaque]:
    """Yield the events in order, with the calls of a turn and their results combined."""
    place = 0
    # before pairing, as a withheld result still belongs to its call
    events = [_without_withheld_value(event) for event in events]
    while place < len(events):
        event = events[place]
        if not isinstance(event, Proposed):
            yield event
            place += 1
            continue
        proposals: list[Proposed] = []
        # several messages in a row may propose calls of one turn
        while place < len(events) and isinstance(event := events[place], Proposed):
            proposals += [Proposed((call,), event.at) for call in event.calls]
            place += 1
        after: list[Returned | Opaque] = []
        while place < len(events) and isinstance(event := events[place], Returned | Opaque):
            after.append(event)
            place += 1
        yield _turn(proposals, after)


def _without_withheld_value(event: Event) -> Event:
    """Return an event; a withheld result has an unknown value, and its call did not fail."""
    if isinstance(event, Returned) and is_feedback(event.value, "withheld"):
        return event._replace(value=None, error=False)
    return event


def _turn(proposals: list[Proposed], after: list[Returned | Opaque]) -> Turn:
    returned = [event for event in after if isinstance(event, Returned)]
    results = match_results([proposed.calls[0] for proposed in proposals], returned)
    matched = {id(result) for result in results if result is not None}
    rest = tuple(event for event in after if id(event) not in matched)
    return Turn(tuple(proposals), tuple(results), rest)


def match_results(calls: Sequence[ToolCall], returned: Sequence[Returned]) -> list[Returned | None]:
    """
    Return each call's result or None: matched by a unique id, else in order.

    >>> calls = [ToolCall("a", id="1"), ToolCall("b", id="2")]
    >>> results = [Returned(name="b", value=0, call_id="2"), Returned(name="a", value=1)]
    >>> [result.value for result in match_results(calls, results)]
    [1, 0]
    """
    # an id that occurs twice identifies nothing
    unique = _unique_ids(call.id for call in calls) & _unique_ids(
        result.call_id for result in returned
    )
    by_id = {result.call_id: result for result in returned if result.call_id in unique}
    left = [result for result in returned if result.call_id not in unique]
    return [by_id.get(call.id) if call.id in unique else _take_result(call, left) for call in calls]


def _unique_ids(ids: Iterator[str | None]) -> set[str | None]:
    listed = [name for name in ids if name]
    if len(listed) < 2:
        return set(listed)  # the usual case: one call
    return {name for name, count in Counter(listed).items() if count == 1}


def _take_result(call: ToolCall, left: list[Returned]) -> Returned | None:
    """Remove and return the first result in *left* that does not name another tool."""
    for result in left:
        if result.name in ("", call.name):  # by order, if the result does not name another tool
            left.remove(result)
            return result
    return None


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
