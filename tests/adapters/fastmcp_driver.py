"""The scenes with FastMCP: a scripted model in a loop, a real client and an in-memory server."""

from __future__ import annotations

import asyncio
import copy
from collections.abc import Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from types import MappingProxyType
from typing import Any

from fastmcp import Client, FastMCP
from fastmcp.utilities.tests import asgi_client

from abs_shield import Session, Shield
from abs_shield.adapters.fastmcp import AGENT, CALL, SESSION, ShieldMiddleware
from tests.adapters.scenes import ASKED, TOOLS, Call, Ran, Shop, Turn
from tests.adapters.spans import record_spans

KEY = "conversation_1"


def server_of(shop: Shop, firewall: Shield | None) -> FastMCP:
    """Return a server of the host's tools, judged if there is a Shield."""
    server: FastMCP = FastMCP("desk")
    if firewall is not None:
        server.add_middleware(ShieldMiddleware(firewall))
    for name in TOOLS:
        server.tool(getattr(shop, name))
    return server


class Loop:
    """An agent's loop over a client, in memory or over streamable HTTP."""

    name = "fastmcp"
    impossible: Mapping[str, str] = MappingProxyType(
        {
            "unparsable JSON": "the client parses the arguments; a server receives only objects",
            "handoff": "a server receives calls and does not know the agents",
        }
    )

    def run(self, turns: Sequence[Turn], *, firewall: Shield | None, stream: bool = False) -> Ran:
        shop = Shop()
        ran = Ran(ran=shop.ran)
        server = server_of(shop, firewall)
        session = Session() if firewall is None else firewall.session(KEY)
        session.user(ASKED)
        with record_spans(ran):
            asyncio.run(self._looped(turns, server, ran, stream=stream))
        origin = session.origin("pc_777")
        ran.origin = "" if origin is None else origin.source
        ran.decisions = [] if firewall is None else firewall.store.decisions()
        return ran

    def delegate(self, turns: Sequence[Turn], *, firewall: Shield | None) -> Ran:
        raise NotImplementedError

    async def _looped(
        self, turns: Sequence[Turn], server: FastMCP, ran: Ran, *, stream: bool
    ) -> None:
        opened: AbstractAsyncContextManager[Client[Any]]
        opened = asgi_client(server) if stream else Client(server)
        messages: list[dict[str, Any]] = [{"role": "user", "content": ASKED}]
        async with opened as client:
            tools = [tool.model_dump(mode="json") for tool in await client.list_tools()]
            for turn in turns:
                ran.requests.append(copy.deepcopy({"messages": messages, "tools": tools}))
                if isinstance(turn, str):
                    ran.answer = turn
                    return
                messages.append({"role": "assistant", "calls": [call._asdict() for call in turn]})
                for call in turn:
                    contradictions = await self._result_text(client, call)
                    ran.replies[call.id] = contradictions
                    messages.append(
                        {"role": "tool", "tool_call_id": call.id, "content": contradictions}
                    )

    async def _result_text(self, client: Client[Any], call: Call) -> str:
        assert not isinstance(call.arguments, str)
        meta = {SESSION: KEY, CALL: call.id, AGENT: "clerk"}
        result = await client.call_tool_mcp(call.name, dict(call.arguments), meta=meta)
        return "\n".join(block.text for block in result.content if block.type == "text")


DRIVER = Loop()
"""A server's middleware, as a client's agent meets it."""
DRIVERS = (DRIVER,)
