"""Calls through the MCP proxy, with a Shield and without, for ``mcp_proxy.py``."""

from __future__ import annotations

import logging
import statistics
import sys
from collections.abc import Callable
from contextlib import AsyncExitStack
from time import perf_counter, process_time
from typing import Any

from fastmcp import Client, FastMCP
from fastmcp.client.transports import FastMCPTransport

from abs_shield import Shield, shield
from abs_shield.adapters.fastmcp import ShieldMiddleware
from abs_shield.service.mcp_proxy import proxy
from abs_shield.service.upstream_server import Upstream, command

logging.getLogger("abs_shield").addHandler(logging.NullHandler())
CLOCKS = {"memory": process_time, "stdio": perf_counter}
SERIES = ("direct", "bare", "audit", "strict", "strict, keyed", "strict, phantom")
WARM_UP = 20
ARGUMENTS = {"transaction_id": "tx_12345", "amount": 20.0}


def shop() -> FastMCP:
    """A server of ten tools."""
    server: FastMCP = FastMCP("shop")

    @server.tool
    def refund(transaction_id: str, amount: float) -> str:
        return f"refunded {amount:.2f} for {transaction_id}"

    for n in range(9):
        server.tool(refund, name=f"refund_{n}")
    return server


def upstream(kind: str) -> Upstream:
    """Where the tools are: in this process, or in one of their own."""
    if kind == "memory":
        server = shop()
        return Upstream("shop", lambda: FastMCPTransport(server))
    return command([sys.executable, __file__])


async def timed(
    client: Client[Any], name: str, meta: dict[str, Any] | None, *, clock: Callable[[], float]
) -> float:
    """Milliseconds of one call."""
    start = clock()
    await client.call_tool_mcp(name, ARGUMENTS, meta=meta)
    return (clock() - start) * 1000


async def measured(kind: str, calls: int) -> dict[str, list[float]]:
    """Milliseconds of each call, of every series."""
    took: dict[str, list[float]] = {series: [] for series in SERIES}
    async with AsyncExitStack() as stack:
        clients: dict[str, Client[Any]] = {}
        for series in SERIES:
            behind = upstream(kind)
            mode = series.partition(",")[0]
            guard = None
            if mode in ("audit", "strict"):
                guard = ShieldMiddleware(Shield(shield.configure(mode=mode)))
            target = behind.transport() if series == "direct" else proxy(behind, guard)
            clients[series] = await stack.enter_async_context(Client(target, mode="legacy"))
            await clients[series].list_tools()
        for n in range(WARM_UP + calls):
            for series, client in clients.items():
                name = "refnud" if "phantom" in series else "refund"
                # a conversation of 50 calls each
                meta = {"abs_shield/session": f"s{n // 50}"} if "keyed" in series else None
                milliseconds = await timed(client, name, meta, clock=CLOCKS[kind])
                if n >= WARM_UP:
                    took[series].append(milliseconds)
    return took


def summarise(took: dict[str, list[float]]) -> dict[str, Any]:
    """Medians and tails, and how they compare to the bare proxy's."""
    bare = statistics.median(took["bare"])
    table = {}
    for series, times in took.items():
        median = statistics.median(times)
        table[series] = {
            "median_ms": round(median, 3),
            "p95_ms": round(statistics.quantiles(times, n=20)[18], 3),
            "more_than_bare_ms": round(median - bare, 3),
            "times_bare": round(median / bare, 3),
        }
    return table


if __name__ == "__main__":
    shop().run(show_banner=False)
