"""Which tools a server lists to each of its clients, as they are judged."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Mapping
from threading import Lock
from time import monotonic
from typing import Any

from fastmcp.server.providers.addressing import parse_hashed_backend_name
from fastmcp.utilities.versions import VersionSpec

from abs_shield.core.forked import renewed
from abs_shield.policy.tool import LONGEST_NAME
from abs_shield.shield.offers import Description

_MOST_CLIENTS = 256
_ASKS_AGAIN_S = 60.0
Listing = dict[str, Description]
"""What a server lists, by name."""


class Listings:
    """The tools that each client was shown: a server may list other tools to another client."""

    def __init__(self) -> None:
        self._newest: OrderedDict[bytes, Listing] = OrderedDict()
        self._paused: dict[bytes, float] = {}
        self._lock = renewed(Lock())

    def of(self, client: bytes) -> Listing:
        return self._newest.get(client, {})

    def pause(self, client: bytes) -> None:
        """Ask no more for a while: a call in audit mode does not wait for a list each time."""
        with self._lock:
            if len(self._paused) >= _MOST_CLIENTS:
                self._paused.clear()
            self._paused[client] = monotonic() + _ASKS_AGAIN_S

    def is_paused(self, client: bytes) -> bool:
        return self._paused.get(client, 0.0) > monotonic()

    def keep(self, client: bytes, listing: Listing) -> None:
        with self._lock:
            self._newest[client] = listing
            self._newest.move_to_end(client)
            if len(self._newest) > _MOST_CLIENTS:
                self._newest.popitem(last=False)


def listing_of(tools: Iterable[Any], called: str = "") -> Listing:
    """Return tools under the name they are called by; a name without end is none."""
    told = (_described(tool) | ({"name": called} if called else {}) for tool in tools)
    read = (Description.of(each) for each in told if len(each["name"]) <= LONGEST_NAME)
    return {tool.shape.name: tool for tool in read if tool is not None}


def _described(tool: Any) -> dict[str, Any]:
    hints = tool.annotations
    told = None if hints is None else hints.model_dump(by_alias=True, exclude_none=True)
    return {
        "name": tool.name,
        "description": tool.description,
        "parameters": tool.parameters,
        "annotations": told,
    }


async def found_tool(server: Any, message: Any) -> Any:
    """The tool that a call reaches, as the server itself looks it up."""
    told = (message.meta or {}).get("fastmcp")
    version = told.get("version") if isinstance(told, Mapping) else None
    wanted = VersionSpec(eq=version) if isinstance(version, str) else None
    tool = await server.get_tool(message.name, wanted)
    if tool is None and (hashed := parse_hashed_backend_name(message.name)):
        tool = await server.get_tool_by_hash(*hashed)  # what an app's page calls
    return tool
