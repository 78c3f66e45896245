"""What the same arguments gave before, in this session and in all."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from abs_shield.stats.western import limits
from abs_shield.verification.baseline import Surprise
from abs_shield.verification.kept import Kept
from abs_shield.verification.series import Series

LEAST = 5
"""Results of the same arguments that a history needs before it judges."""
NEWEST = 50
RECENT = 10
"""Results of one session that a further one is compared with."""
_LEAST_CHANGE = 0.25
_NEGATED = 1.1
"""How many times the other a number may be, to be the same one with the other sign."""
CONSISTENT = Surprise(0.0, "")
_NOT_READ: dict[str, Series] = {}
"""Of nearly all arguments there is one result, and nobody ever reads its history."""


class History:
    """
    The newest results of one tool and one set of arguments.

    Attributes:
        newest: The results, oldest first.
        gap: Calls since the last result that was learnt; 1 where that was the last call.
    """

    __slots__ = ("_fields", "_unread", "gap", "newest")

    def __init__(self) -> None:
        self._fields = _NOT_READ
        self._unread = 0
        self.newest: list[Kept] = []
        self.gap = 1

    def judge(self, numbers: Mapping[str, float]) -> Surprise:
        """Give the field that is furthest from what the same arguments gave before."""
        self._read()
        fields, gap, last_n, bound = self._fields, self.gap, 0, 0.0
        width = 1 << len(numbers).bit_length()
        beyond = []
        for name, x in numbers.items():
            series = fields.get(name)
            if series is None or not (n := series.n):
                continue
            if n != last_n:
                last_n, bound = n, limits(n, width).beyond_3
            distance = series.distance(x, gap)
            if (distance > bound or distance < -bound) and series.is_new(x):
                beyond.append(name)
        return furthest(beyond, numbers, fields)

    def learn(self, kept: Kept) -> None:
        """Take a result in that was accepted; it is read when a further one is judged."""
        newest = self.newest
        newest.append(kept)
        self._unread += 1
        self.gap = 1
        if len(newest) > NEWEST:
            del newest[0]

    def _read(self) -> None:
        """Add what came since the last judgement to the series; all of it, where that is all."""
        if self._unread >= len(self.newest):
            self._fields = {}
        for kept in self.newest[-self._unread :] if self._unread else ():
            for name, x in kept.numbers.items():
                series = self._fields.get(name)
                if series is None:
                    series = self._fields[name] = Series(size=NEWEST, first=LEAST)
                series.learn(x)
        self._unread = 0


def furthest(
    beyond: Iterable[str], numbers: Mapping[str, float], fields: Mapping[str, Series]
) -> Surprise:
    """Give the field that changed most, of those that lie *beyond* what their series allow."""
    worst, where = 0.0, ""
    for name in beyond:
        change = _change(numbers[name], fields[name])
        if change > worst:
            worst, where = change, name
    if worst < _LEAST_CHANGE:
        return CONSISTENT
    said = f"{worst:.0%} away from what the same arguments gave before"
    return Surprise(worst, said, "/" + where)


class Recent:
    """The last ten results of one session, one tool and one set of arguments."""

    __slots__ = ("results",)

    def __init__(self) -> None:
        self.results: list[Mapping[str, float]] = []

    def judge(
        self, numbers: Mapping[str, float], *, times: float, both_signs: Callable[[str], bool]
    ) -> Surprise:
        """
        Give the field that contradicts every result of this session.

        Args:
            numbers: The result's numbers.
            times: How many times larger or smaller contradicts.
            both_signs: Whether a field's numbers are above 0 and below by nature.
        """
        newest = self.results[-1]
        for name, x in numbers.items():
            before = newest.get(name)
            if before is None or before == x or (x > 0 and before / times < x < before * times):
                continue
            earlier = [known[name] for known in self.results if name in known]
            if _contradicts(x, earlier, times) and not both_signs(name):
                said = f"no earlier result of this session is within {times:g} times"
                return Surprise(_gravity(x, earlier, times), said, "/" + name)
        return CONSISTENT

    def learn(self, numbers: Mapping[str, float]) -> None:
        """Take the numbers of a result in that was accepted."""
        self.results.append(numbers)
        if len(self.results) > RECENT:
            del self.results[0]


def fold(x: float, y: float) -> float:
    """
    Give how many times the larger is the smaller, in size; of zero, one more than the other.

    >>> fold(650, 13), fold(0, 4), fold(-2, 8)
    (50.0, 5, 4.0)
    """
    small, large = sorted((abs(x), abs(y)))
    return large / small if small else large + 1


def _contradicts(x: float, earlier: list[float], times: float) -> bool:
    if all(fold(x, known) >= times for known in earlier):
        return True
    return abs(x) > 1 and all(x * known < 0 and fold(x, known) <= _NEGATED for known in earlier)


def _gravity(x: float, earlier: list[float], times: float) -> float:
    """From 0.5 for *times* upwards; 0.5 for another sign."""
    nearest = min(fold(x, known) for known in earlier)
    return min(1.0, 0.5 * nearest / times) if nearest >= times else 0.5


def _change(x: float, series: Series) -> float:
    """Give the change from what the arguments usually gave, as a share of the larger; at most 1."""
    usual = sum(series.values) / len(series.values)
    largest = max(abs(x), abs(usual))
    return min(1.0, abs(x - usual) / largest) if largest else 0.0
