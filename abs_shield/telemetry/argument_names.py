"""Which names in a pointer are a tool's own; every other one may be what the model wrote."""

from __future__ import annotations

from typing import Protocol
from weakref import WeakValueDictionary


class ToolRegistry(Protocol):
    """The tools of one Shield."""

    def argument_names(self, tool: str) -> frozenset[str]:
        """Return the argument names that the author of *tool* wrote; none of an unknown tool."""
        ...


class ArgumentNames:
    """The tools of every Shield that tells one hook; a Shield that is gone is forgotten."""

    def __init__(self) -> None:
        self._tools: WeakValueDictionary[int, ToolRegistry] = WeakValueDictionary()
        self._asked = False

    def learn(self, tools: ToolRegistry) -> None:
        """Take the tools of one more Shield in."""
        self._tools[id(tools)] = tools
        self._asked = True

    def names(self, tool: str) -> frozenset[str] | None:
        """Return the argument names of *tool*; None where no Shield ever told of its tools."""
        if not self._asked:
            return None
        known = [*self._tools.values()]
        return frozenset().union(*(tools.argument_names(tool) for tools in known))
