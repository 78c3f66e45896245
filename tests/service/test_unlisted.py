"""A server behind the proxy that cannot say which tools it has."""

from __future__ import annotations

import asyncio
import sys
from typing import Any

import pytest

pytest.importorskip("fastmcp", reason="the extra `fastmcp` is not installed")

import mcp_types as types
from fastmcp import Client
from fastmcp.client.transports import StdioTransport
from mcp.shared.exceptions import MCPError

from tests.service.proxies import COMMAND, ENVIRONMENT, HERE, POLICY

ARGUMENTS = {"x": 1}


def called(kind: str, log: Any, *options: str) -> tuple[str, str]:
    """Call the tool of a server, behind the proxy; return its answer, and what was logged."""
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
def test_audit_runs_a_call_although_no_tools_are_listed(kind, tmp_path):
    """As without the proxy; that nothing was judged by a schema is an error of the log."""
    output, logged = called(kind, tmp_path / "log")

    assert '{"x": 1}{"x": 1}' == output
    assert 1 == logged.count("its server cannot list its tools")
    assert "HALLUCINATED" not in logged


def test_strict_runs_no_call_that_it_cannot_judge(tmp_path):
    """The client reads the server's own error."""
    with pytest.raises(MCPError, match="the database is down"):
        called("error", tmp_path / "log", "--policy", POLICY)
