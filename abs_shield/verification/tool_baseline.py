"""Baseline of a tool's results: one series for each field, one for duration, one for size."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import log, log10
from typing import NamedTuple

from abs_shield.stats.western_electric import CLASSIC, WEIGHTS, limits
from abs_shield.verification.number_series import Series
from abs_shield.verification.numeric_fields import pointer_to
from abs_shield.verification.result_shape import Observation

LEAST = 8
"""Minimum number of results for a comparison; limits from fewer are too wide to be exceeded."""
_MOST_SERIES = 1_000  # fields of one tool; names that are data, such as ids, are unbounded
# Number of results; by the rule of three, up to 15 % of all may lack a field that 20 had.
_SURE_OF_FIELDS = 20
_MUCH = 3.0
"""Multiple of a limit worded as "much": a number would disclose other sessions' results."""
_WEAK = 0.15
"""Score of a missing field or an unusual size, too low to flag a result alone."""


class Anomaly(NamedTuple):
    """
    An anomaly of a result, with its strength in [0, 1] and its place.

    Attributes:
        score: Its strength.
        detail: One line; names fields and sizes, never a value.
        where: JSON pointer of the worst field; empty for the whole result.
        fault: For another shape, the difference: equal for results with the same difference.
        may_be_optional: Whether the result only lacks fields, at most half of those that all
            earlier results had.
    """

    score: float
    detail: str
    where: str = ""
    fault: str = ""
    may_be_optional: bool = False


class BaselineJudgement(NamedTuple):
    """
    A baseline's judgement of one result.

    Attributes:
        rules: The strongest violation of a control rule.
        value: The number furthest beyond its limit.
        beyond: The names of all numbers beyond their limit.
        compared: Whether any number could be compared.
    """

    rules: Anomaly | None = None
    value: Anomaly | None = None
    beyond: tuple[str, ...] = ()
    compared: bool = True


_USUAL = BaselineJudgement()
_NO_NUMBERS = BaselineJudgement(compared=False)


class Baseline:
    """
    The newest results of one tool.

    Attributes:
        n: Number of remembered results, at most 100.
        gap: Calls since the last learnt result; 1 if that was the last call.
    """

    __slots__ = (
        "_always", "_counts", "_last_size", "_latency", "_size", "_squares", "fields", "gap", "n",
    )  # fmt: skip

    def __init__(self) -> None:
        self.fields: dict[str, Series] = {}
        self._latency = Series()
        self._size = Series()
        self._counts: dict[bytes, int] = {}
        self.n = self._squares = self._last_size = 0
        self._always: frozenset[str] | None = None
        self.gap = 1

    def has_only(self, key: bytes) -> bool:
        """Return whether all remembered results have the arguments *key*."""
        return self._counts.get(key, 0) == self.n

    def peers(self, key: bytes) -> int:
        """
        Return the number of remembered results that one with arguments *key* is comparable with.

        Results of other arguments may describe other things. So either all results have these
        arguments, or the effective number of different arguments counts: the inverse of Simpson's
        index, which is 1 if one of them has nearly all results.
        """
        n = self.n
        return n if self._counts.get(key, 0) == n else n * n // self._squares

    def has_both_signs(self, name: str) -> bool:
        """Return whether the numbers of a field are both positive and negative."""
        series = self.fields.get(name)
        return series is not None and min(series.values) < 0 < max(series.values)

    def judge(
        self, observation: Observation, peers: int, *, latency: bool, shape: bool = True
    ) -> BaselineJudgement:
        """
        Return the anomalies of a result.

        Args:
            observation: The result.
            peers: Number of results it is comparable with, at least 8.
            latency: Whether its duration counts.
            shape: Whether a missing field and an unusual size count; False if `schema_mismatch`
                covers them.
        """
        # Rounded up to a power of two, so that few different limits are computed and cached.
        width = 1 << max(0, len(observation.numbers) + latency - 1).bit_length()
        worst, compared, beyond = self._deviations(observation.numbers, peers, width)
        rules = worst
        is_weak = worst is None or worst.score < WEIGHTS[0]
        if latency and is_weak and self._is_fast(observation, peers, width):
            rules = Anomaly(WEIGHTS[0], "much faster than any earlier result")
        if rules is None and shape:
            rules = self._shape(observation, peers)
        if observation.endless and (value := self._newly_not_finite(observation.endless)):
            return BaselineJudgement(rules, value, tuple(beyond))
        if beyond:
            furthest = max(beyond, key=beyond.__getitem__)
            return BaselineJudgement(rules, _value(beyond[furthest], furthest), tuple(beyond))
        if rules is None:
            return _USUAL if compared else _NO_NUMBERS
        return BaselineJudgement(rules, compared=compared)

    def _deviations(
        self, numbers: Mapping[str, float], peers: int, width: int
    ) -> tuple[Anomaly | None, bool, dict[str, float]]:
        """
        Compare each number with its series.

        Returns:
            The worst anomaly by the rules; whether a number was compared; for each new number
            outside the limits of its series, how far outside it is.
        """
        fields, gap = self.fields, self.gap
        worst_rules, rules_at = 0.0, ""
        beyond: dict[str, float] = {}
        last_n, beyond_3, beyond_1 = 0, 0.0, 0.0
        for name, x in numbers.items():
            series = fields.get(name)
            if series is None or not (n := series.n):
                continue
            if n > peers:
                n = peers
            if n != last_n:
                last_n, shared = n, limits(n, width)
                beyond_3, _, beyond_1, _ = shared
            distance = series.distance(x, gap)
            series.judged = (distance, shared)
            # Most numbers end here: within one deviation, and not the last of a run.
            if -beyond_1 <= distance <= beyond_1 and not series.is_on_one_side:
                continue
            score = series.rules(x, distance, shared)
            if score > worst_rules:
                worst_rules, rules_at = score, name
            far = distance if distance >= 0 else -distance
            if far > beyond_3 and series.is_new(x):
                beyond[name] = far / beyond_3
        if not worst_rules:
            return None, last_n > 0, beyond
        worst = Anomaly(worst_rules, "unlike this tool's newest results", pointer_to(rules_at))
        return worst, last_n > 0, beyond

    def learn(self, observation: Observation, oldest: Observation | None, *, judged: bool) -> None:
        """
        Add an accepted result.

        Args:
            observation: The result.
            oldest: The result that it replaces; None if there is room for both.
            judged: Whether it was the last one judged.
        """
        if oldest is None or oldest.key != observation.key:
            self._count(observation.key, oldest)
        self.gap = 1
        fields = self.fields
        for name, x in observation.numbers.items():
            series = fields.get(name)
            if series is None:
                if len(fields) >= _MOST_SERIES:
                    self._sweep()
                series = fields[name] = Series()
            series.learn(x, judged=judged)
        self._latency.learn(_log(observation.latency_ms))
        self._size.learn(_log(observation.size))
        self._last_size = observation.size
        always = self._always
        if always is None:
            self._always = observation.shape.names
        # Nearly all results share one set of names, so the fast identity check comes first.
        elif always is not observation.shape.names and always != observation.shape.names:
            self._always = always & observation.shape.names

    def _newly_not_finite(self, names: Iterable[str]) -> Anomaly | None:
        """Return an anomaly of the first of *names* that was a number in every earlier result."""
        for name in names:
            series = self.fields.get(name)
            if series is not None and series.n >= self.n:
                detail = "is not a finite number, and was one in every earlier result"
                return Anomaly(1.0, detail, pointer_to(name))
        return None

    def _is_fast(self, observation: Observation, peers: int, width: int) -> bool:
        """Return whether a result was unusually fast; slow ones are usually due to the network."""
        series = self._latency
        # In logarithms, because durations differ by factors.
        distance = series.distance(_log(observation.latency_ms), self.gap)
        return distance < -CLASSIC and distance < -limits(min(peers, series.n), width).beyond_3

    def _shape(self, observation: Observation, peers: int) -> Anomaly | None:
        """Return an anomaly for a missing common field or an unusual size; both are weak."""
        always = self._always
        if (
            always is not None
            and always is not observation.shape.names
            and self.n >= _SURE_OF_FIELDS
            and not always <= observation.shape.names
        ):
            return Anomaly(_WEAK, "a field is missing that every earlier result had")
        if observation.size == self._last_size:  # most results of a tool have one size
            return None
        series = self._size
        size = _log(observation.size)
        distance = abs(series.distance(size, self.gap))
        if (
            distance > CLASSIC
            and distance > limits(min(peers, series.n), 2).beyond_3
            and series.is_new(size)
        ):
            return Anomaly(_WEAK, "of a size that no earlier result had")
        return None

    def _count(self, key: bytes, oldest: Observation | None) -> None:
        counts = self._counts
        if oldest is None:
            self.n += 1
        else:
            count = counts.pop(oldest.key)
            self._squares -= 2 * count - 1  # the difference between two squares
            if count > 1:
                counts[oldest.key] = count - 1
        count = counts.get(key, 0)
        self._squares += 2 * count + 1
        counts[key] = count + 1

    def _sweep(self) -> None:
        """Drop the half of the fields with the fewest points, whose names are probably data."""
        names = sorted(self.fields, key=lambda name: self.fields[name].total)
        for name in names[: _MOST_SERIES // 2]:
            del self.fields[name]


def _log(x: float) -> float:
    return log(x) if x > 1e-3 else -7.0  # -7 is about the logarithm of 1e-3


def _value(far: float, name: str) -> Anomaly:
    # The weight of the first rule at the limit, 1 at ten times the limit.
    score = min(1.0, WEIGHTS[0] + (1 - WEIGHTS[0]) * log10(far)) if far < 1e300 else 1.0
    detail = f"{'much ' if far > _MUCH else ''}further from its mean than expected"
    return Anomaly(score, detail, pointer_to(name))
