"""How the calls of a place are spread over sessions: calls of one session repeat each other."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field

from abs_shield.stats.clusters import Clusters, Effect

SHARES = (
    "coverage", "stops", "unproven_stops", "precision", "block_precision", "labelled_blocks",
    "alert_rate",
)  # fmt: skip
"""The shares of a place, each with its own observations."""
_OPEN = 10_000
"""Sessions that are followed at the same time; one that was left goes on as another."""

Observations = tuple[tuple[bool, bool], ...]
"""For each share: whether a call is an observation of it, and whether it is a hit."""


ShareCounts = tuple[tuple[int, int], ...]
"""For each share: how many observations a session has so far, and how many hits."""
_NOTHING: ShareCounts = ((0, 0),) * len(SHARES)


@dataclass(slots=True)
class Spread:
    """
    How the observations of each share of a place are spread over sessions.

    Attributes:
        clusters: Their sums, in the order of `SHARES`.
        assumed: Effects that stand in for those of the sums, by share.
    """

    clusters: list[Clusters] = field(default_factory=lambda: [Clusters() for _ in SHARES])
    assumed: Mapping[str, Effect] = field(default_factory=dict)

    def of(self, share: str) -> Clusters:
        """Return the sums of a share."""
        return self.clusters[SHARES.index(share)]

    def effect(self, share: str, hits: int, of: int) -> Effect:
        """Return what sessions do to a share."""
        assumed = self.assumed.get(share)
        return self.of(share).effect(hits, of) if assumed is None else assumed


class SessionTracker:
    """Follows the newest sessions, and what each of them had in each place before."""

    def __init__(self) -> None:
        self._open: OrderedDict[bytes, dict[tuple[str, str], ShareCounts]] = OrderedDict()
        self._next: dict[tuple[ShareCounts, Observations], ShareCounts] = {}
        self._indexes: dict[Observations, tuple[tuple[int, bool], ...]] = {}

    def update(
        self, session: bytes, spreads: Mapping[tuple[str, str], Spread], observations: Observations
    ) -> None:
        """
        Take in one call.

        Args:
            session: A digest of the session's id.
            spreads: By place, what is kept of it: of its tool, and of all tools.
            observations: What the call is to each share.
        """
        places = self._open.get(session)
        if places is None:
            places = self._open[session] = {}
            if len(self._open) > _OPEN:
                self._open.popitem(last=False)
        else:
            self._open.move_to_end(session)
        indexes = self._indexes.get(observations)
        if indexes is None:
            indexes = self._indexes[observations] = _indexes(observations)
        for place, spread in spreads.items():
            seen = places.get(place, _NOTHING)
            for share, is_hit in indexes:
                of, hits = seen[share]
                spread.clusters[share].update(of=of, hits=hits, is_hit=is_hit)
            places[place] = self._after(seen, observations)

    def _after(self, seen: ShareCounts, observations: Observations) -> ShareCounts:
        """Most sessions have the same few calls: one record of these is enough for all."""
        after = self._next.get((seen, observations))
        if after is None:
            after = _after(seen, observations)
            if len(self._next) < _OPEN:
                self._next[seen, observations] = after
        return after


def _indexes(observations: Observations) -> tuple[tuple[int, bool], ...]:
    """Return the places in `SHARES` that count a call, each with whether it is a hit."""
    return tuple((n, is_hit) for n, (counts, is_hit) in enumerate(observations) if counts)


def _after(seen: ShareCounts, observations: Observations) -> ShareCounts:
    return tuple(
        (of + counts, hits + (counts and is_hit))
        for (of, hits), (counts, is_hit) in zip(seen, observations, strict=True)
    )
