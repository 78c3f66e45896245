"""The names of arguments that a tool's author wrote; in a call, every other one is the model's."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from abs_shield.policy import Tool
from abs_shield.policy.places import names_in

_MOST = 50_000
"""Members of a schema that are looked at."""


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
    left: list[Any] = [tool.parameters]
    for _ in range(_MOST):
        if not left:
            break
        here = left.pop()
        if isinstance(here, Mapping):
            properties = here.get("properties")
            if isinstance(properties, Mapping):
                names.update(name for name in properties if isinstance(name, str))
            left.extend(here.values())
        elif isinstance(here, (list, tuple)):
            left.extend(here)
    return frozenset(names)
