"""Which names in a pointer are a tool's own; every other one may be what the model wrote."""

from __future__ import annotations

from typing import Protocol
from weakref import WeakValueDictionary


class Tools(Protocol):
    """The tools of one Shield."""

    def argument_names(self, tool: str) -> frozenset[str]:
        """Give the argument names that the author of *tool* wrote; none of an unknown tool."""
        ...


class Declared:
    """The tools of every Shield that tells one hook; a Shield that is gone is forgotten."""

    def __init__(self) -> None:
        self._tools: WeakValueDictionary[int, Tools] = WeakValueDictionary()
        self._asked = False

    def learn(self, tools: Tools) -> None:
        """Take the tools of one more Shield in."""
        self._tools[id(tools)] = tools
        self._asked = True

    def names(self, tool: str) -> frozenset[str] | None:
        """Give the argument names of *tool*; None where no Shield ever told of its tools."""
        if not self._asked:
            return None
        known = [*self._tools.values()]
        return frozenset().union(*(tools.argument_names(tool) for tools in known))
