"""Everything an engine remembers, bounded: tools, histories by arguments, and sessions."""

from __future__ import annotations

from collections.abc import Iterable
from math import inf

from abs_shield.verification.baseline import LEAST
from abs_shield.verification.bounded import Bounded
from abs_shield.verification.history import (
    CONSISTENT,
    NEWEST,
    RECENT,
    History,
    Recent,
    furthest,
)
from abs_shield.verification.history import LEAST as LEAST_OF_HISTORY
from abs_shield.verification.kept import Kept
from abs_shield.verification.known import OUT_OF_DATE, KnownTool
from abs_shield.verification.past import Past
from abs_shield.verification.seen import Seen

MOST_TOOLS = 1_000
MOST_NUMBERS = 100_000
"""Numbers of histories, and as many of sessions, that are remembered at once."""
TTL_S = 86_400.0
"""A history or a session to which nothing was added for a day is forgotten."""


class Memory:
    """What an engine remembers; its owner holds a lock around every call."""

    def __init__(self, *, times: float, sub_floor_lr: float) -> None:
        self._times = times
        self._sub_floor_lr = sub_floor_lr
        self.clear()

    def clear(self) -> None:
        """Forget everything."""
        self.tools: Bounded[str, KnownTool] = Bounded(KnownTool, most=MOST_TOOLS, ttl_s=inf)
        self._histories: Bounded[tuple[str, bytes], History] = Bounded(
            History, most=MOST_NUMBERS, ttl_s=TTL_S
        )
        self._sessions: Bounded[tuple[str, bytes, str], Recent] = Bounded(
            Recent, most=MOST_NUMBERS, ttl_s=TTL_S
        )

    def tool(self, name: str) -> KnownTool:
        """Give what is known of a tool, from now on something."""
        return self.tools.used(name, 0.0)

    def past(self, known: KnownTool, kept: Kept, tool: str, *, seen: Seen) -> Past:
        """Give what came before a result, as far as it can be compared with it."""
        baseline, key, numbers, at = known.baseline, kept.key, kept.numbers, kept.at
        peers = baseline.peers(key)
        shape = None if seen.has_required_fields else known.odd_shape(kept, peers)
        outlook = in_all = in_session = None
        if peers >= LEAST:
            outlook = baseline.judge(
                kept, peers, latency=seen.judges_latency, shape=shape is None or not shape.score
            )
        history = self._histories.get((tool, key), at)
        if history is not None and len(history.newest) >= LEAST_OF_HISTORY:
            if outlook is None or not baseline.is_of(key):
                in_all = history.judge(numbers)
            elif outlook.compared:
                beyond = outlook.beyond
                in_all = furthest(beyond, numbers, baseline.fields) if beyond else CONSISTENT
        if kept.session and numbers:
            recent = self._sessions.get((tool, key, kept.session), at)
            if recent is not None:
                in_session = recent.judge(
                    numbers, times=self._times, baseline=baseline, history=history
                )
        odd = in_all is not None and in_all.score > 0
        if odd and kept.session and history is not None and history.differs_by_session:
            outlook = in_all = None  # they are of other people, and say nothing of this one
        return Past(known.kinds, outlook, in_all, in_session, self._sub_floor_lr, shape)

    def learn(self, known: KnownTool, kept: Kept, tool: str, *, judged: bool = False) -> None:
        """Take a result in that was accepted, or that a label released."""
        known.learn(kept, judged=judged)
        key, at, weight = kept.key, kept.at, 1 + len(kept.numbers)
        place = (tool, key)
        self._histories.used(place, at, weight=weight, most=NEWEST * weight).learn(kept)
        if kept.session:
            here = (tool, key, kept.session)
            self._sessions.used(here, at, weight=weight, most=RECENT * weight).learn(kept.numbers)

    def refuse(self, known: KnownTool, kept: Kept, tool: str) -> None:
        """Keep a result apart that was not accepted."""
        again = known.says_again(kept)
        known.refuse(kept, again=again)
        key = (tool, kept.key)
        history = self._histories.get(key, kept.at)
        if history is not None and kept.unlike:
            history.refuse(again=again)
            if history.refused > OUT_OF_DATE:
                self._histories.forget(key)
        for returning in known.modes(kept) if kept.unlike else ():
            self.learn(known, returning, tool)

    def results(self) -> Iterable[tuple[str, Kept]]:
        """Give every result that is remembered, each once, by tool."""
        told: dict[str, tuple[str, Kept]] = {}
        for name, known in self.tools.items():
            told |= {kept.id: (name, kept) for kept in known.shapes.examples()}
            told |= {kept.id: (name, kept) for kept in known.newest}
        for (name, _), history in self._histories.items():
            told |= {kept.id: (name, kept) for kept in history.newest}
        return told.values()

    def forget(self, tool: str) -> None:
        """Forget everything about one tool."""
        self.tools.forget(tool)
        self._histories.forget_all(lambda key: key[0] == tool)
        self._sessions.forget_all(lambda key: key[0] == tool)
