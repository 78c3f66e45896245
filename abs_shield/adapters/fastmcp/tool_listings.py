"""The tools that a server lists to each of its clients."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Mapping
from threading import Lock
from time import monotonic
from typing import Any

from fastmcp.server.providers.addressing import parse_hashed_backend_name
from fastmcp.utilities.versions import VersionSpec

from abs_shield.core.fork_safety import renewed
from abs_shield.policy.tool_declaration import LONGEST_NAME
from abs_shield.shield.offered_tools import Description

_MAX_CLIENTS = 256  # a listing contains all schemas; an evicted client's tools are listed again
_PAUSE_S = 60.0  # so that a server that is down fails one listing a minute, not one per call
Listing = dict[str, Description]
"""The tools of a listing, by name."""


class Listings:
    """The tools listed to each client, because a server may list different tools to each."""

    def __init__(self) -> None:
        self._newest: OrderedDict[bytes, Listing] = OrderedDict()
        self._paused: dict[bytes, float] = {}
        self._lock = renewed(Lock())

    def newest(self, client: bytes) -> Listing:
        """Return the newest listing of a client; empty if there is none."""
        return self._newest.get(client, {})

    def pause(self, client: bytes) -> None:
        """Pause listing for a minute, so that calls in audit mode do not wait for it each time."""
        with self._lock:
            if len(self._paused) >= _MAX_CLIENTS:
                self._paused.clear()  # at worst, some listings are retried early
            self._paused[client] = monotonic() + _PAUSE_S

    def is_paused(self, client: bytes) -> bool:
        """Return whether listing is paused for a client."""
        return self._paused.get(client, 0.0) > monotonic()

    def store(self, client: bytes, listing: Listing) -> None:
        """Store the newest listing of a client."""
        with self._lock:
            self._newest[client] = listing
            self._newest.move_to_end(client)
            if len(self._newest) > _MAX_CLIENTS:
                self._newest.popitem(last=False)


def listing_of(tools: Iterable[Any], called: str = "") -> Listing:
    """Return the descriptions of *tools* by name, or under the name *called*; skip long names."""
    descriptions = (_description_of(tool) | ({"name": called} if called else {}) for tool in tools)
    parsed = (Description.of(each) for each in descriptions if len(each["name"]) <= LONGEST_NAME)
    return {tool.shape.name: tool for tool in parsed if tool is not None}


def _description_of(tool: Any) -> dict[str, Any]:
    hints = tool.annotations
    annotations = None if hints is None else hints.model_dump(by_alias=True, exclude_none=True)
    return {
        "name": tool.name,
        "description": tool.description,
        "parameters": tool.parameters,
        "annotations": annotations,
    }


async def find_tool(server: Any, message: Any) -> Any:
    """Return the tool that a call runs, looked up as the server does; None if it is unknown."""
    fastmcp_meta = (message.meta or {}).get("fastmcp")
    version = fastmcp_meta.get("version") if isinstance(fastmcp_meta, Mapping) else None
    version_spec = VersionSpec(eq=version) if isinstance(version, str) else None
    tool = await server.get_tool(message.name, version_spec)
    if tool is None and (hashed := parse_hashed_backend_name(message.name)):
        tool = await server.get_tool_by_hash(
            *hashed
        )  # the form in which the page of an app calls a tool
    return tool
