"""Series of one number of a tool's results: its scale, its spread and its newest deviations."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from enum import Enum
from itertools import pairwise
from math import copysign, inf, log, sqrt

from abs_shield.stats import Window
from abs_shield.stats.series_shape import SeriesShape, repeats, shape
from abs_shield.stats.western_electric import RUN, WEIGHTS, ControlLimits, limits

NEWEST = 100
"""Number of points that a series remembers; older ones would hide a change of the tool."""
# Numbers of points at which the scale of a young series is chosen again.
_FIRST_FITS = (8, 16, 32, 64)
_WANDERS, _STEADY = 1.0, 1.4
"""Limits of the von Neumann ratio for similar neighbours, and for independent ones."""
_SKEWED = 1.0  # by the usual rule of thumb, a distribution is highly skewed above it
_HEAVY = 4.5
"""Kurtosis from which tails are heavier than a normal distribution's, which has 3."""
_STEP = 0.08
"""A series of few distinct values moves in steps: its spread is at least this share of them."""
_DRIFT = 0.01
"""A wandering series may move by this share of its level, regardless of its past."""
_ROUNDING = 1e-9  # relative spread that the rounding of floats may cause
_SAME = 1e-12
"""Relative spread up to which a series is constant."""
_OTHERWISE = 0.5
"""A change of a constant by this share, or from 0 beyond the next number, is another value."""
_FROM_ZERO = 10_000.0  # a field that was always 0, such as a count, may become any usual number
_FIRST_STEPS = 8
"""Distance from 0 of a restarted counter, in multiples of its largest step."""


class Scale(Enum):
    """The scale on which the points of a series are comparable."""

    LEVEL = "level"
    LOG = "log"
    CHANGE = "change"
    """From the last point to this one: counters, clocks, prices."""


_LEVEL, _LOG, _CHANGE = Scale  # module names are faster to look up than members of an enum
_NO_WINDOW = Window(2)


class Series:
    """
    The newest points of one number, with the allowed distance of a further one.

    The scale is chosen from the points, repeatedly: levels, logarithms if the points are skewed
    and positive, changes if neighbours are similar.

    Attributes:
        n: Number of points that a further one is compared with; 0 if there are too few.
        values: The points as they came, oldest first.
        total: Number of points ever added.
        judged: Distance of the point being judged, and its limits.
        is_on_one_side: Whether one more point on the side of the newest ones completes a run.
    """

    __slots__ = (
        "_beyond", "_due", "_floor", "_run", "_runs_apply", "_scale", "_window",
        "is_on_one_side", "judged", "n", "total", "values",
    )  # fmt: skip

    def __init__(self, *, size: int = NEWEST, first: int = _FIRST_FITS[0]) -> None:
        self.n = 0
        self.values: deque[float] = deque(maxlen=size)
        self.total = 0
        self._due = first
        self._scale: Scale | None = None
        self._window = _NO_WINDOW
        self._floor = 0.0
        self._runs_apply = False
        self._run = 0
        self.is_on_one_side = False
        self.judged: tuple[float, ControlLimits] | None = None
        self._beyond: tuple[tuple[int, bool, bool], ...] = ()

    def distance(self, x: float, gap: int = 1) -> float:
        """
        Return the distance of *x* from the expected value in deviations; 0 if it is unknown.

        Args:
            x: The point, finite and at most 1e150.
            gap: Calls since the last learnt point.
        """
        scale, window = self._scale, self._window
        spread, floor = window.deviation, self._floor
        if scale is _LEVEL:
            mean = window.mean
            away = x - mean
            if spread <= floor and spread <= _SAME * abs(mean):
                return _from_constant(away, mean)
        elif scale is _CHANGE:
            last = self.values[-1]
            if 0 <= x <= last / 2 and self._is_reset(x, gap):
                return 0.0
            away = x - last - gap * window.mean
            floor = max(floor * abs(last), abs(window.mean))
            # The spread of a sum of independent steps grows with the root of their number.
            if gap > 1:
                root = sqrt(gap)
                spread, floor = spread * root, floor * root
        elif scale is None:
            return 0.0
        elif x <= 0:  # a logarithmic scale has no point for 0 or a negative number
            return -inf if x < 0 else 0.0
        else:
            away = log(x) - window.mean
        if spread < floor:
            spread = floor
        return away / spread if spread else 0.0

    def _is_reset(self, x: float, gap: int) -> bool:
        """Return whether a counter, which only rises, has restarted near 0."""
        changes = self._window.values
        return min(changes) >= 0 <= x <= gap * _FIRST_STEPS * max(changes)

    def is_new(self, x: float) -> bool:
        """Return whether *x* is outside the range of all remembered points."""
        return not min(self.values) <= x <= max(self.values)

    def rules(self, x: float, distance: float, judged: ControlLimits) -> float:
        """Return the weights of the Western Electric rules that *x*, at *distance*, violates."""
        size = abs(distance)
        score = 0.0
        if size > judged.beyond_1:
            if size > judged.beyond_3 and self.is_new(x):
                score = WEIGHTS[0]
            if self._runs_apply and self._beyond:
                score += self._cluster(distance > 0, size > judged.beyond_2)
        if self._runs_apply and size > judged.one_side:
            run = self._run
            if (run >= RUN - 1) if distance > 0 else (run <= 1 - RUN):
                score += WEIGHTS[3]
        return score

    def _cluster(self, above: bool, far: bool) -> float:
        now, near, further = self.total, 0, 0
        # two of three points, or four of five: this one, and those of the two or four before it
        for total, was_above, was_far in self._beyond:
            if was_above is above and total > now - 4:
                near += 1
                further += was_far and total > now - 2
        return WEIGHTS[1] * (far and further >= 1) + WEIGHTS[2] * (near >= 3)

    def learn(self, x: float, *, judged: bool = False) -> None:
        """Add *x*; if it was the point judged last, its distance counts for the rules."""
        self.total = total = self.total + 1
        window = self._window
        if (scale := self._scale) is _LEVEL:
            window.update(x)  # its values are these
        else:
            if scale is _CHANGE:
                last = self.values[-1]
                if not 0 <= x <= last / 2 or not self._is_reset(x, 1):
                    window.update(x - last)
            elif scale is _LOG and x > 0:
                window.update(log(x))
            self.values.append(x)
        self.n = window.n
        if (place := self.judged) is not None:
            self.judged = None
            if judged and self._runs_apply:
                self._remember(*place)
        if total >= self._due:
            self._fit()

    def _remember(self, distance: float, judged: ControlLimits) -> None:
        _, beyond_2, beyond_1, one_side = judged
        run = self._run
        if distance > one_side:
            run = run + 1 if run > 0 else 1
        elif distance < -one_side:
            run = run - 1 if run < 0 else -1
        else:
            run = 0
        self._run = run
        self.is_on_one_side = not 1 - RUN < run < RUN - 1
        if not -beyond_1 <= distance <= beyond_1:
            point = (self.total, distance > 0, not -beyond_2 <= distance <= beyond_2)
            # The rules look back four points at most.
            self._beyond = (*self._beyond[-3:], point)

    def _fit(self) -> None:
        """Choose the scale again, in a pass over all points, which happens rarely."""
        values = self.values
        self._due = next((n for n in _FIRST_FITS if n > self.total), self.total + NEWEST)
        few, points = repeats(values), shape(values)
        scale = _LEVEL
        if points.wandering < _WANDERS:
            scale = _CHANGE
        elif not few and _is_skewed(values, points):
            scale = _LOG
            points = shape([log(x) for x in values])
        if scale is not self._scale:
            self._run, self.is_on_one_side = 0, False
            self._beyond = ()
        self._scale = scale
        self._window = window = Window(values.maxlen or NEWEST, _scaled(values, scale))
        self.n = window.n
        if scale is _LEVEL:
            self.values = window.values  # the same deque, which the window updates
        self._floor = _floor(scale, few=few, mean=window.mean)
        # The largest distance so far may recur, so the limit is beyond it.
        if scale is not _CHANGE and points.kurtosis > _HEAVY:
            self._floor = max(self._floor, _furthest(window) / limits(window.n, 1).beyond_3)
        # Rules on runs assume independent points; similar neighbours would violate them by nature.
        self._runs_apply = scale is not _CHANGE and not few and points.wandering > _STEADY


def _from_constant(away: float, mean: float) -> float:
    """Return the distance from a value that never changed."""
    size = abs(away)
    if not mean:
        return copysign(inf, away) if size > _FROM_ZERO else 0.0
    share = size / abs(mean)
    return copysign(inf if share >= _OTHERWISE else share / _STEP, away)


def _is_skewed(values: deque[float], points: SeriesShape) -> bool:
    if abs(points.skewness) <= _SKEWED or min(values) <= 0:
        return False
    return abs(shape([log(x) for x in values]).skewness) < abs(points.skewness)


def _furthest(window: Window) -> float:
    """Return 1.5 times the largest distance from the mean: heavy tails exceed their past."""
    mean = window.mean
    return 1.5 * max(max(window.values) - mean, mean - min(window.values))


def _scaled(values: deque[float], scale: Scale) -> Iterable[float]:
    if scale is _LEVEL:
        return values
    if scale is _LOG:
        return [log(x) for x in values]
    return [after - before for before, after in pairwise(values)]


def _floor(scale: Scale, *, few: bool, mean: float) -> float:
    """Return the minimal spread: for changes a share of the level, else in the scale's own unit."""
    if scale is _CHANGE:
        return _STEP if few else _DRIFT
    if scale is _LOG:
        return _ROUNDING
    return (_STEP if few else _ROUNDING) * abs(mean)
