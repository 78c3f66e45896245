"""Argument names that are safe to export: those declared by the tool; others may be model text."""

from __future__ import annotations

from typing import Protocol
from weakref import WeakValueDictionary


class ToolRegistry(Protocol):
    """The registered tools of one Shield."""

    def argument_names(self, tool: str) -> frozenset[str]:
        """Return the declared argument names of *tool*; empty for an unknown tool."""
        ...


class ArgumentNames:
    """The argument names declared in all Shields that use one hook, weakly referenced."""

    def __init__(self) -> None:
        self._tools: WeakValueDictionary[int, ToolRegistry] = WeakValueDictionary()
        # separate from the dict, which is empty again after its Shields were deleted
        self._has_tools = False

    def add(self, tools: ToolRegistry) -> None:
        """Add the tools of a Shield."""
        self._tools[id(tools)] = tools
        self._has_tools = True

    def names(self, tool: str) -> frozenset[str] | None:
        """Return the argument names of *tool*; None if no Shield has added its tools."""
        if not self._has_tools:
            return None
        # a copy: the garbage collector may remove one meanwhile
        registries = [*self._tools.values()]
        return frozenset().union(*(tools.argument_names(tool) for tools in registries))
