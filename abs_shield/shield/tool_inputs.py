"""Tools as a host passes them, a function, a `Tool` or a description, read as declarations."""

from __future__ import annotations

import dataclasses
from typing import Any

from abs_shield.core.messages import UnreadableMessage
from abs_shield.core.tool_shapes import read_tool
from abs_shield.errors import PolicyError
from abs_shield.policy import Tool, tool_of
from abs_shield.shield.binding_cache import shielded_binding
from abs_shield.shield.entry_table import EntryTable
from abs_shield.shield.name_conflicts import AmbiguousTool, SameCodeError
from abs_shield.shield.shared_tools import Shared
from abs_shield.shield.signature import Binding, bind


def declare(binding: Binding, tools: EntryTable | Shared, *, replace: bool) -> None:
    """
    Add a decorated tool.

    If a factory decorates several functions, each wrapper runs its own function. Only a dispatch
    by name is ambiguous, and refused.

    Raises:
        PolicyError: Its schema or one of its rules is invalid, or another function has its name.
    """
    try:
        tools.add(binding, replace=replace)
    except SameCodeError:
        placeholder = AmbiguousTool(binding.function, binding.tool.name)
        tools.add_ambiguous(dataclasses.replace(binding, function=placeholder))


def declared_tool(tool: Any) -> Tool | Binding | None:
    """Return the tool of a `Tool` or a callable; None for other objects."""
    if isinstance(tool, (Tool, Binding)):
        return tool
    shielded = shielded_binding(tool)
    if shielded is not None:
        return shielded
    return bind(tool) if callable(tool) else None


def described_tool(tool: Any) -> Tool:
    """
    Parse a tool description in a provider's or MCP's shape.

    Raises:
        PolicyError: The description is unreadable.
    """
    try:
        return tool_of(read_tool(tool))
    except UnreadableMessage as error:
        raise PolicyError(f"cannot register: {error}; give a `Tool` or a function") from None
