"""Trends of quality scores by agent, task type and model, with detection of shifts."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from dataclasses import dataclass
from threading import Lock
from typing import NamedTuple

from abs_shield.core.fork_safety import renewed
from abs_shield.quality.quality_types import AgentOutput, OutputFinding
from abs_shield.stats.control_charts import Ewma
from abs_shield.text.safe_display import escaped

logger = logging.getLogger("abs_shield")

SHIFTED = "QUALITY_SHIFT"
_MOST_SERIES = 1_000
"""Maximum number of series; further ones share one."""
_LEAST_DEVIATION = 5.0
"""Minimum assumed spread: most outputs score 100, and a single bad one is not a shift."""
_OTHER = "_other"


class SeriesKey(NamedTuple):
    """The key of a series of scores; a part is empty if unknown."""

    agent: str
    task_type: str
    model: str

    @classmethod
    def of(cls, output: AgentOutput) -> SeriesKey:
        """Return the series that an output belongs to."""
        return cls(output.agent_id, output.task_type, output.model)

    def __str__(self) -> str:
        return ", ".join(escaped(part, limit=80) for part in self if part) or "all outputs"


@dataclass(frozen=True, slots=True)
class Shift:
    """
    A shift of the quality scores of one series.

    Attributes:
        key: The series.
        before: Mean of the earlier scores, 0 to 100.
        now: Moving average at the detection, 0 to 100.
    """

    key: SeriesKey
    before: float
    now: float

    def finding(self) -> OutputFinding:
        """Return the shift as a finding."""
        return OutputFinding(code=SHIFTED, start=0, end=0, detail=str(self))

    def __str__(self) -> str:
        return f"quality of {self.key} went from {self.before:.0f} to {self.now:.0f}"


class ScoreTrends:
    """
    Monitors quality scores with a control chart for each agent, task type and model.

    >>> trends = ScoreTrends()
    >>> output = AgentOutput(text="...", agent_id="analyst")
    >>> found = [trends.add(output, score) for score in [87.0] * 40 + [71.0] * 10]
    >>> print(next(shift for shift in found if shift))
    quality of analyst went from 87 to 80
    """

    def __init__(self) -> None:
        self._lock = renewed(Lock())
        self._charts: dict[SeriesKey, Ewma] = {}

    def add(self, output: AgentOutput, score: float) -> Shift | None:
        """Add the score of an output, 0 to 100; return a shift if it detects one."""
        key = SeriesKey.of(output)
        with self._lock:
            if key not in self._charts and len(self._charts) >= _MOST_SERIES:
                key = SeriesKey(_OTHER, _OTHER, _OTHER)
            chart = self._charts.get(key)
            if chart is None:
                chart = self._charts[key] = Ewma(least_deviation=_LEAST_DEVIATION)
            before = chart.reference
            if not chart.update(score):
                return None
            shift = Shift(key, before, chart.average)
        # outside the lock: a handler may be slow, or add an output itself
        logger.warning("%s", shift)
        return shift

    def averages(self) -> Iterator[tuple[SeriesKey, float]]:
        """Yield the moving average of each series."""
        with self._lock:
            averages = [(key, chart.average) for key, chart in self._charts.items()]
        yield from averages
