"""
Cost of the MCP proxy: calls through it with a Shield and without; prints JSON.

Every series is measured in this one run, call by call in turn, so that a busy machine slows all
alike. ``direct`` is the server itself, ``bare`` the proxy that judges nothing, ``audit`` and
``strict`` the same proxy with a Shield. In memory all is one process, and its CPU time counts,
which no other process adds to; over stdio the server is a process of its own, as users run it,
and the clock counts.
"""

from __future__ import annotations

import asyncio
import json
import sys
from importlib import import_module

from command_line import announce, command_parser

CALLS, QUICK_CALLS = 500, 50
KINDS = ("memory", "stdio")


def main() -> None:
    """Print one JSON object."""
    parser = command_parser(
        __doc__, example="mcp_proxy.py --quick", quick=f"{QUICK_CALLS} calls of each series"
    )
    parser.add_argument("calls", nargs="?", type=int, default=CALLS, help="of each series")
    options = parser.parse_args()
    count = min(options.calls, QUICK_CALLS) if options.quick else options.calls
    try:
        calls = import_module("mcp_proxy_calls")
    except ModuleNotFoundError as error:
        print(f"the extra `fastmcp` is not installed: {error}", file=sys.stderr)
        raise SystemExit(2) from None
    rows = {}
    for kind in KINDS:
        announce(f"calling over {kind}")
        rows[kind] = calls.summarise(asyncio.run(calls.measured(kind, count)))
    print(json.dumps({"quick": options.quick, "calls": count, **rows}, indent=2))


if __name__ == "__main__":
    main()
