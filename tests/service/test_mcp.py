"""The MCP proxy in front of servers in other processes, from the view of a client."""

from __future__ import annotations

import asyncio
import json
import shutil
import subprocess
from collections.abc import Callable, Coroutine, Iterator
from pathlib import Path
from time import perf_counter
from typing import Any

import pytest

pytest.importorskip("fastmcp", reason="needs `pip install abs-shield[fastmcp]`")

from fastmcp import Client
from fastmcp.client.transports import StdioTransport, StreamableHttpTransport

from abs_shield.stores import SqliteStore, verify
from tests.service.proxies import COMMAND, ENVIRONMENT, POLICY, SHOP, free_port, run_proxy, serve_at

Conversed = Callable[[Client[Any]], Coroutine[Any, Any, Any]]
ORDER = {"order_id": "ord_1"}


@pytest.fixture(scope="module")
def strict(tmp_path_factory) -> Iterator[str]:
    """Serve a strict proxy over HTTP, in front of a shop over stdio."""
    log = tmp_path_factory.mktemp("strict") / "log"
    with run_proxy("--policy", POLICY, "--hear", "--", *SHOP, log=log) as url:
        yield url


@pytest.fixture(scope="module")
def audit(tmp_path_factory) -> Iterator[tuple[str, str, Path]]:
    """Serve an audit proxy over HTTP, in front of a shop over HTTP: its URL, the shop's, a log."""
    log = tmp_path_factory.mktemp("audit") / "log"
    with serve_at(free_port(), SHOP) as behind, run_proxy("--url", behind, log=log) as url:
        yield url, behind, log


def with_client(target: Any, conversed: Conversed, **options: Any) -> Any:
    """Connect a real client, and converse."""

    async def connected() -> Any:
        async with Client(target, **options) as client:
            return await conversed(client)

    return asyncio.run(connected())


async def call_text(
    client: Client[Any], name: str, arguments: dict[str, Any], **meta: Any
) -> tuple[bool, Any]:
    """Return whether a call failed, and its text; of feedback, the codes."""
    carried = {f"abs_shield/{key}": value for key, value in meta.items()}
    result = await client.call_tool_mcp(name, arguments, meta=carried or None)
    text = "\n".join(block.text for block in result.content if block.type == "text")
    if result.is_error and text.startswith('{"status": "blocked"'):
        return True, [problem["code"] for problem in json.loads(text)["problems"]]
    return result.is_error, text


def test_its_tools_are_those_of_the_server(strict):
    """Names, schemas and hints pass through, and so does the server's name."""

    async def conversed(client: Client[Any]) -> Any:
        return client.server_info.name, {tool.name: tool for tool in await client.list_tools()}

    name, tools = with_client(strict, conversed)

    assert name == "shop"
    assert {"get_order", "refund", "crash"} <= tools.keys()
    assert tools["refund"].input_schema["required"] == ["transaction_id", "amount"]
    assert tools["refund"].annotations.destructive_hint is True


@pytest.mark.parametrize(
    ("name", "arguments", "failed", "text"),
    [
        ("refund", {"transaction_id": "tx_1", "amount": 5}, False, "refunded tx_1"),
        ("refnud", {"transaction_id": "tx_1", "amount": 5}, True, ["unknown_tool"]),
        ("refund", {"transaction_id": "tx_1", "amount": "five"}, True, ["wrong_type"]),
        ("refund", {"transaction_id": "tx_1", "amount": 900}, True, ["rule"]),
        ("refund", {"transaction_id": "tx_1"}, True, ["missing_argument"]),
        ("explode", {}, True, "Error calling tool 'explode': the warehouse is on fire"),
    ],
)
def test_a_call_is_judged(strict, name, arguments, failed, text):
    """A wrong call is answered with feedback; a right or failing one, by the server."""
    assert (failed, text) == with_client(strict, lambda client: call_text(client, name, arguments))


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_either_era_of_clients_is_served(strict, mode):
    """A client of the handshake is judged as one of today is."""

    async def conversed(client: Client[Any]) -> Any:
        good = await call_text(client, "get_order", ORDER)
        return good[0], await call_text(client, "get_ordr", ORDER)

    assert (False, (True, ["unknown_tool"])) == with_client(strict, conversed, mode=mode)


def test_a_session_by_meta(strict):
    """Calls under one key are one conversation: the second one takes the first one back."""

    async def conversed(client: Client[Any]) -> Any:
        await call_text(client, "create_user", {"user_id": "u_1"}, session="by_meta")
        other = await call_text(client, "delete_user", {"user_id": "u_1"}, session="another")
        alone = await call_text(client, "delete_user", {"user_id": "u_1"})
        return (
            other,
            alone,
            await call_text(client, "delete_user", {"user_id": "u_1"}, session="by_meta"),
        )

    done = (False, "deleted u_1")
    assert (done, done, (True, ["undone"])) == with_client(strict, conversed)


def test_a_session_by_header(strict):
    """A client that cannot set `_meta` names its conversation in a header."""
    target = StreamableHttpTransport(strict, headers={"x-abs-shield-session": "by_header"})

    async def conversed(client: Client[Any]) -> Any:
        await call_text(client, "create_user", {"user_id": "u_2"})
        return await call_text(client, "delete_user", {"user_id": "u_2"})

    assert (True, ["undone"]) == with_client(target, conversed)


def test_a_conversation_that_is_sent_along(strict):
    """With `--hear` a phantom target is found; what the server returned counts as seen."""
    state = [{"role": "user", "content": "Refund tx_12345, 20 dollars. My order is ord_1."}]

    async def conversed(client: Client[Any]) -> Any:
        async def refund(target: str) -> Any:
            arguments = {"transaction_id": target, "amount": 20}
            return await call_text(client, "refund", arguments, session="heard", messages=state)

        phantom, good = await refund("tx_99999"), await refund("tx_12345")
        unseen = await refund("pc_777")
        await call_text(client, "get_order", ORDER, session="heard")
        return phantom, good, unseen[0], (await refund("pc_777"))[1]

    phantom, good, unseen, results = with_client(strict, conversed)

    assert (True, ["unseen"]) == phantom
    assert (False, "refunded tx_12345") == good
    assert (True, True) == (unseen, "unseen" not in results)


def test_the_conversation_stays_here(strict):
    """The messages for `--hear` are not sent to the server; everything else is."""
    state = [{"role": "user", "content": "What do you see?"}]

    async def conversed(client: Client[Any]) -> Any:
        return await call_text(client, "show_meta", {}, session="shown", call="c1", messages=state)

    failed, text = with_client(strict, conversed)

    assert (failed, ["call", "session"]) == (False, json.loads(text))


def test_a_server_that_crashes_comes_back(strict):
    """The call under way fails as by the bare proxy; the next one starts the server anew."""

    async def conversed(client: Client[Any]) -> Any:
        crashed, text = await call_text(client, "crash", {})
        return crashed, "Connection closed" in text, await call_text(client, "get_order", ORDER)

    crashed, named, after = with_client(strict, conversed)

    assert (True, True) == (crashed, named)
    assert after[0] is False
    assert "pc_777" in after[1]


def test_calls_run_concurrently(strict):
    """Twenty waits of half a second take far less than ten seconds."""

    async def conversed(client: Client[Any]) -> Any:
        await call_text(client, "wait", {"seconds": 0})
        start = perf_counter()
        calls = (call_text(client, "wait", {"seconds": 0.5}, session="many") for _ in range(20))
        return await asyncio.gather(*calls), perf_counter() - start

    results, took = with_client(strict, conversed)

    assert results == [(False, "waited")] * 20
    assert took < 5


def test_audit_changes_nothing(audit):
    """Every answer equals the server's to the byte; findings are in the log."""
    url, behind, log = audit
    calls = [
        ("get_order", ORDER),
        ("refnud", {}),
        ("refund", {"transaction_id": "tx_1", "amount": "a lot"}),
        ("explode", {}),
        ("photo", {}),
    ]

    async def conversed(client: Client[Any]) -> list[dict[str, Any]]:
        results = [await client.call_tool_mcp(name, arguments) for name, arguments in calls]
        return [result.model_dump(exclude={"meta"}) for result in results]

    assert with_client(behind, conversed) == with_client(url, conversed)
    lines = [json.loads(line) for line in log.read_text().splitlines() if line[:1] == "{"]
    assert ["refnud", "refund"] == [line["tool"] for line in lines]
    assert all(line["would_block"] and not line["blocked"] for line in lines)


def test_nothing_but_the_protocol_is_on_the_standard_output():
    """A policy and its rules may print: that goes to the standard error. The server ends too."""
    client = {"name": "test", "version": "1"}
    opens = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client}
    called = {"name": "refund", "arguments": {"transaction_id": "tx_1", "amount": 5}}
    requests = [
        {"id": 1, "method": "initialize", "params": opens},
        {"method": "notifications/initialized"},
        {"id": 2, "method": "tools/call", "params": called},
    ]
    argv = [*COMMAND, "mcp", "--policy", POLICY, "--", *SHOP]
    pipe = subprocess.PIPE
    with subprocess.Popen(
        argv, stdin=pipe, stdout=pipe, stderr=pipe, env=ENVIRONMENT, text=True
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        for request in requests:
            process.stdin.write(json.dumps({"jsonrpc": "2.0", **request}) + "\n")
            process.stdin.flush()
        lines = [json.loads(process.stdout.readline()) for _ in range(2)]
        process.stdin.close()
        rest, errors = process.stdout.read(), process.stderr.read()

    assert [1, 2] == [line["id"] for line in lines]
    assert "refunded tx_1" in json.dumps(lines[1])
    assert (0, "") == (process.returncode, rest)
    assert "the policy is imported" in errors
    assert "the rule runs" in errors


def test_the_session_of_calls_that_name_none():
    """`--session` makes one conversation of everything that one client asks."""
    argv = [*COMMAND[1:], "mcp", "--policy", POLICY, "--session", "desk", "--", *SHOP]
    target = StdioTransport(COMMAND[0], argv, env=ENVIRONMENT, keep_alive=False)

    async def conversed(client: Client[Any]) -> Any:
        await call_text(client, "create_user", {"user_id": "u_3"})
        return await call_text(client, "delete_user", {"user_id": "u_3"})

    assert (True, ["undone"]) == with_client(target, conversed)


@pytest.mark.release
@pytest.mark.slow
@pytest.mark.parametrize(
    ("server", "name", "arguments", "part"),
    [
        ("mcp-server-time", "get_current_time", {"timezone": "Europe/Rome"}, "Europe/Rome"),
        ("mcp-server-git", "git_status", {"repo_path": "/nowhere"}, "/nowhere"),
    ],
)
def test_a_reference_server(tmp_path, server, name, arguments, part):
    """A third-party server is served and judged unchanged."""
    if shutil.which(server) is None:
        pytest.skip(f"needs `pip install {server}`")

    with run_proxy("--policy", POLICY, "--", server, log=tmp_path / "log") as url:

        async def conversed(client: Client[Any]) -> Any:
            phantom = await call_text(client, name + "s", arguments)
            mismatch = await call_text(client, name, dict.fromkeys(arguments, 5))
            return phantom, mismatch, (await call_text(client, name, arguments))[1]

        phantom, mismatch, good = with_client(url, conversed)

    assert ((True, ["unknown_tool"]), (True, ["wrong_type"])) == (phantom, mismatch)
    assert part in good


def test_decisions_are_in_the_log_when_it_ends(tmp_path):
    """The log that was named, for `abs-shield log` and the reports."""
    database = tmp_path / "decisions.db"

    async def conversed(client: Client[Any]) -> None:
        await call_text(client, "cancel_order", ORDER)
        await call_text(client, "cancel_ordre", ORDER)

    with run_proxy("--log", str(database), "--", *SHOP, log=tmp_path / "log") as url:
        with_client(url, conversed)
    store = SqliteStore(database, existing=True)

    assert ["cancel_order", "cancel_ordre"] == [d.tool for d in store.decisions()]
    assert [] == list(verify(store))


def test_a_log_that_cannot_be_opened_is_reported(tmp_path):
    """Before anything is served, with what to do instead."""
    argv = [*COMMAND, "mcp", "--log", str(tmp_path), "--", *SHOP]
    done = subprocess.run(argv, env=ENVIRONMENT, capture_output=True, text=True, timeout=60)

    assert (2, "") == (done.returncode, done.stdout)
    assert "name another by `--log DB`, or `--log none`" in done.stderr
