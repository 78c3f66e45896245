"""
Cost of the MCP proxy: calls through it with a Shield and without; prints JSON.

    python benchmarks/mcp_proxy.py [calls]

Every series is measured in this one run, call by call in turn, so that a busy machine slows all
alike. ``direct`` is the server itself, ``bare`` the proxy that judges nothing, ``audit`` and
``strict`` the same proxy with a Shield. In memory all is one process, and its CPU time counts,
which no other process adds to; over stdio the server is a process of its own, as users run it,
and the clock counts.
"""

from __future__ import annotations

import asyncio
import json
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
from abs_shield.service.upstream import Upstream, command

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
    return command([sys.executable, __file__, "--serve"])


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


def main() -> None:
    calls = int(sys.argv[1]) if len(sys.argv) > 1 else 500
    kinds = ("memory", "stdio")
    rows = {kind: summarise(asyncio.run(measured(kind, calls))) for kind in kinds}
    print(json.dumps({"calls": calls, **rows}, indent=2))


if __name__ == "__main__":
    if "--serve" in sys.argv:
        shop().run(show_banner=False)
    else:
        main()
