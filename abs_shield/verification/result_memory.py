"""Bounded memory of an engine: tools, results by arguments, and sessions."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator
from math import inf
from typing import Any, Generic, TypeVar

from abs_shield.verification.argument_history import (
    CONSISTENT,
    NEWEST,
    RECENT,
    ArgumentHistory,
    SessionHistory,
    largest_change,
)
from abs_shield.verification.argument_history import LEAST as LEAST_OF_HISTORY
from abs_shield.verification.result_shape import Observation
from abs_shield.verification.result_view import ResultView
from abs_shield.verification.signal_reading import SignalContext
from abs_shield.verification.tool_baseline import LEAST, Anomaly, Baseline
from abs_shield.verification.tool_state import OUT_OF_DATE, ToolState

Key = TypeVar("Key")
Entry = TypeVar("Entry")
_AT, _WEIGHT, _ENTRY = range(3)


class Bounded(Generic[Key, Entry]):
    """
    A cache of the most recently used entries; the longest unused one is dropped first.

    Args:
        make: Creates the entry of a new key.
        most: Largest total weight; the last used entry is retained regardless of its weight.
        ttl_s: Seconds after its last use until an entry is dropped.
    """

    def __init__(self, make: Callable[[], Entry], *, most: int, ttl_s: float) -> None:
        self._make = make
        self._most = most
        self._ttl_s = ttl_s
        self._weight = 0
        self._entries: OrderedDict[Key, list[Any]] = OrderedDict()

    def __len__(self) -> int:
        return len(self._entries)

    def items(self) -> Iterator[tuple[Key, Entry]]:
        """Return every key with its entry, longest unused first."""
        return ((key, entry[_ENTRY]) for key, entry in self._entries.items())

    def get(self, key: Key, at: float) -> Entry | None:
        """Return the entry of a key; None if there is none, or it has expired."""
        entry = self._entries.get(key)
        if entry is None:
            return None
        if at - entry[_AT] > self._ttl_s:
            self.forget(key)
            return None
        return entry[_ENTRY]  # type: ignore[no-any-return]

    def used(self, key: Key, at: float, *, weight: int = 1, most: int = 1) -> Entry:
        """
        Return the entry of a key, created if there is none, and mark it as the newest.

        Args:
            key: The key.
            at: The current time, in seconds.
            weight: Weight that this use adds to the entry.
            most: Largest weight of the entry, which drops its own oldest items.
        """
        entry = self._entries.get(key)
        if entry is None or at - entry[_AT] > self._ttl_s:
            return self._add(key, at, weight)
        entry[_AT] = at
        self._entries.move_to_end(key)
        # An entry that is full drops an item for each new one, so its weight stays.
        if entry[_WEIGHT] < most:
            added = min(weight, most - entry[_WEIGHT])
            entry[_WEIGHT] += added
            self._weight += added
            if self._weight > self._most:
                self._make_room()
        return entry[_ENTRY]  # type: ignore[no-any-return]

    def _add(self, key: Key, at: float, weight: int) -> Entry:
        self.forget(key)
        held = self._make()
        self._entries[key] = [at, weight, held]
        self._weight += weight
        self._make_room()
        return held

    def _make_room(self) -> None:
        # The last entry is in use and is retained even if it alone exceeds the limit.
        while self._weight > self._most and len(self._entries) > 1:
            self.forget(next(iter(self._entries)))

    def forget(self, key: Key) -> None:
        """Drop one key."""
        entry = self._entries.pop(key, None)
        if entry is not None:
            self._weight -= entry[_WEIGHT]

    def forget_all(self, matches: Callable[[Key], bool]) -> None:
        """Drop every key that *matches*."""
        for key in [key for key in self._entries if matches(key)]:
            self.forget(key)


MOST_TOOLS = 1_000  # names may come from a model, and must not fill the memory
MOST_NUMBERS = 100_000
"""
Most numbers in all argument histories, and in all session histories; arguments differ from call to
call, so histories would grow without end.
"""
TTL_S = 86_400.0
"""
Seconds without a new result after which a history is forgotten: a day, after which prices and
stocks have changed.
"""


class ResultMemory:
    """The results that an engine remembers; its owner holds a lock around every call."""

    def __init__(self, *, times: float, sub_floor_lr: float) -> None:
        self._times = times
        self._sub_floor_lr = sub_floor_lr
        self.clear()

    def clear(self) -> None:
        """Forget everything."""
        self.tools: Bounded[str, ToolState] = Bounded(ToolState, most=MOST_TOOLS, ttl_s=inf)
        self._histories: Bounded[tuple[str, bytes], ArgumentHistory] = Bounded(
            ArgumentHistory, most=MOST_NUMBERS, ttl_s=TTL_S
        )
        self._sessions: Bounded[tuple[str, bytes, str], SessionHistory] = Bounded(
            SessionHistory, most=MOST_NUMBERS, ttl_s=TTL_S
        )

    def tool(self, name: str) -> ToolState:
        """Return the state of a tool, created if it is new."""
        return self.tools.used(name, 0.0)

    def context(
        self, tool_state: ToolState, observation: Observation, tool: str, *, view: ResultView
    ) -> SignalContext:
        """
        Return the context of a result for the signals, as far as earlier results are comparable.
        """
        baseline, key, numbers = tool_state.baseline, observation.key, observation.numbers
        peers = baseline.peers(key)
        # Required fields are declared, so the shape is not guessed from earlier results.
        shape = None if view.has_required_fields else tool_state.odd_shape(observation, peers)
        outlook = in_all = in_session = None
        if peers >= LEAST:
            outlook = baseline.judge(
                observation,
                peers,
                latency=view.judges_latency,
                shape=shape is None or not shape.score,
            )
        history = self._histories.get((tool, key), observation.at)
        if history is not None and len(history.newest) >= LEAST_OF_HISTORY:
            # If all results have these arguments, the baseline has compared them already.
            if outlook is None or not baseline.has_only(key):
                in_all = history.judge(numbers)
            elif outlook.compared:
                beyond = outlook.beyond
                in_all = largest_change(beyond, numbers, baseline.fields) if beyond else CONSISTENT
        if observation.session and numbers:
            in_session = self._change_in_session(observation, tool, baseline, history)
        odd = in_all is not None and in_all.score > 0
        if odd and observation.session and history is not None and history.differs_by_session:
            outlook = in_all = None  # results of other users, which are not comparable
        return SignalContext(
            tool_state.kinds, outlook, in_all, in_session, self._sub_floor_lr, shape
        )

    def _change_in_session(
        self,
        observation: Observation,
        tool: str,
        baseline: Baseline,
        history: ArgumentHistory | None,
    ) -> Anomaly | None:
        session = (tool, observation.key, observation.session)
        recent = self._sessions.get(session, observation.at)
        if recent is None:
            return None
        return recent.judge(
            observation.numbers, times=self._times, baseline=baseline, history=history
        )

    def learn(
        self, tool_state: ToolState, observation: Observation, tool: str, *, judged: bool = False
    ) -> None:
        """Add a result that was accepted, or that a label released."""
        tool_state.learn(observation, judged=judged)
        key, at, weight = observation.key, observation.at, 1 + len(observation.numbers)
        place = (tool, key)
        # Its oldest results are dropped, which bounds its weight.
        self._histories.used(place, at, weight=weight, most=NEWEST * weight).learn(observation)
        if observation.session:
            here = (tool, key, observation.session)
            self._sessions.used(here, at, weight=weight, most=RECENT * weight).learn(
                observation.numbers
            )

    def refuse(self, tool_state: ToolState, observation: Observation, tool: str) -> None:
        """Put a rejected result into quarantine."""
        again = tool_state.repeats_last(observation)
        tool_state.refuse(observation, again=again)
        key = (tool, observation.key)
        history = self._histories.get(key, observation.at)
        if history is not None and observation.unlike:
            history.refuse(again=again)
            if history.refused > OUT_OF_DATE:  # a value that is rejected so often has changed
                self._histories.forget(key)
        for returning in tool_state.modes(observation) if observation.unlike else ():
            self.learn(tool_state, returning, tool)

    def results(self) -> Iterable[tuple[str, Observation]]:
        """Return every remembered result once, with its tool."""
        by_id: dict[str, tuple[str, Observation]] = {}
        for name, tool_state in self.tools.items():
            by_id |= {
                observation.id: (name, observation) for observation in tool_state.shapes.examples()
            }
            by_id |= {observation.id: (name, observation) for observation in tool_state.newest}
        for (name, _), history in self._histories.items():
            by_id |= {observation.id: (name, observation) for observation in history.newest}
        return by_id.values()

    def forget(self, tool: str) -> None:
        """Forget everything about one tool."""
        self.tools.forget(tool)
        self._histories.forget_all(lambda key: key[0] == tool)
        self._sessions.forget_all(lambda key: key[0] == tool)
