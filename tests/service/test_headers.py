"""HTTP headers in the proxy: tokens of clients, and headers of `--header`."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("fastmcp", reason="needs `pip install abs-shield[fastmcp]`")

import httpx2
from fastmcp import Client
from fastmcp.client.transports import StdioTransport, StreamableHttpTransport
from mcp.shared.exceptions import MCPError

from tests.service.proxies import COMMAND, ENVIRONMENT, HERE, free_port, run_proxy, serve_at

TOKEN = ("--header", "Authorization=env:SHOP_TOKEN")
CONFIGURED = ("--log", "none", *TOKEN, "--header", "x-note=ours")
SECRET = "token-operator"


@pytest.fixture(scope="module")
def behind() -> Iterator[str]:
    """Serve the server that wants a token."""
    with serve_at(free_port(), [sys.executable, str(HERE / "token_server.py")]) as url:
        yield url


@pytest.fixture(scope="module")
def bare(behind, tmp_path_factory) -> Iterator[tuple[str, Path]]:
    """Yield the URL and the log of a proxy without a token."""
    log = tmp_path_factory.mktemp("bare") / "log"
    with run_proxy("--log", "none", "--url", behind, log=log) as url:
        yield url, log


@pytest.fixture(scope="module")
def with_own_token(behind, tmp_path_factory) -> Iterator[tuple[str, Path]]:
    """Serve a proxy that has a token: its URL, and its log."""
    log = tmp_path_factory.mktemp("configured") / "log"
    token = f"Bearer {SECRET}"
    with run_proxy(*CONFIGURED, "--url", behind, log=log, SHOP_TOKEN=token) as url:
        yield url, log


async def owners_of_token(target: Any, *, calls: int = 1, **options: Any) -> Any:
    """Return what the server reports about the token of each call."""
    async with Client(target, **options) as client:
        answers = [await client.call_tool_mcp("whose", {}) for _ in range(calls)]
        return {answer.content[0].text for answer in answers}


def with_token(url: str, token: str, **headers: str) -> StreamableHttpTransport:
    """Return a client's connection with a token."""
    return StreamableHttpTransport(url, headers={"authorization": f"Bearer {token}", **headers})


@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_each_client_has_its_token(bare, mode):
    """With two concurrent clients, each call has the token of its own client."""

    async def both() -> Any:
        clients = (with_token(bare[0], f"token-{name}") for name in "ab")
        return await asyncio.gather(
            *(owners_of_token(each, calls=5, mode=mode) for each in clients)
        )

    assert [{"a"}, {"b"}] == asyncio.run(both())


@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_the_configured_token_is_used_without_a_token_of_the_client(with_own_token, mode):
    """The proxy's token is sent for clients without one, and it is not in the log."""
    url, log = with_own_token

    assert {"operator ours"} == asyncio.run(owners_of_token(url, mode=mode))
    assert SECRET not in log.read_text()


def test_the_token_of_the_client_takes_precedence(with_own_token):
    """The proxy's other headers are added to those of the client."""
    assert {"a ours"} == asyncio.run(owners_of_token(with_token(with_own_token[0], "token-a")))
    assert {"a mine"} == asyncio.run(
        owners_of_token(with_token(with_own_token[0], "token-a", **{"x-note": "mine"}))
    )


@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_a_token_over_stdio(behind, mode):
    """A client over stdio has no headers: `--header` gives it a token."""
    argv = [*COMMAND[1:], "mcp", *CONFIGURED, "--url", behind]
    environment = ENVIRONMENT | {"SHOP_TOKEN": f"Bearer {SECRET}"}
    target = StdioTransport(COMMAND[0], argv, env=environment, keep_alive=False)

    assert {"operator ours"} == asyncio.run(owners_of_token(target, mode=mode))


def test_a_missing_token_is_reported_to_the_client(bare):
    """The proxy starts, and the client and the log receive the error of the server."""
    with pytest.raises(MCPError) as raised:
        asyncio.run(owners_of_token(bare[0], mode="legacy"))

    message = "it answers with status 401; let the client send its token, or give one by `--header`"
    assert message in str(raised.value)
    assert message in bare[1].read_text()


@pytest.mark.parametrize(("mode", "version"), [("legacy", "2025-11-25"), ("auto", "2026-07-28")])
def test_the_protocol_of_the_client(bare, mode, version):
    """The proxy speaks the client's protocol version to both ends."""

    async def answer(message: str, kind: Any, params: Any, context: Any) -> Any:
        return {"value": "yes"}

    async def connected() -> Any:
        target = with_token(bare[0], "token-a")
        async with Client(target, mode=mode, elicitation_handler=answer) as client:
            results = client.protocol_version, client.server_info.name
            if mode == "auto":  # has neither a ping nor a question of the server's
                return results, [tool.name for tool in await client.list_tools()]
            assert await client.ping()
            request = await client.call_tool_mcp("ask", {"question": "Sure?"})
            return results, request.content[0].text

    results, answered = asyncio.run(connected())

    assert (version, "token") == results
    assert answered == ("accept yes" if mode == "legacy" else ["whose", "ask"])


def test_a_header_that_changes(with_own_token):
    """A token that a client renews in its session is used from then on."""

    note: dict[str, str] = {}

    class Note(httpx2.Auth):
        def auth_flow(self, request: httpx2.Request) -> Any:
            request.headers.update(note | {"authorization": "Bearer token-a"})
            yield request

    async def renewed() -> Any:
        target = StreamableHttpTransport(with_own_token[0], auth=Note())
        async with Client(target, mode="legacy") as client:
            answers = []
            for number in "12":
                note["x-note"] = number
                answers.append((await client.call_tool_mcp("whose", {})).content[0].text)
            return answers

    assert ["a 1", "a 2"] == asyncio.run(renewed())
