"""The complete learnt state of an engine, with the times of forgetting."""

from __future__ import annotations

from dataclasses import dataclass, field

from abs_shield.verification.result_memory import MOST_TOOLS, ResultMemory
from abs_shield.verification.result_shape import Observation
from abs_shield.verification.tool_settings import AllSettings
from abs_shield.verification.tool_state import ToolState

Since = dict[str, float]
"""For each tool the time until which it was forgotten, in seconds since the epoch."""


@dataclass(slots=True)
class EngineState:
    """
    The learnt state of an engine; its owner holds a lock around every call.

    Attributes:
        memory: The remembered results.
        settings: Thresholds and weights from labels and calibrations.
        tools: Unregistered tools: their records up to that time do not count.
        baselines: Tools with an outdated baseline: results up to that time are not part of the
            new one, and are remembered by their arguments only.
    """

    memory: ResultMemory
    settings: AllSettings
    tools: Since = field(default_factory=dict)
    baselines: Since = field(default_factory=dict)

    def forget(self, tool: str, at: float) -> None:
        """Forget a tool, also if an older snapshot contains it."""
        self.memory.forget(tool)
        self.settings.forget(tool, at)
        self.tools = newest({**self.tools, tool: at})

    def refuse(self, tool_state: ToolState, observation: Observation, tool: str) -> None:
        """Put a rejected result into quarantine; note the time if that ends a baseline."""
        had = bool(tool_state.newest)
        self.memory.refuse(tool_state, observation, tool)
        if had and not tool_state.newest:  # the baseline became empty, so it was outdated
            self.baselines = newest({**self.baselines, tool: observation.at})

    def counts(self, tool: str, at: float) -> bool:
        """Return whether a record of this time was not forgotten with its tool."""
        return at > self.tools.get(tool, -1.0)


def newest(*some: Since) -> Since:
    """
    Return the latest time of each tool, for the newest thousand tools.

    >>> newest({"a": 1.0, "b": 5.0}, {"a": 3.0})
    {'b': 5.0, 'a': 3.0}
    """
    latest: Since = {}
    for since in some:
        for tool, at in since.items():
            latest[tool] = max(at, latest.get(tool, at))
    ordered = sorted(latest.items(), key=lambda one: (-one[1], one[0]))
    return dict(ordered[:MOST_TOOLS])
