"""The spread of counts over sessions: calls of one session are not independent."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field

from abs_shield.stats.share_intervals import Clusters, Effect

SHARES = (
    "coverage", "stops", "unproven_stops", "precision", "block_precision", "labelled_blocks",
    "alert_rate",
)  # fmt: skip
"""The shares of a layer, each with its own observations."""
_OPEN = 10_000  # bounds the memory; a session that comes back later is rare
"""Maximum number of sessions followed at the same time; a dropped one counts as a new session."""

Observations = tuple[tuple[bool, bool], ...]
"""For each share: whether a call is an observation, and whether it is a hit."""


ShareCounts = tuple[tuple[int, int], ...]
"""For each share: the number of observations and hits of a session so far."""
_NOTHING: ShareCounts = ((0, 0),) * len(SHARES)  # shared by all sessions, which saves memory


@dataclass(slots=True)
class Spread:
    """
    The spread of the observations of each share over sessions.

    Attributes:
        clusters: Sums of the observations, in the order of `SHARES`.
        assumed: Effects, by share, that replace those computed from the sums.
    """

    clusters: list[Clusters] = field(default_factory=lambda: [Clusters() for _ in SHARES])
    assumed: Mapping[str, Effect] = field(default_factory=dict)

    def of(self, share: str) -> Clusters:
        """Return the sums of a share."""
        return self.clusters[SHARES.index(share)]

    def effect(self, share: str, hits: int, of: int) -> Effect:
        """Return the effect of sessions on a share."""
        assumed = self.assumed.get(share)
        return self.of(share).effect(hits, of) if assumed is None else assumed


class SessionTracker:
    """Follows the newest sessions, and their earlier counts for each layer."""

    def __init__(self) -> None:
        self._open: OrderedDict[bytes, dict[tuple[str, str], ShareCounts]] = OrderedDict()
        # sessions have mostly equal counts, so that one object serves many
        self._next: dict[tuple[ShareCounts, Observations], ShareCounts] = {}
        self._indexes: dict[Observations, tuple[tuple[int, bool], ...]] = {}

    def update(
        self, session: bytes, spreads: Mapping[tuple[str, str], Spread], observations: Observations
    ) -> None:
        """
        Count one call.

        Args:
            session: A digest of the session's id.
            spreads: The spreads to update, by key: for its tool, and for all tools.
            observations: The call's observations for each share.
        """
        places = self._open.get(session)
        if places is None:
            places = self._open[session] = {}
            if len(self._open) > _OPEN:
                self._open.popitem(last=False)  # the least recently used one
        else:
            self._open.move_to_end(session)
        indexes = self._indexes.get(observations)
        if indexes is None:
            indexes = self._indexes[observations] = _indexes(observations)
        for place, spread in spreads.items():
            counts_so_far = places.get(place, _NOTHING)
            for share, is_hit in indexes:
                of, hits = counts_so_far[share]
                spread.clusters[share].update(of=of, hits=hits, is_hit=is_hit)
            places[place] = self._after(counts_so_far, observations)

    def _after(self, counts_so_far: ShareCounts, observations: Observations) -> ShareCounts:
        """Return the counts after a call; equal counts share one object."""
        after = self._next.get((counts_so_far, observations))
        if after is None:
            after = _after(counts_so_far, observations)
            if len(self._next) < _OPEN:  # beyond that, counts are computed again
                self._next[counts_so_far, observations] = after
        return after


def _indexes(observations: Observations) -> tuple[tuple[int, bool], ...]:
    """Return the indexes in `SHARES` that count a call, each with whether it is a hit."""
    return tuple((n, is_hit) for n, (counts, is_hit) in enumerate(observations) if counts)


def _after(counts_so_far: ShareCounts, observations: Observations) -> ShareCounts:
    return tuple(
        (of + counts, hits + (counts and is_hit))
        for (of, hits), (counts, is_hit) in zip(counts_so_far, observations, strict=True)
    )
