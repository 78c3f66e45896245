"""Which results answer which calls, where one message proposes several."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from abs_shield.core import ToolCall
from abs_shield.core.events import Event, Opaque, Proposed, Returned, Said
from abs_shield.session.call_states import is_feedback


@dataclass(frozen=True, slots=True)
class Turn:
    """
    What the model proposed at once, and what came of it.

    Attributes:
        proposals: One call each, in order.
        results: Beside each of them its result, or None.
        rest: What else happened before anybody spoke: results that answer none of the calls.
    """

    proposals: tuple[Proposed, ...]
    results: tuple[Returned | None, ...]
    rest: tuple[Event, ...]


def turns(events: Sequence[Event]) -> Iterator[Turn | Said | Returned | Opaque]:
    """Return the events in order, with the calls of a turn and their results put together."""
    place = 0
    events = [_known(event) for event in events]
    while place < len(events):
        event = events[place]
        if not isinstance(event, Proposed):
            yield event
            place += 1
            continue
        proposals: list[Proposed] = []
        while place < len(events) and isinstance(event := events[place], Proposed):
            proposals += [Proposed((call,), event.at) for call in event.calls]
            place += 1
        after: list[Returned | Opaque] = []
        while place < len(events) and isinstance(event := events[place], Returned | Opaque):
            after.append(event)
            place += 1
        yield _turn(proposals, after)


def _known(event: Event) -> Event:
    """An event; of a withheld result nobody knew the value, and its call did not fail."""
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
    Return each call's result or None: by an id that is unique on both sides, else in order.

    >>> calls = [ToolCall("a", id="1"), ToolCall("b", id="2")]
    >>> results = [Returned(name="b", value=0, call_id="2"), Returned(name="a", value=1)]
    >>> [result.value for result in answers(calls, results)]
    [1, 0]
    """
    unique = _once(call.id for call in calls) & _once(result.call_id for result in returned)
    by_id = {result.call_id: result for result in returned if result.call_id in unique}
    left = [result for result in returned if result.call_id not in unique]
    return [by_id.get(call.id) if call.id in unique else _next(call, left) for call in calls]


def _once(ids: Iterator[str | None]) -> set[str | None]:
    listed = [name for name in ids if name]
    if len(listed) < 2:
        return set(listed)
    return {name for name, count in Counter(listed).items() if count == 1}


def _next(call: ToolCall, left: list[Returned]) -> Returned | None:
    """Take the first result out of *left*, unless it speaks of another tool."""
    for result in left:
        if result.name in ("", call.name):
            left.remove(result)
            return result
    return None
