"""Whether a day or a time follows from others: a length later, the next Monday, hours between."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

from abs_shield.answer.checks.columns import MOST_READ
from abs_shield.answer.checks.lengths import apart, as_clock, dates, lengths, lies
from abs_shield.answer.evidence.types import Source
from abs_shield.answer.evidence.value_index import ValueIndex
from abs_shield.text.values.figure import DATE, TIME, Figure, near

_MOST = 48
"""Moments that are reckoned with."""
_MOST_ASKED = 8
_FORTNIGHT = 14
LENGTHS = frozenset(
    "hour hours hr hrs minute minutes min mins day days night nights week weeks".split()
)
"""Units of what lies between two moments."""


class Later:
    """
    The moments of a reply that the evidence has, and those of the newest result and the system.

    Args:
        found: Figures of the reply that stand in the evidence.
        said: All figures of the reply.
        known: The evidence.
        weekdays: Days of the week that the reply names, Monday as 0.
    """

    def __init__(
        self,
        found: Sequence[Figure],
        said: Sequence[Figure],
        known: ValueIndex,
        *,
        weekdays: frozenset[int],
    ) -> None:
        place = known.newest
        newest = [known.stands[n] for n in known.of_piece[place][:MOST_READ]] if place >= 0 else []
        system = [one for one in known.stands[:MOST_READ] if one.source is Source.SYSTEM]
        moments = (*found, *(stand.figure for stand in (*newest, *system)))
        self._moments = [one for one in moments if one.kind in (DATE, TIME)][:_MOST]
        self._own = [one for one in found if one.kind in (DATE, TIME)][:_MOST]
        self._said = [one for one in said if one.unit in LENGTHS]
        asked = (stand.figure for stand in known.asked)
        self._asked = [one for one in asked if one.unit in LENGTHS][:_MOST_ASKED]
        self._days = [day for one in self._moments for day in dates(one, None)]
        self._weekdays = weekdays

    def gives(self, figure: Figure, start: int, end: int) -> bool:
        """Whether it lies as far from another as its line, or the user, says; or on a weekday."""
        near_by = [one for one in self._said if start <= one.start < end]
        if lies(figure, self._own, [*near_by, *self._asked]):
            return True
        if figure.kind == TIME and figure.text.startswith("0"):  # a length, as a clock shows it
            pairs = combinations((one for one in self._own if one.kind == TIME), 2)
            between = (apart(*pair) for pair in pairs)
            return figure.value in (as_clock(self._said), *between)
        return any(
            abs((day - other).days) <= _FORTNIGHT
            for other in self._days
            for day in dates(figure, other.year)
            if day.weekday() in self._weekdays
        )

    def is_length(self, figure: Figure) -> bool:
        """Whether a number is how far two moments are apart, in its unit."""
        return any(
            near(figure.numbers[0], length, figure.step)
            for one, other in combinations(self._moments, 2)
            for length in lengths(one, other, figure.unit)
        )
