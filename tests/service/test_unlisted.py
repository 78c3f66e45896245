"""A server behind the proxy that cannot list its tools."""

from __future__ import annotations

import asyncio
import sys
from typing import Any

import pytest

pytest.importorskip("fastmcp", reason="needs `pip install abs-shield[fastmcp]`")

import mcp_types as types
from fastmcp import Client
from fastmcp.client.transports import StdioTransport
from mcp.shared.exceptions import MCPError

from tests.service.proxies import COMMAND, ENVIRONMENT, HERE, POLICY

ARGUMENTS = {"x": 1}


def call_tool(kind: str, log: Any, *options: str) -> tuple[str, str]:
    """Call a tool of the server through the proxy; return its output and the log."""
    server = [sys.executable, str(HERE / "unlisted_server.py"), kind]
    argv = [*COMMAND, "mcp", "--log", "none", *options, "--", *server]
    target = StdioTransport(argv[0], argv[1:], env=ENVIRONMENT, keep_alive=False, log_file=log)

    async def read_reply() -> str:
        async with Client(target, mode="legacy") as client:
            # the client's own way to call a tool lists the tools first
            request = types.CallToolRequest(params={"name": "echo", "arguments": ARGUMENTS})
            results = [
                await client.session.send_request(request, types.CallToolResult) for _ in range(2)
            ]
        return "".join(block.text for result in results for block in result.content)

    return asyncio.run(read_reply()), log.read_text()


@pytest.mark.parametrize("kind", ["error", "malformed"])
def test_audit_runs_a_call_if_no_tools_are_listed(kind, tmp_path):
    """The call runs, and an error is logged because no schema was checked."""
    output, logged = call_tool(kind, tmp_path / "log")

    assert '{"x": 1}{"x": 1}' == output
    assert 1 == logged.count("its server cannot list its tools")
    assert "HALLUCINATED" not in logged


def test_strict_runs_no_call_that_it_cannot_judge(tmp_path):
    """The client reads the server's own error."""
    with pytest.raises(MCPError, match="the database is down"):
        call_tool("error", tmp_path / "log", "--policy", POLICY)
