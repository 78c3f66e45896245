"""What recorded runs show of each tool and parameter: counts, in bounded memory."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from math import isfinite
from typing import Any

MOST_VALUES = 32
"""Distinct values of one parameter that are counted; with more there is no list of them."""
_LONGEST_VALUE = 40
_MOST_PARAMETERS = 256
_MOST_SOURCES = 16
_MOST_PAIRS = 1_000


@dataclass(slots=True)
class NumberCounts:
    """
    The numbers of one parameter, NaN and the infinite left out.

    Attributes:
        count: Calls.
        sessions: Sessions that had any: the calls of one repeat each other.
        low, high: The ends.
        negative, zero: Calls with a number below zero, and with zero.
        whole: Whether each is an integer.
        counts: Number to how many sessions had it, while they are few.
        many: Whether there are more different numbers than are counted.

    >>> n = Numbers()
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
        """How many different numbers there are; one more than are counted, where there are more."""
        return MOST_VALUES + 1 if self.many else len(self.counts)

    def update(self, value: Any, *, drawn: set[float]) -> None:
        """
        Count one value, where it is a number.

        Args:
            drawn: What the same session has had of this parameter; the value is added.
        """
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
        self.sessions += not drawn
        if value not in drawn and len(drawn) < MOST_VALUES:
            drawn.add(value)
            self._draw(value)

    def _draw(self, value: float) -> None:
        if self.many:
            return
        self.counts[value] += 1
        if len(self.counts) > MOST_VALUES:
            self.many = True
            self.counts.clear()


@dataclass(slots=True)
class TextCounts:
    """
    The distinct texts of one parameter, while they are few and short.

    Calls of one session repeat each other, so that a text counts once in each session.

    Attributes:
        counts: Text to the number of sessions.
        sessions: How many sessions had any.
        many: Whether they are no list.
    """

    counts: Counter[str] = field(default_factory=Counter)
    sessions: int = 0
    many: bool = False

    def update(self, value: Any, *, drawn: set[str]) -> None:
        """
        Count one value that is not null; whatever is no short text ends the list.

        Args:
            drawn: What the same session has had of this parameter; the value is added.
        """
        if self.many or value is None:
            return
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
    What the calls show of one parameter at the top level, counted in calls.

    Attributes:
        given: Calls that had it.
        asked: Those in which it could be said whether its values had a source.
        sourced: Of the asked ones, those in which every value had one.
        shaped: Of the asked ones, those in which every value was written as an identifier.
        judged: Of the asked ones, those in which `phantom_target` judges a value of it.
        held: Of the judged ones, those that worked, in a run not known to have failed.
        alarms: Of these, those that the layer flags all the same.
        minted: Calls that worked and brought in a value which nobody had mentioned.
        reused: Later calls that took such a value as their target.
        sources: Where the values came from, to the number of calls.
        values: Its distinct texts in calls that worked, by sessions.
        numbers: Its numbers in calls that worked.
    """

    given: int = 0
    asked: int = 0
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
        """Count one place from which its value came; the first so many are told apart."""
        known = source in self.sources or len(self.sources) < _MOST_SOURCES
        self.sources[source if known else "elsewhere"] += 1


@dataclass(slots=True)
class ToolEvidence:
    """
    What the calls show of one tool.

    Attributes:
        calls: How often it was proposed.
        worked: How often it ran without an error.
        parameters: Its parameters at the top level, as they were given.
        feeds: Field of its results and whose target its value became, to the number of calls.
    """

    calls: int = 0
    worked: int = 0
    parameters: dict[str, ParameterEvidence] = field(default_factory=dict)
    feeds: Counter[tuple[str, str, str]] = field(default_factory=Counter)

    def parameter(self, name: str) -> ParameterEvidence:
        """Return the counts of one parameter; what a model makes up beyond a bound is not kept."""
        found = self.parameters.get(name)
        if found is None:
            found = ParameterEvidence()
            if len(self.parameters) < _MOST_PARAMETERS:
                self.parameters[name] = found
        return found


@dataclass(slots=True)
class PairEvidence:
    """How often two tools were called on one entity, and how these runs ended."""

    met: int = 0
    success: int = 0
    failure: int = 0


@dataclass(slots=True)
class RunEvidence:
    """
    All that the runs show.

    Attributes:
        tools: By name; of the tools that exist alone.
        pairs: First tool and then, to how often they met.
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
            return PairEvidence()
        return self.pairs.setdefault((first, then), PairEvidence())
