"""Counts of each tool and parameter in recorded runs, in bounded memory."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from math import isfinite
from typing import Any

MOST_VALUES = 32
"""Maximum number of distinct values counted for one parameter; more are no list to propose."""
_LONGEST_VALUE = 40  # the texts of an enumeration are words
_MOST_PARAMETERS = 256  # names that a model invents for one tool
_MOST_SOURCES = 16  # a source is a tool's field, a message or the host
_MOST_PAIRS = 1_000  # more than the pairs that are proposed


@dataclass(slots=True)
class NumberCounts:
    """
    The numbers of one parameter, without NaN and infinities.

    Attributes:
        count: Calls.
        sessions: Number of sessions with a number: calls of one session are not independent.
        low, high: The least and the greatest number.
        negative, zero: Calls with a number below zero, and with zero.
        whole: Whether each is an integer.
        counts: Number of sessions by number, while there are few.
        many: Whether there are more distinct numbers than are counted.

    >>> n = NumberCounts()
    >>> for x in (3, 1.5, float("nan"), True, -2, 3): n.update(x, drawn=set())
    >>> n.count, n.low, n.high, n.whole, n.negative, n.distinct
    (4, -2, 3, False, 1, 3)
    """

    count: int = 0
    sessions: int = 0
    low: float = 0
    high: float = 0
    negative: int = 0
    zero: int = 0
    whole: bool = True
    counts: Counter[float] = field(default_factory=Counter)
    many: bool = False

    @property
    def distinct(self) -> int:
        """The number of distinct values; one more than the maximum if there are more."""
        return MOST_VALUES + 1 if self.many else len(self.counts)

    def update(self, value: Any, *, drawn: set[float]) -> None:
        """
        Count one value, if it is a number.

        Args:
            drawn: The values of this parameter in the same session; the value is added.
        """
        # True is an integer in Python
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            return
        if isinstance(value, float) and not isfinite(value):
            return
        self.low = value if not self.count else min(self.low, value)
        self.high = value if not self.count else max(self.high, value)
        self.whole = self.whole and isinstance(value, int)
        self.count += 1
        self.negative += value < 0
        self.zero += value == 0
        self.sessions += not drawn  # a session counts once, however often it calls
        if value not in drawn and len(drawn) < MOST_VALUES:
            drawn.add(value)
            self._draw(value)

    def _draw(self, value: float) -> None:
        if self.many:
            return
        self.counts[value] += 1
        if len(self.counts) > MOST_VALUES:  # memory is bounded, and more values are no scale
            self.many = True
            self.counts.clear()


@dataclass(slots=True)
class TextCounts:
    """
    The distinct texts of one parameter, while they are few and short.

    Calls of one session are not independent, so a text counts once per session.

    Attributes:
        counts: Number of sessions by text.
        sessions: Number of sessions with a text.
        many: Whether there are too many texts for a list.
    """

    counts: Counter[str] = field(default_factory=Counter)
    sessions: int = 0
    many: bool = False

    def update(self, value: Any, *, drawn: set[str]) -> None:
        """
        Count one value that is not null; a value that is not a short text ends the list.

        Args:
            drawn: The values of this parameter in the same session; the value is added.
        """
        if self.many or value is None:
            return
        # a long text or another type is no value of a list
        if not isinstance(value, str) or len(value) > _LONGEST_VALUE:
            self._end()
            return
        if value in drawn:
            return
        self.sessions += not drawn
        drawn.add(value)
        self.counts[value] += 1
        if len(self.counts) > MOST_VALUES:
            self._end()

    def _end(self) -> None:
        self.many = True
        self.counts.clear()


@dataclass(slots=True)
class ParameterEvidence:
    """
    Counts of calls for one top-level parameter.

    Attributes:
        present: Calls that had the parameter.
        checked: Calls in which the source of its values could be determined.
        sourced: Checked calls in which every value had a source.
        shaped: Checked calls in which every value looked like an identifier.
        judged: Checked calls in which `phantom_target` judges a value of it.
        held: Judged calls that worked, in a run that is not known to have failed.
        alarms: Calls among these that the layer flags nevertheless.
        minted: Calls that worked with a new value, not mentioned before.
        reused: Later calls that took such a value as their target.
        sources: Number of calls by the source of the values.
        values: Its distinct texts in calls that worked, by sessions.
        numbers: Its numbers in calls that worked.
    """

    present: int = 0
    checked: int = 0
    sourced: int = 0
    shaped: int = 0
    judged: int = 0
    held: int = 0
    alarms: int = 0
    minted: int = 0
    reused: int = 0
    sources: Counter[str] = field(default_factory=Counter)
    values: TextCounts = field(default_factory=TextCounts)
    numbers: NumberCounts = field(default_factory=NumberCounts)

    def from_source(self, source: str) -> None:
        """Count the source of a value; only a bounded number of sources is distinguished."""
        is_listed = source in self.sources or len(self.sources) < _MOST_SOURCES
        self.sources[source if is_listed else "elsewhere"] += 1


@dataclass(slots=True)
class ToolEvidence:
    """
    Counts of calls for one tool.

    Attributes:
        calls: Number of proposed calls.
        worked: Number of calls that ran without an error.
        parameters: Its top-level parameters in the calls.
        feeds: Number of calls by the field of its results and the target that took the value.
    """

    calls: int = 0
    worked: int = 0
    parameters: dict[str, ParameterEvidence] = field(default_factory=dict)
    feeds: Counter[tuple[str, str, str]] = field(default_factory=Counter)

    def parameter(self, name: str) -> ParameterEvidence:
        """Return the counts of one parameter; invented ones beyond a bound are not stored."""
        counts = self.parameters.get(name)
        if counts is None:
            counts = ParameterEvidence()
            if len(self.parameters) < _MOST_PARAMETERS:  # counted, but not stored
                self.parameters[name] = counts
        return counts


@dataclass(slots=True)
class PairEvidence:
    """Number of runs in which two tools were called on one entity, by outcome."""

    met: int = 0
    success: int = 0
    failure: int = 0


@dataclass(slots=True)
class RunEvidence:
    """
    All counts from the runs.

    Attributes:
        tools: Counts by name, for existing tools only.
        pairs: Counts by the pair of tools, in order of the calls.
    """

    runs: int = 0
    calls: int = 0
    tools: dict[str, ToolEvidence] = field(default_factory=dict)
    pairs: dict[tuple[str, str], PairEvidence] = field(default_factory=dict)

    def tool(self, name: str) -> ToolEvidence:
        """Return the counts of one tool."""
        return self.tools.setdefault(name, ToolEvidence())

    def pair(self, first: str, then: str) -> PairEvidence:
        """Return the counts of one pair."""
        if (first, then) not in self.pairs and len(self.pairs) >= _MOST_PAIRS:
            return PairEvidence()  # counted in vain beyond the maximum
        return self.pairs.setdefault((first, then), PairEvidence())
