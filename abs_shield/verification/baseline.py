"""What a tool's results usually are: one series a field, one for duration, one for size."""

from __future__ import annotations

from collections.abc import Iterable
from math import log, log10
from typing import NamedTuple

from abs_shield.stats.western import CLASSIC, WEIGHTS, limits
from abs_shield.verification.numeric_fields import pointer_to
from abs_shield.verification.observation import Observation
from abs_shield.verification.series import Series

LEAST = 8
"""Results that a baseline needs before it judges."""
_MOST_SERIES = 1_000
_SURE_OF_FIELDS = 20
_MUCH = 3.0
"""How many times a limit is much beyond it; a figure would tell what other sessions were given."""
_WEAK = 0.15
"""What a missing field or an odd size counts: never enough by itself."""


class Surprise(NamedTuple):
    """
    How strongly something speaks against a result, in [0, 1], and where.

    Attributes:
        score: How strongly.
        detail: One line; names fields and sizes, never a value.
        where: JSON pointer of the worst field; empty for the whole result.
        fault: Of another shape, in what it differs: equal where two results differ alike.
        may_be_optional: Whether it lacks at most half of the fields that were always there, and
            differs in nothing else.
    """

    score: float
    detail: str
    where: str = ""
    fault: str = ""
    may_be_optional: bool = False


class Outlook(NamedTuple):
    """
    What a baseline thinks of one result.

    Attributes:
        rules: What breaks a rule of its process.
        value: The single number that lies furthest from its mean.
        beyond: Every number that lies beyond what its limit allows, by name.
        compared: Whether any number could be compared.
    """

    rules: Surprise | None = None
    value: Surprise | None = None
    beyond: tuple[str, ...] = ()
    compared: bool = True


_USUAL = Outlook()
_NO_NUMBERS = Outlook(compared=False)


class Baseline:
    """
    The newest results of one tool.

    Attributes:
        n: Results that it remembers, at most 100.
        gap: Calls since the last result that was learnt; 1 where that was the last call.
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

    def is_of(self, key: bytes) -> bool:
        """Return whether all results that it remembers are of arguments *key*."""
        return self._counts.get(key, 0) == self.n

    def peers(self, key: bytes) -> int:
        """
        Return how many remembered results one with arguments *key* may be compared with.

        Results of other arguments may be of other things. So either all results had these
        arguments, or what counts is how many different ones there were: the inverse of Simpson's
        index, which is 1 where one of them had nearly all results.
        """
        n = self.n
        return n if self._counts.get(key, 0) == n else n * n // self._squares

    def has_both_signs(self, name: str) -> bool:
        """Return whether the numbers of a field are above 0 and below by nature."""
        series = self.fields.get(name)
        return series is not None and min(series.values) < 0 < max(series.values)

    def judge(
        self, observation: Observation, peers: int, *, latency: bool, shape: bool = True
    ) -> Outlook:
        """
        Say what is odd about a result.

        Args:
            kept: The result.
            peers: How many results it may be compared with, at least 8.
            latency: Whether its duration counts.
            shape: Whether a missing field and an odd size count; not where `schema_mismatch`
                has read them already.
        """
        width = 1 << max(0, len(observation.numbers) + latency - 1).bit_length()
        fields, gap = self.fields, self.gap
        worst_rules, rules_at, worst_far, beyond = 0.0, "", 0.0, []
        far_at = ""
        last_n, beyond_3, beyond_1 = 0, 0.0, 0.0
        for name, x in observation.numbers.items():
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
            if -beyond_1 <= distance <= beyond_1 and not series.is_on_one_side:
                continue
            score = series.rules(x, distance, shared)
            if score > worst_rules:
                worst_rules, rules_at = score, name
            far = distance if distance >= 0 else -distance
            if far > beyond_3 and series.is_new(x):
                beyond.append(name)
                if far > beyond_3 * worst_far:
                    worst_far, far_at = far / beyond_3, name
        rules = None
        if worst_rules:
            where = pointer_to(rules_at)
            rules = Surprise(worst_rules, "unlike this tool's newest results", where)
        if latency and worst_rules < WEIGHTS[0] and self._is_fast(observation, peers, width):
            rules = Surprise(WEIGHTS[0], "much faster than it ever was")
        if rules is None and shape:
            rules = self._shape(observation, peers)
        if observation.endless and (odd := self._turned_endless(observation.endless)) is not None:
            value = Surprise(1.0, "is no finite number, and always was one", pointer_to(odd))
            return Outlook(rules, value, tuple(beyond))
        if not beyond:
            if rules is None:
                return _USUAL if last_n else _NO_NUMBERS
            return Outlook(rules, compared=bool(last_n))
        return Outlook(rules, _value(worst_far, far_at), tuple(beyond))

    def learn(self, observation: Observation, oldest: Observation | None, *, judged: bool) -> None:
        """
        Add a result that was accepted.

        Args:
            kept: The result.
            oldest: The one in whose place it is remembered; None where there is room for both.
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
        self._latency.learn(_logged(observation.latency_ms))
        self._size.learn(_logged(observation.size))
        self._last_size = observation.size
        always = self._always
        if always is None:
            self._always = observation.shape.names
        elif always is not observation.shape.names and always != observation.shape.names:
            self._always = always & observation.shape.names

    def _turned_endless(self, names: Iterable[str]) -> str | None:
        """The first of *names* that was a number in every result that is remembered."""
        series = ((name, self.fields.get(name)) for name in names)
        return next((name for name, one in series if one is not None and one.n >= self.n), None)

    def _is_fast(self, observation: Observation, peers: int, width: int) -> bool:
        """Too fast is odd; too slow is the network."""
        series = self._latency
        distance = series.distance(_logged(observation.latency_ms), self.gap)
        return distance < -CLASSIC and distance < -limits(min(peers, series.n), width).beyond_3

    def _shape(self, observation: Observation, peers: int) -> Surprise | None:
        """A field that was always there, or a size that never was: weak signs, both."""
        always = self._always
        if (
            always is not None
            and always is not observation.shape.names
            and self.n >= _SURE_OF_FIELDS
            and not always <= observation.shape.names
        ):
            return Surprise(_WEAK, "a field is missing that every earlier result had")
        if observation.size == self._last_size:
            return None
        series = self._size
        size = _logged(observation.size)
        distance = abs(series.distance(size, self.gap))
        if (
            distance > CLASSIC
            and distance > limits(min(peers, series.n), 2).beyond_3
            and series.is_new(size)
        ):
            return Surprise(_WEAK, "of a size that no earlier result had")
        return None

    def _count(self, key: bytes, oldest: Observation | None) -> None:
        counts = self._counts
        if oldest is None:
            self.n += 1
        else:
            count = counts.pop(oldest.key)
            self._squares -= 2 * count - 1
            if count > 1:
                counts[oldest.key] = count - 1
        count = counts.get(key, 0)
        self._squares += 2 * count + 1
        counts[key] = count + 1

    def _sweep(self) -> None:
        """Forget the half of the fields with the fewest points: names that are data themselves."""
        names = sorted(self.fields, key=lambda name: self.fields[name].total)
        for name in names[: _MOST_SERIES // 2]:
            del self.fields[name]


def _logged(x: float) -> float:
    return log(x) if x > 1e-3 else -7.0


def _value(far: float, name: str) -> Surprise:
    score = min(1.0, WEIGHTS[0] + (1 - WEIGHTS[0]) * log10(far)) if far < 1e300 else 1.0
    detail = f"{'much ' if far > _MUCH else ''}further from its mean than it ever should be"
    return Surprise(score, detail, pointer_to(name))
