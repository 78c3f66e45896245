"""Counts of one layer, with the labels of its calls, and their spread over sessions."""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, fields, is_dataclass, replace
from functools import lru_cache
from typing import Any, NamedTuple, Self

from abs_shield.replay.replay_counts import LayerTally
from abs_shield.stats.share_intervals import Clusters, Effect, clustered_wilson, wilson

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
            places[place] = self._counts_after(counts_so_far, observations)

    def _counts_after(self, counts_so_far: ShareCounts, observations: Observations) -> ShareCounts:
        """Return the counts after a call; equal counts share one object."""
        after = self._next.get((counts_so_far, observations))
        if after is None:
            after = _add_observations(counts_so_far, observations)
            if len(self._next) < _OPEN:  # beyond that, counts are computed again
                self._next[counts_so_far, observations] = after
        return after


def _indexes(observations: Observations) -> tuple[tuple[int, bool], ...]:
    """Return the indexes in `SHARES` that count a call, each with whether it is a hit."""
    return tuple((n, is_hit) for n, (counts, is_hit) in enumerate(observations) if counts)


def _add_observations(counts_so_far: ShareCounts, observations: Observations) -> ShareCounts:
    return tuple(
        (of + counts, hits + (counts and is_hit))
        for (of, hits), (counts, is_hit) in zip(counts_so_far, observations, strict=True)
    )


class Share(NamedTuple):
    """
    A share that was counted, with its 95 % interval.

    Attributes:
        hits: Number of hits.
        of: Number of observations.
        effect: The effect of their sessions on the interval; None if all are independent.
    """

    hits: int
    of: int
    effect: Effect | None = None

    @property
    def sessions(self) -> int:
        """The number of sessions of the observations."""
        return self.of if self.effect is None else self.effect.clusters

    @property
    def ends(self) -> tuple[float, float]:
        """The lower and the upper end, in [0, 1]: Wilson's, with sessions as clusters."""
        if self.effect is None:
            lower, upper = wilson(self.hits, self.of)
        else:
            lower, upper = clustered_wilson(self.hits, self.of, self.effect)
        # without or with only hits that end is exact; floats would be slightly off
        return lower if self.hits else 0.0, upper if self.hits < self.of else 1.0

    def to_dict(self) -> dict[str, float | int | None]:
        """Return it as JSON-able data; None for the share of no observations."""
        lower, upper = self.ends
        share = self.hits / self.of if self.of else None
        return {
            "hits": self.hits, "of": self.of, "share": share, "lower": lower, "upper": upper,
            "sessions": self.sessions,
        }  # fmt: skip


@dataclass(slots=True)
class LayerCounts(LayerTally):
    """
    Counts of one layer, with the labels of its calls.

    Attributes:
        looked: Calls that it judged, failed to judge, or has a finding for.
        alerts: Calls that it flags or failed to judge.
        found_blocks: Calls it would block because of a finding, not because of an error.
        runs_in_strict: Calls it flags that strict mode lets run.
        true_flags: Flagged calls that are labelled hallucinated.
        false_flags: Flagged calls that are labelled ok.
        true_blocks: Calls in `found_blocks` that are labelled hallucinated.
        false_blocks: Calls in `found_blocks` that are labelled ok.
        missed: Calls labelled hallucinated that it judged without a finding.
        missed_by_all: Missed calls without a finding of any layer.
        findings: Its findings, including those that do not weigh.
        suppressed: Its findings that are suppressed by the policy.
        uncounted: Its findings below the policy's threshold.
        overrides: Calls it would have blocked without a suppression or an approval.
        held: Calls held because of it until they are approved.
        granted: Calls held because of it that were approved.
        spread: The spread of the calls over sessions; None if all are independent.
    """

    looked: int = 0
    alerts: int = 0
    found_blocks: int = 0
    runs_in_strict: int = 0
    true_flags: int = 0
    false_flags: int = 0
    true_blocks: int = 0
    false_blocks: int = 0
    missed: int = 0
    missed_by_all: int = 0
    findings: int = 0
    suppressed: int = 0
    uncounted: int = 0
    overrides: int = 0
    held: int = 0
    granted: int = 0
    spread: Spread | None = None

    def add(self, other: LayerTally, *, times: int = 1) -> None:
        """Add *other* a number of times; the spread over sessions is unknown afterwards."""
        for name in COUNTED:
            if more := getattr(other, name, 0):  # most are 0 in one decision
                setattr(self, name, getattr(self, name) + times * more)
        self.spread = None

    def to_dict(self) -> dict[str, int]:
        """Return the counts as JSON-able data."""
        return {name: getattr(self, name) for name in COUNTED}

    def with_labels(self, more: int) -> Self:
        """
        Return these counts with additional labels, all of them hallucinated.

        They are assumed to be of sessions without a label, as long as there are any.
        """
        then = replace(self, true_blocks=self.true_blocks + more)
        if self.spread is not None:
            now, unproven = self.block_precision, self.unproven_stops
            blocking = self.spread.of("labelled_blocks").count
            # more labels cannot be of more sessions than there are
            sessions = min(blocking, now.sessions + more) if more else now.sessions
            then.spread = Spread(
                self.spread.clusters,
                {
                    "block_precision": Effect(sessions, _design(now)),
                    "unproven_stops": Effect(unproven.sessions, _design(unproven)),
                },
            )
        return then

    @property
    def stops(self) -> Share:
        """Share of calls that it would block, among those that it looked at."""
        return self._share("stops", self.would_block, self.looked)

    @property
    def unproven_stops(self) -> Share:
        """Share of calls that its findings would block and that are not labelled hallucinated."""
        return self._share("unproven_stops", self.found_blocks - self.true_blocks, self.looked)

    @property
    def precision(self) -> Share:
        """Share of flagged calls that are labelled hallucinated, among labelled ones."""
        return self._share("precision", self.true_flags, self.true_flags + self.false_flags)

    @property
    def block_precision(self) -> Share:
        """Share labelled hallucinated, among labelled calls that its findings would block."""
        labelled = self.true_blocks + self.false_blocks
        return self._share("block_precision", self.true_blocks, labelled)

    @property
    def coverage(self) -> Share:
        """Share of calls that it judged."""
        return self._share("coverage", self.ran, self.calls)

    @property
    def alert_rate(self) -> Share:
        """Share of calls that it flags or failed to judge, among those that it looked at."""
        return self._share("alert_rate", self.alerts, self.looked)

    def _share(self, name: str, hits: int, of: int) -> Share:
        effect = None if self.spread is None else self.spread.effect(name, hits, of)
        return Share(hits, of, effect)


COUNTED = tuple(field.name for field in fields(LayerCounts) if field.name != "spread")
"""The fields that are counts."""


def _design(share: Share) -> float:
    return 1.0 if share.effect is None else share.effect.design


def add_counts(total: Any, part: Any, *, times: int = 1, without: Collection[str] = ()) -> None:
    """
    Add the numbers, counters and dataclasses of one dataclass to another of the same kind.

    Args:
        total: The sum, which is changed.
        part: The summand; private fields and fields of other types are left out.
        times: The factor.
        without: Names of further fields that are left out.
    """
    kind: Any = type(part)
    for name in _public_fields(kind):
        value = getattr(part, name)
        if not value or name in without or isinstance(value, bool):
            continue
        if isinstance(value, Counter):
            counter = getattr(total, name)
            for key, count in value.items():  # not `Counter.update`, which would add once
                counter[key] += times * count
        elif isinstance(value, int):
            setattr(total, name, getattr(total, name) + times * value)
        elif is_dataclass(value):
            add_counts(getattr(total, name), value, times=times)


@lru_cache
def _public_fields(kind: Any) -> tuple[str, ...]:
    return tuple(field.name for field in fields(kind) if not field.name.startswith("_"))
