"""Earlier results of the same arguments, in one session and in all sessions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from abs_shield.stats.western_electric import limits
from abs_shield.verification.number_series import Series
from abs_shield.verification.numeric_fields import pointer_to
from abs_shield.verification.result_shape import Observation
from abs_shield.verification.tool_baseline import Anomaly, Baseline

LEAST = 5
"""
Minimum number of results of the same arguments for a comparison; the spread of fewer is mostly
chance.
"""
NEWEST = 50  # results that are remembered; older ones of a changing tool would mislead
RECENT = 10
"""Number of results of one session that are compared; values change during a session."""
_LEAST_CHANGE = 0.25  # share of the larger number; honest prices and stocks often change by less
_FAR = 0.5  # share above which the detail says "far"
_NEGATED = 1.1
"""Maximum ratio at which two numbers of opposite signs count as equal except for the sign."""
CONSISTENT = Anomaly(0.0, "")
_NOT_READ: dict[str, Series] = {}
"""Shared by arguments with a single result, whose history is never read: saves memory."""


class ArgumentHistory:
    """
    The newest results of one tool and one set of arguments.

    Attributes:
        newest: The results, oldest first.
        gap: Calls since the last learnt result; 1 if that was the last call.
        refused: Number of consecutive results that were not accepted.
    """

    __slots__ = ("_fields", "_unread", "gap", "newest", "refused")

    def __init__(self) -> None:
        self._fields = _NOT_READ
        self._unread = 0
        self.newest: list[Observation] = []
        self.gap = 1
        self.refused = 0

    def judge(self, numbers: Mapping[str, float]) -> Anomaly | None:
        """
        Return the field that is furthest from earlier results of the same arguments.

        None if no number can be compared.
        """
        if self._unread:
            self._read()
        if not numbers:
            return None
        fields, gap, last_n, bound = self._fields, self.gap, 0, 0.0
        # Rounded up to a power of two, so that few different limits are computed and cached.
        width = 1 << max(0, len(numbers) - 1).bit_length()
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
        return largest_change(beyond, numbers, fields) if last_n else None

    def is_in_range(self, name: str, x: float) -> bool:
        """Return whether the field has had values both below and above *x*."""
        earlier = [
            observation.numbers[name] for observation in self.newest if name in observation.numbers
        ]
        return len(earlier) >= LEAST and min(earlier) <= x <= max(earlier)

    @property
    def differs_by_session(self) -> bool:
        """
        True if results of equal arguments depend on the session, e.g. on its user.

        Repeated calls of one session had equal numbers, and other sessions had other numbers.
        """
        first: dict[str, Mapping[str, float]] = {}
        again = False
        for observation in self.newest:
            first_numbers = first.setdefault(observation.session, observation.numbers)
            # The same object is the session's first result, which is not compared with itself.
            if first_numbers is not observation.numbers:
                again = True
                if first_numbers != observation.numbers:
                    return False
        values = [*first.values()]
        return again and any(numbers != values[0] for numbers in values)

    def learn(self, observation: Observation) -> None:
        """Add an accepted result; it is read when a further one is judged."""
        newest = self.newest
        newest.append(observation)
        self._unread += 1
        self.gap = 1
        self.refused = 0
        if len(newest) > NEWEST:
            del newest[0]

    def refuse(self, *, again: bool) -> None:
        """Count a rejected result; one that repeats the last (*again*) does not widen the gap."""
        self.refused += 1
        self.gap += not again  # a retry with the same numbers is not another step of a counter

    def _read(self) -> None:
        """Add the unread results to the series; rebuild the series if all are unread."""
        newest, unread = self.newest, self._unread
        # All newest results are unread: the series would contain dropped ones.
        if unread >= len(newest):
            self._fields = {}
        fields = self._fields
        for observation in newest[-unread:]:
            for name, x in observation.numbers.items():
                series = fields.get(name)
                if series is None:
                    series = fields[name] = Series(size=NEWEST, first=LEAST)
                series.learn(x)
        self._unread = 0


def largest_change(
    beyond: Iterable[str], numbers: Mapping[str, float], fields: Mapping[str, Series]
) -> Anomaly:
    """Return the field with the largest change, among the fields outside their limits."""
    worst, where = 0.0, ""
    for name in beyond:
        change = _change(numbers[name], fields[name])
        if change > worst:
            worst, where = change, name
    if worst < _LEAST_CHANGE:
        return CONSISTENT
    # Without the number, which would disclose another tenant's result.
    detail = f"{'far' if worst > _FAR else 'different'} from earlier results of the same arguments"
    return Anomaly(worst, detail, pointer_to(where))


class SessionHistory:
    """
    The last ten results of one session, one tool and one set of arguments.

    Attributes:
        results: Their numbers, oldest first.
    """

    __slots__ = ("results",)

    def __init__(self) -> None:
        self.results: list[Mapping[str, float]] = []

    def judge(
        self,
        numbers: Mapping[str, float],
        *,
        times: float,
        baseline: Baseline,
        history: ArgumentHistory | None,
    ) -> Anomaly | None:
        """
        Return the field that contradicts every result of this session; None if none is compared.

        Zeros have no ratio to other numbers, so they never contradict.

        Args:
            numbers: The result's numbers.
            times: Ratio from which on a larger or smaller number contradicts.
            baseline: The results of the tool: a value that occurred in other sessions does not
                contradict.
            history: The results of the same arguments; None if there are none.
        """
        newest, compared = self.results[-1], False
        for name, x in numbers.items():
            before = newest.get(name)
            if before is None:
                continue
            compared = True
            # Most numbers are equal or close, and need no comparison with earlier ones.
            if before == x or (x > 0 and before / times < x < before * times):
                continue
            earlier = [other[name] for other in self.results if other.get(name)]
            if not (x and earlier and _contradicts(x, earlier, times)):
                continue
            if not baseline.has_both_signs(name) and not (history and history.is_in_range(name, x)):
                detail = f"no earlier result of this session is within {times:g} times"
                return Anomaly(_gravity(x, earlier, times), detail, pointer_to(name))
        return CONSISTENT if compared else None

    def learn(self, numbers: Mapping[str, float]) -> None:
        """Add the numbers of an accepted result."""
        results = self.results
        results.append(numbers)
        if len(results) > RECENT:
            del results[0]


def fold(x: float, y: float) -> float:
    """
    Return the ratio of the larger to the smaller magnitude; neither is 0.

    >>> fold(650, 13), fold(-2, 8)
    (50.0, 4.0)
    """
    small, large = sorted((abs(x), abs(y)))
    return large / small


def _contradicts(x: float, earlier: list[float], times: float) -> bool:
    if all(fold(x, other) >= times for other in earlier):
        return True
    # Numbers up to 1 change their sign easily, as temperatures and balances near 0 do.
    return abs(x) > 1 and all(x * other < 0 and fold(x, other) <= _NEGATED for other in earlier)


def _gravity(x: float, earlier: list[float], times: float) -> float:
    """Return the score: 0.5 for a ratio of *times* or an opposite sign, more for larger ratios."""
    nearest = min(fold(x, other) for other in earlier)
    return min(1.0, 0.5 * nearest / times) if nearest >= times else 0.5


def _change(x: float, series: Series) -> float:
    """Return the change from the arguments' mean, as a share of the larger one, at most 1."""
    usual = sum(series.values) / len(series.values)
    largest = max(abs(x), abs(usual))
    return min(1.0, abs(x - usual) / largest) if largest else 0.0
