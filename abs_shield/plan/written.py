"""The names of arguments that a tool's author wrote; in a call, every other one is the model's."""

from __future__ import annotations

from abs_shield.plan.schemas import names_of_properties
from abs_shield.policy import Tool
from abs_shield.policy.places import names_in


def written_names(tool: Tool) -> frozenset[str]:
    """
    Give every name that *tool* has for an argument or a field of a result, or for what is in one.

    >>> line = {"properties": {"sku": {}}}
    >>> lines = {"type": "object", "additionalProperties": line}
    >>> sorted(written_names(Tool(name="order", parameters={"properties": {"lines": lines}})))
    ['lines', 'sku']
    """
    keys = (*tool.targets, *tool.soft, *tool.free, *tool.creates)
    names = {name for key in keys for name in names_in(key)}
    if tool.profile is not None:
        names |= tool.profile.names
    return frozenset(names.union(names_of_properties(tool.parameters)))
