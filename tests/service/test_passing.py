"""Messages between a client and the server behind the proxy: the table of docs/adapters.md."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("fastmcp", reason="needs `pip install abs-shield[fastmcp]`")

import mcp_types as types
from fastmcp import Client
from fastmcp.client.elicitation import ElicitResult
from fastmcp.client.transports import StdioTransport
from mcp.shared.exceptions import MCPError

from tests.service.proxies import (
    COMMAND,
    ENVIRONMENT,
    HERE,
    POLICY,
    SHOP,
    free_port,
    run_proxy,
    serve_at,
)

pytestmark = pytest.mark.filterwarnings(
    "ignore::mcp.shared.exceptions.MCPDeprecationWarning"  # of requests that 2026-07-28 has not
)

ASKING = [sys.executable, str(HERE / "asking_server.py")]
EVERY_WAY = ("direct", "stdio", "stdio strict", "http", "http strict")
WAYS = ("direct", "stdio", "http strict")
PROXIES = WAYS[1:]
Way = Callable[[str], Any]


@pytest.fixture(scope="module")
def served(tmp_path_factory) -> Iterator[Callable[[str], str]]:
    """Yield the URL of a proxy, started at its first use; each client has a process behind it."""
    urls: dict[str, str] = {}
    with ExitStack() as stack:

        def url(kind: str) -> str:
            if kind not in urls:
                log = tmp_path_factory.mktemp("served") / "log"
                urls[kind] = stack.enter_context(run_proxy(*options(kind), "--", *ASKING, log=log))
            return urls[kind]

        yield url


def target_of(kind: str, served: Callable[[str], str], folder: Path) -> Any:
    """Return what a client connects to: the server itself, or a proxy in front of it."""
    if kind.startswith("http"):
        return served(kind)
    argv = ASKING if kind == "direct" else [*COMMAND, "mcp", *options(kind), "--", *ASKING]
    errors = folder / "errors"
    return StdioTransport(argv[0], argv[1:], env=ENVIRONMENT, keep_alive=False, log_file=errors)


@pytest.fixture
def way(served, tmp_path) -> Way:
    """Return a function that returns what a client connects to."""
    return lambda kind: target_of(kind, served, tmp_path)


@pytest.fixture(scope="module")
def converse_in_one(served, tmp_path_factory) -> Iterator[Callable[[str, Any], Any]]:
    """
    Yield a function that converses over the one connection of a kind.

    It is for tests that leave the server as it was: to start the processes of a connection takes
    most of the time of a test.
    """
    clients: dict[str, tuple[Client[Any], ClientInbox]] = {}
    with asyncio.Runner() as runner:

        async def connected(kind: str, conversed: Any) -> Any:
            if kind not in clients:
                inbox = ClientInbox()
                target = target_of(kind, served, tmp_path_factory.mktemp("client"))
                client = inbox.client(target, roots=["file:///srv"])
                await client.__aenter__()
                clients[kind] = client, inbox
            client, inbox = clients[kind]
            inbox.clear()
            return await conversed(client, inbox)

        async def close() -> None:
            for client, _ in clients.values():
                await client.__aexit__(None, None, None)

        yield lambda kind, conversed: runner.run(connected(kind, conversed))

        runner.run(close())


def options(kind: str) -> list[str]:
    """Return the options of a proxy."""
    return ["--log", "none", *(["--policy", POLICY] if "strict" in kind else [])]


class ClientInbox:
    """The requests and notifications that a client received."""

    def __init__(self) -> None:
        self.asked: list[Any] = []
        self.logs: list[Any] = []
        self.messages: list[str] = []

    def clear(self) -> None:
        """Forget what was received."""
        for received in (self.asked, self.logs, self.messages):
            received.clear()

    async def sample(self, messages: Any, params: Any, context: Any) -> Any:
        content = types.TextContent(type="text", text=messages[0].content.text.upper())
        return types.CreateMessageResult(role="assistant", model="own-model", content=content)

    async def elicit(self, message: str, kind: Any, params: Any, context: Any) -> Any:
        self.asked.append(params)
        if isinstance(params, types.ElicitRequestFormParams):
            return ElicitResult(action="accept", content={"text": message})
        return ElicitResult(action="decline")

    async def log(self, message: Any) -> None:
        self.logs.append((message.level, message.data, message.logger))

    async def message(self, message: Any) -> None:
        self.messages.append(getattr(message, "method", ""))

    def client(self, target: Any, **options: Any) -> Client[Any]:
        """Return a client that answers everything."""
        answers: dict[str, Any] = {
            "mode": "legacy",
            "sampling_handler": self.sample,
            "elicitation_handler": self.elicit,
            "log_handler": self.log,
            "message_handler": self.message,
            "client_info": types.Implementation(name="own-client", version="1"),
        }
        return Client(target, **(answers | options))


async def call_text(client: Client[Any], name: str, text: str = "") -> str:
    """Return the text of a call's result."""
    result = await client.call_tool_mcp(name, {"text": text})
    return "".join(block.text for block in result.content)


def runs(pid: int) -> bool:
    """Return whether a process is there."""
    return Path(f"/proc/{pid}").exists()


async def wait_until(true: Any) -> None:
    """Wait until a condition is true."""
    async with asyncio.timeout(20):
        while not true():
            await asyncio.sleep(0.02)


def converse(target: Any, conversed: Any, **options: Any) -> Any:
    """Connect a client, and converse."""

    async def connected() -> Any:
        message = ClientInbox()
        async with message.client(target, **options) as client:
            return await conversed(client, message)

    return asyncio.run(connected())


@pytest.mark.parametrize("kind", EVERY_WAY)
def test_a_sandbox_stays_closed(kind, way, tmp_path):
    """The server reads below the client's roots, and nowhere else."""
    secret, public = tmp_path / "secret", tmp_path / "narrow" / "public"
    public.parent.mkdir()
    secret.write_text("secret")
    public.write_text("public")

    async def conversed(client: Client[Any], received: ClientInbox) -> Any:
        first = await call_text(client, "read", str(secret)) if kind != "direct" else None
        await asyncio.sleep(0.3)  # the server learns the roots by itself
        answers = [await call_text(client, "read", str(path)) for path in (secret, public)]
        client.set_roots([f"file://{tmp_path}"])
        return first, answers

    first, answers = converse(way(kind), conversed, roots=[f"file://{public.parent}"])

    assert first in ("Access denied", None)
    assert ["Access denied", "public"] == answers


@pytest.mark.release
@pytest.mark.slow
def test_a_sandbox_stays_closed_while_the_server_is_slow_to_read(tmp_path):
    """The first call waits until the server could ask for the roots, however late it does."""
    secret = tmp_path / "secret"
    secret.write_text("secret")
    argv = [*COMMAND, "mcp", "--log", "none", "--", *ASKING]
    errors, slow = tmp_path / "errors", ENVIRONMENT | {"PAUSE_S": "0.5"}
    target = StdioTransport(argv[0], argv[1:], env=slow, keep_alive=False, log_file=errors)

    async def conversed(client: Client[Any], received: ClientInbox) -> str:
        return await call_text(client, "read", str(secret))

    assert "Access denied" == converse(target, conversed, roots=[f"file://{tmp_path}/narrow"])


@pytest.mark.parametrize("kind", WAYS)
def test_changed_roots_are_sent_to_the_server(kind, way, tmp_path):
    """The server is notified and requests the new roots."""
    secret = tmp_path / "secret"
    secret.write_text("secret")
    roots: list[str] = [f"file://{tmp_path}/narrow"]

    async def conversed(client: Client[Any], received: ClientInbox) -> Any:
        await asyncio.sleep(0.3)
        before = await call_text(client, "read", str(secret))
        roots[:] = [f"file://{tmp_path}"]
        await client.session.send_notification(types.RootsListChangedNotification())
        await call_text(client, "late")
        return before, await call_text(client, "read", str(secret))

    async def current(context: Any) -> list[str]:
        return roots

    assert ("Access denied", "secret") == converse(way(kind), conversed, roots=current)


@pytest.mark.parametrize("kind", [*PROXIES, "url"])
def test_a_call_right_behind_a_change_of_roots(kind, way, tmp_path):
    """The server learns the new roots before it reads the call."""
    secret = tmp_path / "secret"
    secret.write_text("secret")
    roots: list[str] = [f"file://{tmp_path}"]

    async def conversed(client: Client[Any], received: ClientInbox) -> Any:
        before = await call_text(client, "read", str(secret))
        roots[:] = [f"file://{tmp_path}/narrow"]
        await client.session.send_notification(types.RootsListChangedNotification())
        return before, await call_text(client, "read", str(secret))

    async def current(context: Any) -> list[str]:
        return roots

    with ExitStack() as stack:
        target = at_a_url(stack, tmp_path) if kind == "url" else way(kind)

        assert ("secret", "Access denied") == converse(target, conversed, roots=current)


def at_a_url(stack: ExitStack, folder: Path) -> str:
    """Start a server at a URL, and return that of a proxy in front of it."""
    behind = stack.enter_context(serve_at(free_port(), ASKING))
    return stack.enter_context(run_proxy("--log", "none", "--url", behind, log=folder / "url"))


@pytest.mark.parametrize("kind", PROXIES)
def test_a_server_that_is_started_anew_by_a_call(kind, way, tmp_path):
    """The call that starts it waits until the new process knows the roots, too."""
    secret = tmp_path / "secret"
    secret.write_text("secret")

    async def conversed(client: Client[Any], received: ClientInbox) -> str:
        os.kill(int((await call_text(client, "who")).rpartition(" ")[2]), signal.SIGKILL)
        await asyncio.sleep(0.5)
        return await call_text(client, "read", str(secret))

    assert "Access denied" == converse(way(kind), conversed, roots=[f"file://{tmp_path}/narrow"])


@pytest.mark.release
@pytest.mark.slow
@pytest.mark.parametrize("kind", ["stdio", "http"])
def test_a_client_that_never_says_its_roots(kind, way, tmp_path):
    """Requests wait for it once, not each of them."""
    public = tmp_path / "public"
    public.write_text("public")

    async def silent(context: Any) -> list[str]:
        await asyncio.sleep(3600)
        return []

    async def conversed(client: Client[Any], received: ClientInbox) -> Any:
        async with asyncio.timeout(40):
            for _ in range(10):
                answer = await call_text(client, "read", str(public))
        return answer

    assert "public" == converse(way(kind), conversed, roots=silent)


@pytest.mark.parametrize("kind", EVERY_WAY)
def test_what_the_server_asks(kind, converse_in_one):
    """Roots, a sample of the client's model, a form, a page: the client answers each."""

    async def conversed(client: Client[Any], received: ClientInbox) -> Any:
        answers = [
            await call_text(client, name, "hello")
            for name in ("roots", "sample", "elicit", "open_page")
        ]
        return answers, [getattr(params, "url", None) for params in received.asked]

    answers, pages = converse_in_one(kind, conversed)

    assert ["file:///srv", "own-model: HELLO", "accept {'text': 'hello'}", "decline"] == answers
    assert [None, "https://example.com/pay"] == pages


@pytest.mark.parametrize("kind", WAYS)
def test_a_question_beside_other_calls(kind, converse_in_one):
    """A call that ends meanwhile does not take a question of another one with it."""

    async def conversed(client: Client[Any], received: ClientInbox) -> Any:
        calls = [
            call_text(client, "late", "x"),
            call_text(client, "elicit", "a"),
            call_text(client, "who"),
        ]
        return (await asyncio.gather(*calls))[:2]

    assert ["x", "accept {'text': 'a'}"] == converse_in_one(kind, conversed)


@pytest.mark.parametrize("kind", WAYS)
def test_the_server_sees_the_name_and_capabilities_of_the_client(kind, way):
    """A capability that the client does not have is not offered to the server."""

    async def conversed(client: Client[Any], received: ClientInbox) -> str:
        return (await call_text(client, "who")).rpartition(" ")[0]

    full = converse(way(kind), conversed)
    bare = converse(way(kind), conversed, sampling_handler=None, elicitation_handler=None)

    assert "own-client ['elicitation', 'sampling']" == full
    assert "own-client []" == bare


@pytest.mark.parametrize("kind", WAYS)
def test_requests_beside_calls(kind, converse_in_one):
    """Ping, completions, subscriptions and the level of the log reach the server."""

    async def conversed(client: Client[Any], received: ClientInbox) -> Any:
        prompt = types.PromptReference(type="ref/prompt", name="p")
        pong = await client.ping()
        completion = await client.complete(prompt, {"name": "a", "value": "v"})
        await client.session.subscribe_resource("shop://one")
        await client.set_logging_level("error")
        state = (await call_text(client, "count")).partition(" ")[2]
        await client.session.unsubscribe_resource("shop://one")
        rest = (await call_text(client, "count")).partition(" ")[2]
        return pong, completion.values, state, rest

    expected = (True, ["v!"], "['shop://one'] error", "[] error")
    assert expected == converse_in_one(kind, conversed)


@pytest.mark.parametrize("kind", WAYS)
def test_notifications_of_the_server_reach_the_client(kind, way):
    """Log messages, list and resource changes, and progress are passed on unchanged."""

    async def conversed(client: Client[Any], received: ClientInbox) -> Any:
        steps: list[Any] = []

        async def step(progress: float, total: float | None, message: str | None) -> None:
            steps.append((progress, message))

        await client.list_tools()
        for name in ("log", "touch", "grow"):
            await call_text(client, name, "shop://one" if name == "touch" else "")
        await client.call_tool_mcp("long_job", {"text": "job"}, progress_handler=step)
        await wait_until(lambda: len(received.messages) >= 2 and received.logs and len(steps) == 2)
        names = {tool.name for tool in await client.list_tools()}
        return received.logs, set(received.messages), steps, "grown" in names

    logs, messages, steps, grown = converse(way(kind), conversed)

    assert [("warning", {"said": ""}, "shop")] == logs
    assert {"notifications/resources/updated", "notifications/tools/list_changed"} <= messages
    assert [(1, "job"), (2, "job")] == steps
    assert grown


@pytest.mark.parametrize("kind", PROXIES)
def test_progress_reaches_its_own_call(kind, converse_in_one):
    """Two concurrent calls each receive their own progress."""

    async def conversed(client: Client[Any], received: ClientInbox) -> Any:
        async def job(name: str) -> set[str | None]:
            texts: set[str | None] = set()

            async def step(progress: float, total: float | None, message: str | None) -> None:
                texts.add(message)

            await client.call_tool_mcp("long_job", {"text": name}, progress_handler=step)
            return texts

        return await asyncio.gather(job("a"), job("b"))

    assert [{"a"}, {"b"}] == converse_in_one(kind, conversed)


@pytest.mark.parametrize("kind", WAYS)
def test_a_tool_that_came_since(kind, way):
    """A client may call it before it lists the tools again, even without a notification."""

    async def conversed(client: Client[Any], received: ClientInbox) -> Any:
        await client.list_tools()
        await call_text(client, "late")
        await call_text(client, "grow", "silently")
        return await call_text(client, "grown")

    assert "new" == converse(way(kind), conversed)


@pytest.mark.parametrize("kind", WAYS)
def test_a_cancelled_call_is_cancelled_on_the_server(kind, converse_in_one):
    """The server is notified of the cancellation, and other calls continue."""

    async def conversed(client: Client[Any], received: ClientInbox) -> Any:
        call = asyncio.create_task(call_text(client, "patient", "first"))
        await call_text(client, "late")
        call.cancel()
        with suppress(asyncio.CancelledError):
            await call
        await call_text(client, "late")
        return await call_text(client, "given_up")

    assert "first" == converse_in_one(kind, conversed)


@pytest.mark.parametrize(("kind", "lists"), [("direct", 0), ("stdio", 1), ("http strict", 1)])
def test_a_call_lists_no_tools(kind, lists, way):
    """The list that calls are judged by is read once; this client reads its own after a call."""

    async def conversed(client: Client[Any], received: ClientInbox) -> Any:
        return [(await call_text(client, "count")).partition(" ")[0] for _ in range(3)]

    assert [str(lists + n) for n in (0, 1, 1)] == converse(way(kind), conversed)


@pytest.mark.parametrize("kind", WAYS)
def test_a_protocol_error_is_passed_on(kind, converse_in_one):
    """The code, the message and the data of the error are unchanged."""

    async def conversed(client: Client[Any], received: ClientInbox) -> Any:
        with pytest.raises(MCPError) as raised:
            await client.call_tool_mcp("fail", {})
        error = raised.value.error
        return error.code, error.message, error.data

    expected = (-32050, "the shop is closed", {"opens": "tomorrow"})
    assert expected == converse_in_one(kind, conversed)


@pytest.mark.parametrize("kind", WAYS)
def test_the_client_sees_the_identity_of_the_server(kind, converse_in_one):
    """The name, the instructions and the capabilities are those of the server."""

    async def conversed(client: Client[Any], received: ClientInbox) -> Any:
        offered = client.server_capabilities.model_dump(exclude_none=True)
        return client.server_info.name, client.instructions, sorted(offered)

    expected = ("asking", "Ask first.", ["completions", "logging", "resources", "tools"])
    assert expected == converse_in_one(kind, conversed)


@pytest.mark.release
@pytest.mark.slow
@pytest.mark.parametrize("kind", ["stdio", "http"])
def test_one_process_for_one_client(kind, way):
    """All that a client asks reaches one process, which ends with it."""

    async def connected(target: Any) -> set[int]:
        pids = set()
        async with ClientInbox().client(target, mode="auto") as client:
            for _ in range(3):
                pids.add(int((await call_text(client, "who")).rpartition(" ")[2]))
        await wait_until(lambda: not any(map(runs, pids)))
        return pids

    assert 1 == len(asyncio.run(connected(way(kind))))


@pytest.mark.parametrize("kind", PROXIES)
def test_what_changes(kind, converse_in_one):
    """Tools are listed unchanged; resources have FastMCP's own key, and are sent immediately."""

    async def conversed(client: Client[Any], received: ClientInbox) -> Any:
        tools = (await client.list_tools_mcp()).model_dump(exclude_none=True)
        resources = await client.list_resources_mcp()
        return tools, [resource.meta for resource in resources.resources], resources.next_cursor

    tools, metas, cursor = converse_in_one(kind, conversed)

    assert (tools, [None], "second") == converse_in_one("direct", conversed)
    assert [{"fastmcp"}, {"fastmcp"}] == [set(meta) for meta in metas]
    assert cursor is None


@pytest.mark.parametrize("kind", PROXIES)
def test_what_is_lost(kind, converse_in_one):
    """Tasks: they are not offered, and a request about one is unknown."""

    async def conversed(client: Client[Any], received: ClientInbox) -> Any:
        request = types.Request[Any, str](method="tasks/list", params={})
        with pytest.raises(MCPError) as raised:
            await client.session.send_request(request, types.EmptyResult)
        return client.server_capabilities.tasks, raised.value.error.code

    assert (None, types.METHOD_NOT_FOUND) == converse_in_one(kind, conversed)


def test_two_clients_at_once(served):
    """Each has its own process, its own roots and its own answers; the other's end is nothing."""

    async def conversed(url: str) -> Any:
        async def one(name: str) -> Any:
            async def elicit(message: str, kind: Any, params: Any, context: Any) -> Any:
                return ElicitResult(action="accept", content={"text": name})

            options = {"roots": [f"file:///{name}"], "elicitation_handler": elicit}
            async with ClientInbox().client(url, **options) as client:
                calls = (
                    call_text(client, kind) for kind in ("roots", "elicit", "who") for _ in "12"
                )
                answers = await asyncio.gather(*calls)
                return {*answers[:4]}, {*answers[4:]}

        return await asyncio.gather(one("a"), one("b"))

    (first, who), (second, other) = asyncio.run(conversed(served("http")))

    assert {"file:///a", "accept {'text': 'a'}"} == first
    assert {"file:///b", "accept {'text': 'b'}"} == second
    assert 1 == len(who) == len(other)
    assert who != other


@pytest.mark.release
@pytest.mark.slow
def test_processes_end_with_the_proxy(tmp_path):
    """One server process is started for each client, and all end with the proxy."""
    starts = tmp_path / "starts"
    argv = [*options("http"), "--", *ASKING, str(starts)]

    async def conversed(url: str, stop: Callable[[], None]) -> None:
        clients = [ClientInbox().client(url), ClientInbox().client(url)]
        for client in clients:
            await client.__aenter__()
            await call_text(client, "who")
        stop()

    with ExitStack() as stack:
        url = stack.enter_context(run_proxy(*argv, log=tmp_path / "log"))
        asyncio.run(conversed(url, stack.close))
    pids = [int(line) for line in starts.read_text().split()]

    assert 2 == len(pids)
    assert not any(map(runs, pids))


@pytest.mark.parametrize("kind", PROXIES)
def test_an_unsupported_protocol_version_is_an_error(kind, way):
    """The error lists the supported versions."""

    async def conversed(client: Client[Any], received: ClientInbox) -> Any:
        with pytest.raises(MCPError) as raised:
            await client.list_tools()
        return raised.value.error.code, "2025-11-25" in str(raised.value.error.data)

    code, named = converse(way(kind), conversed, mode="2026-07-28")

    assert (types.UNSUPPORTED_PROTOCOL_VERSION, True) == (code, named)


@pytest.mark.parametrize("kind", PROXIES)
def test_a_server_that_ended_while_nothing_was_asked(kind, way):
    """The next call starts it anew, and is answered."""

    async def conversed(client: Client[Any], received: ClientInbox) -> Any:
        pid = int((await call_text(client, "who")).rpartition(" ")[2])
        os.kill(pid, signal.SIGKILL)
        await asyncio.sleep(0.5)
        return pid, int((await call_text(client, "who")).rpartition(" ")[2])

    first, second = converse(way(kind), conversed)

    assert first != second


@pytest.mark.release
@pytest.mark.slow
def test_a_restarted_server_gets_a_new_session(tmp_path):
    """The next call opens a new session and has a result."""
    port = free_port()

    async def conversed(url: str, again: Callable[[], None]) -> Any:
        async with Client(url, mode="legacy") as client:
            await client.call_tool_mcp("get_order", {"order_id": "o"})
            again()
            return await client.call_tool_mcp("get_order", {"order_id": "o"})

    with ExitStack() as stack:
        first = stack.enter_context(ExitStack())
        behind = first.enter_context(serve_at(port, SHOP))
        log = tmp_path / "log"
        url = stack.enter_context(run_proxy("--log", "none", "--url", behind, log=log))

        def again() -> None:
            first.close()
            stack.enter_context(serve_at(port, SHOP))

        result = asyncio.run(conversed(url, again))

    assert "pc_777" in result.content[0].text
