"""A server at a URL that has no event stream and lists different tools for different users."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("fastmcp", reason="needs `pip install abs-shield[fastmcp]`")

from fastmcp import Client
from fastmcp.client.transports import StreamableHttpTransport
from mcp.shared.exceptions import MCPError

from tests.service.proxies import HERE, POLICY, free_port, run_proxy, serve_at

TILL = [sys.executable, str(HERE / "till_server.py")]
STRICT = ("--log", "none", "--policy", POLICY)


@pytest.fixture(scope="module")
def strict(tmp_path_factory) -> Iterator[str]:
    """Serve a strict proxy in front of the till."""
    log = tmp_path_factory.mktemp("till") / "log"
    with serve_at(free_port(), TILL) as url, run_proxy(*STRICT, "--url", url, log=log) as proxy:
        yield proxy


async def call_text(client: Client[Any], name: str) -> str:
    """Return the text of a call's result."""
    return (await client.call_tool_mcp(name, {})).content[0].text


def test_a_failed_call_is_not_repeated(strict):
    """A refused event stream (404) does not cause a repetition of the call."""

    async def conversed() -> str:
        async with Client(strict, mode="legacy") as client:
            await asyncio.sleep(0.5)  # the event stream is asked for beside the first requests
            with pytest.raises(MCPError, match="no receipt"):
                await call_text(client, "pay")
            return await call_text(client, "count")

    assert "1" == asyncio.run(conversed())


def test_a_broken_response_ends_only_its_own_call(strict):
    """Each request has its own stream, so the session continues."""

    async def conversed() -> Any:
        async with Client(strict, mode="legacy") as client:
            waits = asyncio.create_task(call_text(client, "wait"))
            await asyncio.sleep(0.3)
            broken = await call_text(client, "print_all")
            return broken, await call_text(client, "count"), await waits

    broken, _, waited = asyncio.run(conversed())

    assert "without a response" in broken
    assert "waited" == waited


def test_a_lost_session_is_reopened(strict):
    """A new session is opened, also if the server reports the loss by another status than 404."""

    async def conversed() -> str:
        async with Client(strict, mode="legacy") as client:
            assert "without a response" in await call_text(client, "start_anew")
            return await call_text(client, "wait")

    assert "waited" == asyncio.run(conversed())


def test_tools_of_another_client_are_unknown(strict):
    """A tool that the server lists for one client is unknown to the others."""

    def as_user(name: str) -> Client[Any]:
        headers = {"authorization": f"Bearer {name}"}
        return Client(StreamableHttpTransport(strict, headers=headers), mode="legacy")

    async def conversed() -> Any:
        async with as_user("chief") as chief, as_user("clerk") as clerk:
            listed = [tool.name for tool in await chief.list_tools()]
            return (
                listed,
                await call_text(chief, "close_till"),
                await call_text(clerk, "close_till"),
            )

    listed, closed, refused = asyncio.run(conversed())

    assert ("close_till", "closed") == (listed[-1], closed)
    assert '"code": "unknown_tool"' in refused
    assert '"close_till"' not in refused.partition('"allowed"')[2]


@pytest.mark.release
@pytest.mark.slow
def test_a_url_is_named_without_its_secrets(tmp_path):
    """Errors and the log contain neither user, password and query of a URL nor a long path."""
    log: Path = tmp_path / "log"
    long = "s3cret-path-of-one-user"

    async def failed(url: str) -> str:
        with pytest.raises(MCPError) as raised:
            async with Client(url, mode="legacy"):
                pass
        return str(raised.value)

    with ExitStack() as stack:
        with serve_at(free_port(), TILL) as url:
            secret = f"{url.replace('//', '//ann:s3cret@')}/{long}?key=s3cret"
            proxy = stack.enter_context(run_proxy(*STRICT, "--url", secret, log=log))
        answer = asyncio.run(failed(proxy))

    assert f"cannot reach `{url}/...`: " in answer
    assert answer in log.read_text()
    assert "s3cret" not in answer + log.read_text()
