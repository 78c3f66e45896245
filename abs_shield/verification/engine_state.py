"""All that an engine learnt, and since when it counts."""

from __future__ import annotations

from dataclasses import dataclass, field

from abs_shield.verification.observation import Observation
from abs_shield.verification.result_memory import MOST_TOOLS, Memory
from abs_shield.verification.settings import AllSettings
from abs_shield.verification.tool_state import ToolState

Since = dict[str, float]
"""By tool until when something was forgotten, in seconds since the epoch."""


@dataclass(slots=True)
class EngineState:
    """
    What an engine learnt; its owner holds a lock around every call.

    Attributes:
        memory: The results it remembers.
        settings: What labels and calibrations taught.
        tools: Tools that were unregistered: nothing about them counts that is as old as that.
        baselines: Tools whose baseline was given up as out of date: older results are no part of
            it, and are known by their arguments alone.
    """

    memory: Memory
    settings: AllSettings
    tools: Since = field(default_factory=dict)
    baselines: Since = field(default_factory=dict)

    def forget(self, tool: str, at: float) -> None:
        """Forget a tool, in whatever snapshot it comes again."""
        self.memory.forget(tool)
        self.settings.forget(tool, at)
        self.tools = newest({**self.tools, tool: at})

    def refuse(self, tool_state: ToolState, observation: Observation, tool: str) -> None:
        """Keep a result apart that was not accepted; note where that ends a baseline."""
        had = bool(tool_state.newest)
        self.memory.refuse(tool_state, observation, tool)
        if had and not tool_state.newest:
            self.baselines = newest({**self.baselines, tool: observation.at})

    def counts(self, tool: str, at: float) -> bool:
        """Return whether what is so old was not forgotten with its tool."""
        return at > self.tools.get(tool, -1.0)


def newest(*some: Since) -> Since:
    """
    Return the later time of each tool; of the newest thousand.

    >>> newest({"a": 1.0, "b": 5.0}, {"a": 3.0})
    {'b': 5.0, 'a': 3.0}
    """
    latest: Since = {}
    for since in some:
        for tool, at in since.items():
            latest[tool] = max(at, latest.get(tool, at))
    ordered = sorted(latest.items(), key=lambda one: (-one[1], one[0]))
    return dict(ordered[:MOST_TOOLS])
