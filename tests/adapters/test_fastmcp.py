"""FastMCP's middleware: the common scenes, and features of servers."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest

from tests.processes import run_python

pytest.importorskip("fastmcp", reason="needs `pip install abs-shield[fastmcp]`")

import mcp_types
from fastmcp import Client, Context, FastMCP
from fastmcp.exceptions import ToolError
from fastmcp.server.auth.providers.jwt import StaticTokenVerifier
from fastmcp.server.middleware import Middleware
from fastmcp.server.providers import Provider
from fastmcp.tools import Tool
from fastmcp.tools.base import ToolResult
from fastmcp.utilities.tests import asgi_client, asgi_server
from fastmcp.utilities.types import Image
from mcp import MCPError
from opentelemetry import trace

from abs_shield import Shield, ToolProfile, Verdict, inverse, rule, shield, shielded
from abs_shield import Tool as Declared
from abs_shield.adapters.fastmcp import ShieldMiddleware
from abs_shield.core import Outcome
from abs_shield.session.session_record import record_of
from tests.adapters.canaries import CANARY, places
from tests.adapters.conformance import conforms
from tests.adapters.fastmcp_driver import DRIVER
from tests.adapters.page import blocks
from tests.adapters.scenes import Ran
from tests.adapters.spans import exporter, record_spans
from tests.subjects import about_calls

TestConformance = conforms(DRIVER)

ROOT = Path(__file__).parents[2]
USER_TEXT = [{"role": "user", "content": "Please refund tx_12345, 20 dollars."}]
Conversed = Callable[[Client[Any]], Coroutine[Any, Any, Any]]


@pytest.fixture
def strict() -> Shield:
    """Return a strict Shield that knows one pair of inverse tools."""
    pair = inverse("create_user", "delete_user", same="user_id")
    return Shield(shield.configure(mode="strict", on_suspicious="block", inverses=[pair]))


def server_with_shield(guard: Shield | None, **options: Any) -> FastMCP:
    """Return a server of a shop, with or without a Shield."""
    server: FastMCP = FastMCP("shop")
    if guard is not None:
        server.add_middleware(ShieldMiddleware(guard, **options))

    @server.tool
    def get_order(order_id: str) -> dict[str, str]:
        return {"order_id": order_id, "parcel_id": "pc_777"}

    @server.tool
    def refund(transaction_id: str, amount: float) -> str:
        return f"refunded {transaction_id}"

    @server.tool
    def create_user(user_id: str) -> str:
        return "created"

    @server.tool
    def delete_user(user_id: str) -> str:
        return "deleted"

    return server


def with_client(server: Any, conversed: Conversed, **options: Any) -> Any:
    """Connect a real client, and converse."""

    async def connected() -> Any:
        async with Client(server, **options) as client:
            return await conversed(client)

    return asyncio.run(connected())


async def call_text(
    client: Client[Any], name: str, arguments: dict[str, Any] | None = None, **meta: Any
) -> Any:
    """Return the text of a call's answer, or the codes of feedback."""
    carried = {f"abs_shield/{key}": value for key, value in meta.items()}
    result = await client.call_tool_mcp(name, arguments or {}, meta=carried or None)
    text = "\n".join(block.text for block in result.content if block.type == "text")
    if result.is_error and text.startswith('{"status": "blocked"'):
        return [problem["code"] for problem in json.loads(text)["problems"]]
    return text


async def undone(client: Client[Any], **meta: Any) -> Any:
    """Create a user and delete it immediately."""
    await call_text(client, "create_user", {"user_id": "u_1"}, **meta)
    return await call_text(client, "delete_user", {"user_id": "u_1"}, **meta)


def test_concurrent_calls_of_a_batch_are_judged_together(strict):
    """The second call is requested before the first one has ended."""

    async def both(client: Client[Any]) -> list[Any]:
        making = asyncio.create_task(call_text(client, "add_user", {"user_id": "u_1"}, session="s"))
        await asyncio.wait_for(begun.wait(), 5)
        taken = await call_text(client, "delete_user", {"user_id": "u_1"}, session="s")
        go_on.set()
        return [await making, taken]

    begun, go_on = asyncio.Event(), asyncio.Event()
    server = server_with_shield(strict)

    @server.tool
    async def add_user(user_id: str) -> str:
        begun.set()
        await go_on.wait()
        return "made"

    strict.session("s").user("Please make the user u_1.")
    assert ["made", ["undone"]] == with_client(server, both)


# Whose session it is ---------------------------------------------------------------------------


def test_without_a_key_a_request_has_no_session(strict):
    """Layers that need the session are unavailable, and flag nothing."""
    assert "deleted" == with_client(server_with_shield(strict), undone)

    coverage = about_calls(strict.store)[-1].coverage
    assert (Outcome.UNAVAILABLE, "no session") == tuple_of(coverage["self_contradiction"])
    assert (Outcome.UNAVAILABLE, "no session") == tuple_of(coverage["phantom_target"])
    assert Outcome.RAN == coverage["parameter_mismatch"].outcome
    assert 0 == len(strict.sessions)


def test_with_a_key_results_are_known_but_no_target_is_flagged(strict):
    """Without any user or system text, an unmentioned target is not a finding."""

    async def conversed(client: Client[Any]) -> Any:
        return await call_text(
            client, "refund", {"transaction_id": "tx_9", "amount": 1}, session="s"
        )

    assert "refunded tx_9" == with_client(server_with_shield(strict), conversed)

    (decision,) = about_calls(strict.store)
    told_of = tuple_of(decision.coverage["phantom_target"])
    assert (Outcome.UNAVAILABLE, "no user or system message") == told_of


def tuple_of(coverage: Any) -> tuple[Outcome, str]:
    return coverage.outcome, coverage.reason


def test_a_given_session_is_used_for_calls_without_a_key(strict):
    """A key takes precedence over the given session."""
    session = strict.session("desk")
    server = server_with_shield(strict, session=session)

    async def conversed(client: Client[Any]) -> Any:
        return await undone(client, session="other"), await undone(client)

    with_client(server, conversed)

    assert ["create_user"] == [call.tool for call in session.executed]
    assert ["create_user"] == [call.tool for call in strict.session("other").executed]


def test_the_current_session_is_used_for_calls_without_a_key(strict):
    """A host that runs its server in its own process needs no key."""
    with strict.session(messages=USER_TEXT) as session:
        arguments = {"transaction_id": "tx_1", "amount": 1}
        answer = with_client(
            server_with_shield(strict), lambda c: call_text(c, "refund", arguments)
        )

    assert ["unseen"] == answer
    assert [session.id] == [decision.session_id for decision in about_calls(strict.store)]


def test_a_callable_may_return_the_key(strict):
    """Any callable of the request can determine the session's key."""
    server = server_with_shield(strict, key=lambda context: f"of {context.message.name[:3]}")

    with_client(server, undone)

    assert {"of cre", "of del"} == {d.session_id for d in about_calls(strict.store)}


@pytest.mark.parametrize("key", [7, "", None, ["s"], {"a": 1}])
def test_a_key_that_is_not_text_is_ignored(strict, key):
    """Keys from the client are not trusted."""
    assert "deleted" == with_client(server_with_shield(strict), lambda c: undone(c, session=key))


def test_a_long_key_is_shortened(strict):
    """Two long keys that differ only at their ends are two sessions with short ids."""
    keys = ["k" * 100_000 + end for end in ("1", "2")]

    async def conversed(client: Client[Any]) -> None:
        for key in keys:
            await call_text(client, "create_user", {"user_id": "u_1"}, session=key)

    with_client(server_with_shield(strict), conversed)

    ids = [decision.session_id for decision in about_calls(strict.store)]
    assert (2, True) == (len({*ids}), all(len(each) < 300 for each in ids))


def test_sessions_are_bounded():
    """A client that sends a new key with every call does not fill the memory."""
    guard = Shield(shield.configure(mode="strict", limits={"sessions": 3}))

    async def conversed(client: Client[Any]) -> None:
        for n in range(10):
            await call_text(client, "create_user", {"user_id": "u_1"}, session=f"s{n}")

    with_client(server_with_shield(guard), conversed)

    assert 3 == len(guard.sessions)


def test_a_session_belongs_to_one_user(strict):
    """With authentication a key is the user's own; a user without a key has one session."""
    tokens = {
        "ann": {"client_id": "app", "sub": "ann", "scopes": []},
        "bob": {"client_id": "app", "sub": "bob", "scopes": []},
        "app": {"client_id": "app", "scopes": []},
    }
    server = server_with_shield(strict)
    server.auth = StaticTokenVerifier(tokens)

    async def conversed() -> list[Any]:
        answers = []
        async with asgi_server(server) as running:
            for token, meta in [("ann", {"session": "s"}), ("bob", {"session": "s"})]:
                async with running.client(auth=token) as client:
                    answers.append(
                        await call_text(client, "create_user", {"user_id": token}, **meta)
                    )
            for token in ("bob", "ann", "app"):
                async with running.client(auth=token) as client:
                    answers.append(await undone(client))
        return answers

    answers = asyncio.run(conversed())

    ids = [decision.session_id for decision in about_calls(strict.store)]
    assert ["created", "created", ["undone"], ["undone"], "deleted"] == answers
    assert 4 == len(strict.sessions)
    assert ids[0] != ids[1]
    assert all("ann" not in each and "bob" not in each for each in ids)


def test_a_header_names_the_session(strict):
    """Over HTTP a client that cannot set `_meta` sets a header."""

    async def conversed() -> Any:
        headers = {"X-Abs-Shield-Session": "by_header"}
        async with asgi_client(server_with_shield(strict), headers=headers) as client:
            return await undone(client)

    assert ["undone"] == asyncio.run(conversed())
    assert "by_header" == about_calls(strict.store)[-1].session_id


# What is carried -------------------------------------------------------------------------------


def test_a_decision_has_the_ids_and_the_agent(strict):
    """The decision has the model's call id, the conversation and the agent."""
    arguments = {"order_id": "ord_1"}
    meta = {"session": "s", "call": "call_7", "agent": "clerk"}

    with_client(server_with_shield(strict), lambda c: call_text(c, "get_order", arguments, **meta))

    (decision,) = about_calls(strict.store)
    carried = (decision.session_id, decision.call_id, decision.agent)
    assert (("s", "call_7", "clerk"), decision.run_id) == (carried, strict.session("s").run_id)


def test_a_conversation_is_recorded_only_on_request(strict):
    """By default no messages are read from the protocol."""
    arguments = {"transaction_id": "tx_9", "amount": 1}

    def answer(server: FastMCP) -> Any:
        return with_client(server, lambda c: call_text(c, "refund", arguments, messages=USER_TEXT))

    assert ["unseen"] == answer(server_with_shield(strict, hears=True))
    assert "refunded tx_9" == answer(server_with_shield(strict))


@pytest.mark.parametrize("messages", ["hello", 5, {"role": "user"}, [5, None], [{"role": "x"}]])
def test_an_unreadable_conversation_does_not_affect_the_call(strict, messages):
    """A conversation that cannot be read leaves the call unchanged."""
    arguments = {"transaction_id": "tx_9", "amount": 1}
    server = server_with_shield(strict, hears=True)

    answer = with_client(server, lambda c: call_text(c, "refund", arguments, messages=messages))

    assert "refunded tx_9" == answer


def test_too_many_messages_make_a_miss_unknown(strict):
    """The user may have mentioned a value in a message that was left out."""
    long = [{"role": "user", "content": f"Good day {n}"} for n in range(1_200)]
    arguments = {"transaction_id": "tx_9", "amount": 1}
    server = server_with_shield(strict, hears=True)

    answer = with_client(server, lambda c: call_text(c, "refund", arguments, messages=long))

    assert "refunded tx_9" == answer


def test_a_result_that_is_recorded_again_counts_once(strict):
    """Calls that the client reports and that ran here are one execution each."""
    called = {"id": "x1", "function": {"name": "create_user", "arguments": '{"user_id": "u_1"}'}}
    state = [
        *USER_TEXT,
        {"role": "assistant", "tool_calls": [called]},
        {"role": "tool", "tool_call_id": "x1", "content": "created"},
    ]
    order = {"order_id": "tx_12345"}

    async def conversed(client: Client[Any]) -> None:
        await call_text(client, "create_user", {"user_id": "u_1"}, session="s", messages=USER_TEXT)
        await call_text(client, "get_order", order, session="s", messages=state)

    audit = Shield(shield.configure(mode="audit"))
    with_client(server_with_shield(audit, hears=True), conversed)

    assert ["create_user", "get_order"] == [c.tool for c in audit.session("s").executed]


def test_what_is_read_and_prompted_counts_as_seen(strict):
    """A resource and a prompt of the server's own mention values to the model."""
    server = server_with_shield(strict)
    server.resource("shop://orders")(lambda: '{"transaction_id": "tx_500"}')
    server.prompt(lambda: "Refund tx_600.", name="refund_one")
    strict.session("s", messages=USER_TEXT)

    async def conversed(client: Client[Any]) -> Any:
        meta = {"abs_shield/session": "s"}
        await client.read_resource_mcp("shop://orders", meta=meta)
        await client.get_prompt_mcp("refund_one", meta=meta)
        refunds = [{"transaction_id": f"tx_{n}00", "amount": 1} for n in (5, 6, 7)]
        return [await call_text(client, "refund", each, session="s") for each in refunds]

    answers = with_client(server, conversed)

    assert ["refunded tx_500", "refunded tx_600", ["unseen"]] == answers


def test_an_image_makes_the_session_opaque(strict):
    """The model may have read the id there: a miss proves nothing from now on."""
    server = server_with_shield(strict)
    server.tool(lambda: Image(data=b"\x89PNG", format="png"), name="photo")
    strict.session("s", messages=USER_TEXT)

    async def conversed(client: Client[Any]) -> Any:
        arguments = {"transaction_id": "tx_9", "amount": 1}
        before = await call_text(client, "refund", arguments, session="s")
        await call_text(client, "photo", session="s")
        return before, await call_text(client, "refund", arguments, session="s")

    assert (["unseen"], "refunded tx_9") == with_client(server, conversed)


@pytest.mark.parametrize(
    ("returned", "value"),
    [
        ("plain", "plain"),
        (5, "5"),
        (None, ""),
        ({"a": "b"}, '{"a":"b"}'),
        ([{"a": 1}, {"a": 2}], '[{"a":1},{"a":2}]'),
        (ToolResult("two orders", {"ids": ["o1"]}), ["two orders", {"ids": ["o1"]}]),
        (ToolResult([], {"ids": ["o1"]}), {"ids": ["o1"]}),
    ],
)
def test_a_result_is_recorded_once(strict, returned, value):
    """A result that is sent as text and as a structure is recorded once."""
    server = FastMCP("values")
    server.add_middleware(ShieldMiddleware(strict))
    server.add_tool(Tool.from_function(lambda: returned, name="give"))

    with_client(server, lambda c: call_text(c, "give", session="s"))

    assert [value] == [call.value for call in strict.session("s").executed]


@pytest.mark.parametrize(
    ("returned", "verdict"),
    [
        (ToolResult("about five", {"price": 5}), Verdict.CLEAN),
        (ToolResult([], {"price": 5}), Verdict.CLEAN),
        ({"price": 5}, Verdict.CLEAN),
        (ToolResult('{"price": 5}'), Verdict.CLEAN),
        (ToolResult('{"price": 5}', {"cost": 5}), Verdict.HALLUCINATED),
        (ToolResult("about five"), Verdict.HALLUCINATED),
        (["about five"], Verdict.HALLUCINATED),
    ],
)
def test_a_structured_result_is_judged_by_its_structure(returned, verdict):
    """The values of its text count as seen as well."""
    profile = ToolProfile(required_fields=["price"], has_network_io=False)
    tools = [Declared(name="give", profile=profile)]
    guard = Shield(shield.configure(mode="strict", tools=tools), hooks=None)
    server = FastMCP("values")
    server.add_middleware(ShieldMiddleware(guard))
    server.add_tool(Tool.from_function(lambda: returned, name="give"))

    with_client(server, lambda c: call_text(c, "give", session="s"))

    assert [verdict] == [d.verdict for d in guard.session("s").result_decisions]


def test_a_list_that_the_server_wraps_is_judged_without_the_wrapping():
    """A name of the protocol is not a field of the tool."""
    profile = ToolProfile(forbidden_fields=["result"], has_network_io=False)
    tools = [Declared(name="give", profile=profile)]
    guard = Shield(shield.configure(mode="strict", tools=tools), hooks=None)
    server = FastMCP("values")
    server.add_middleware(ShieldMiddleware(guard))

    @server.tool
    def give() -> list[int]:
        return [1, 2]

    with_client(server, lambda c: call_text(c, "give", session="s"))

    assert [Verdict.CLEAN] == [d.verdict for d in guard.session("s").result_decisions]


# Which tools there are -------------------------------------------------------------------------


def test_feedback_does_not_name_a_hidden_tool(strict):
    """Feedback names only tools that the caller can see; a phantom call reaches no tool."""
    server = server_with_shield(strict)
    server.disable(names={"refund"}, components={"tool"})

    async def conversed(client: Client[Any]) -> Any:
        result = await client.call_tool_mcp("refnd", {})
        return json.loads(result.content[0].text)["problems"][0]["allowed"]

    assert "refund" not in with_client(server, conversed)


def test_a_tool_that_is_added_later_is_known(strict):
    """A tool can be called as soon as it is added, although it was refused before."""
    server = server_with_shield(strict)

    async def conversed(client: Client[Any]) -> Any:
        before = await call_text(client, "greet")
        server.tool(lambda: "hello", name="greet")
        return before, await call_text(client, "greet")

    assert (["unknown_tool"], "hello") == with_client(server, conversed)


def test_a_host_may_narrow_a_session(strict):
    """A tool that the session did not grant is not available, though the server offers it."""
    strict.session("s", tools=["get_order"])

    async def conversed(client: Client[Any]) -> Any:
        arguments = {"order_id": "ord_1"}
        denied = [
            await call_text(client, "create_user", {"user_id": "u"}, session="s") for _ in "ab"
        ]
        return denied, "pc_777" in await call_text(client, "get_order", arguments, session="s")

    assert ([["unavailable_tool"]] * 2, True) == with_client(server_with_shield(strict), conversed)


def test_a_server_that_cannot_list_its_tools(strict):
    """Known tools are judged; a call of another tool gets the server's error."""

    class Flaky(Provider):
        away = False

        async def _list_tools(self) -> list[Tool]:
            if self.away:
                raise MCPError(code=-32603, message="the backend is away")
            return [Tool.from_function(lambda n: "done", name="work")]

    provider = Flaky()
    server = FastMCP("flaky")
    server.provider_error_strategy = "raise"
    server.add_middleware(ShieldMiddleware(strict))
    server.add_provider(provider)

    async def conversed(client: Client[Any]) -> Any:
        first = await call_text(client, "work", {"n": 1})
        provider.away = True
        answers = []
        for name, arguments in [("work", {}), ("work", {"n": 1}), ("play", {})]:
            try:
                answers.append(await call_text(client, name, arguments))
            except MCPError as error:
                answers.append(error.error.message)
        return first, answers

    first, answers = with_client(server, conversed)

    assert "done" == first
    assert [["missing_argument"], "the backend is away", "the backend is away"] == answers


def test_a_tool_of_another_middleware_is_not_a_phantom(strict):
    """A tool in the list that a client receives exists, whatever its source."""

    class Serves(Middleware):
        async def on_list_tools(self, context: Any, call_next: Any) -> Any:
            extra = Tool.from_function(lambda: "", name="weather")
            return [*await call_next(context), extra]

        async def on_call_tool(self, context: Any, call_next: Any) -> Any:
            if context.message.name != "weather":
                return await call_next(context)
            return await Tool.from_function(lambda: "sunny", name="weather").run({})

    server = server_with_shield(strict)
    server.add_middleware(Serves())

    async def conversed(client: Client[Any]) -> Any:
        await client.list_tools()
        return await call_text(client, "weather"), await call_text(client, "wether")

    assert ("sunny", ["unknown_tool"]) == with_client(server, conversed)


def test_the_version_that_is_called_is_the_one_that_is_judged(strict):
    """Two versions of a tool have two schemas."""
    server = FastMCP("versions")
    server.add_middleware(ShieldMiddleware(strict))
    server.tool(lambda a: f"first {a}", name="put", version="1")
    server.tool(lambda b: f"second {b}", name="put", version="2")

    async def conversed(client: Client[Any]) -> Any:
        newest = await call_text(client, "put", {"b": 1})
        old = await client.call_tool("put", {"a": 1}, version="1")
        return newest, old.content[0].text, await call_text(client, "put", {"a": 1})

    newest, old, mismatch = with_client(server, conversed)

    assert ("second 1", "first 1") == (newest, old)
    assert "unknown_argument" in mismatch


def test_mcp_hints_are_used(strict):
    """A tool that the server annotates as destructive is judged as destructive."""
    session = strict.session()
    server = FastMCP("hints")
    server.add_middleware(ShieldMiddleware(strict, session=session))
    hints = {"destructiveHint": True, "idempotentHint": True, "openWorldHint": True}
    server.tool(lambda: "", name="wipe", annotations=hints)
    server.tool(lambda: "", name="look", annotations={"readOnlyHint": True})

    with_client(server, lambda client: client.call_tool("look"))

    tools = strict.registry.of(session).tools()
    assert (True, True, True) == (
        tools["wipe"].destructive, tools["wipe"].idempotent, tools["wipe"].open_world,
    )  # fmt: skip
    assert (True, False) == (tools["look"].read_only, tools["look"].destructive)


def test_two_servers_share_a_shield_and_a_key(strict):
    """Each server offers its own tools, and both record the same session."""
    other = FastMCP("other")
    other.add_middleware(ShieldMiddleware(strict))
    other.tool(lambda user_id: "deleted there", name="delete_user")
    shop = server_with_shield(strict)

    async def conversed() -> Any:
        async with Client(shop) as first, Client(other) as second:
            await call_text(first, "create_user", {"user_id": "u_1"}, session="s")
            phantom = await call_text(second, "refund", {}, session="s")
            return phantom, await call_text(second, "delete_user", {"user_id": "u_1"}, session="s")

    assert (["unavailable_tool"], ["undone"]) == asyncio.run(conversed())


def test_a_tool_with_a_very_long_name_is_listed(strict):
    """A tool that the Shield cannot register is listed, and calls of other tools work."""
    server = server_with_shield(strict)
    server.add_tool(Tool.from_function(lambda: "long", name="n" * 600))

    async def conversed(client: Client[Any]) -> Any:
        names = [tool.name[:6] for tool in await client.list_tools()]
        return names, await call_text(client, "refund", {"transaction_id": "tx_1", "amount": 1})

    names, answer = with_client(server, conversed)

    assert ["get_or", "refund", "create", "delete", "nnnnnn"] == names
    assert "refunded tx_1" == answer


# What passes through ---------------------------------------------------------------------------


def test_feedback_is_an_error_result(strict):
    """A client that raises on errors raises FastMCP's own, with our text."""

    async def conversed(client: Client[Any]) -> str:
        with pytest.raises(ToolError) as raised:
            await client.call_tool("refnud", {})
        return str(raised.value)

    feedback = json.loads(with_client(server_with_shield(strict), conversed))

    assert ("blocked", "refund") == (feedback["status"], feedback["problems"][0]["nearest"])


@pytest.mark.parametrize(
    "error",
    [ToolError("no"), ValueError("no"), MCPError(code=-32021, message="needs sampling")],
    ids=["ToolError", "ValueError", "MCPError"],
)
@pytest.mark.parametrize("mode", ["strict", "audit"])
def test_an_error_is_the_frameworks_own(error, mode):
    """An error of a tool reaches the client as without a Shield, and the call counts as failed."""

    def answer(guard: Shield | None) -> Any:
        server = FastMCP("errors")
        if guard is not None:
            server.add_middleware(ShieldMiddleware(guard))

        @server.tool
        def fail() -> str:
            raise error

        async def conversed(client: Client[Any]) -> Any:
            try:
                meta = {"abs_shield/session": "s"}
                return (await client.call_tool_mcp("fail", {}, meta=meta)).model_dump()
            except MCPError as raised:
                return raised.error.model_dump()

        return with_client(server, conversed)

    guard = Shield(shield.configure(mode=mode))
    assert answer(None) == answer(guard)
    assert [("fail", True)] == [(c.tool, c.error) for c in guard.session("s").executed]


def test_a_tool_that_asks_the_client_is_one_call(strict):
    """A call that is repeated with the client's answer is one decision and one execution."""
    server = FastMCP("asks")
    server.add_middleware(ShieldMiddleware(strict))

    @server.tool
    async def book(city: str, context: Context) -> Any:
        if context.input_responses:
            return f"booked {city}"
        schema = {"type": "object", "properties": {"sure": {"type": "boolean"}}}
        request = mcp_types.ElicitRequestFormParams(message="Sure?", requested_schema=schema)
        return mcp_types.InputRequiredResult(
            input_requests={"sure": mcp_types.ElicitRequest(params=request)}, request_state="1"
        )

    async def answered(message: str, kind: Any, params: Any, context: Any) -> Any:
        return {"sure": True}

    answer = with_client(
        server,
        lambda c: call_text(c, "book", {"city": "Rome"}, session="s"),
        elicitation_handler=answered,
    )

    assert "booked Rome" == answer
    assert ["book"] == [decision.tool for decision in about_calls(strict.store)]
    assert ["booked Rome"] == [call.value for call in strict.session("s").executed]


def test_a_tool_that_calls_a_tool_is_two_calls(strict):
    """The inner call is not a proposal of the model, though it belongs to the same request."""
    server = server_with_shield(strict)

    @server.tool
    async def refund_all(context: Context) -> str:
        arguments = {"transaction_id": "tx_9", "amount": 1}
        result = await context.fastmcp.call_tool("refund", arguments)
        return str(result.content[0].text)

    strict.session("s", messages=USER_TEXT)
    answer = with_client(server, lambda c: call_text(c, "refund_all", session="s", call="c1"))

    assert "refunded tx_9" == answer
    executed = [(call.tool, call.nested) for call in strict.session("s").executed]
    assert [("refund", True), ("refund_all", False)] == executed
    outer, inner = about_calls(strict.store)
    assert ("c1", True) == (outer.call_id, inner.call_id != "c1")


@pytest.mark.parametrize("mode", ["strict", "audit"])
def test_calls_run_concurrently(mode):
    """Ten calls that wait for each other all return, each in its session."""
    guard = Shield(shield.configure(mode=mode))
    server = FastMCP("slow")
    server.add_middleware(ShieldMiddleware(guard))
    all_at_once = asyncio.Barrier(10)

    @server.tool
    async def wait(n: int) -> str:
        async with asyncio.timeout(30):
            await all_at_once.wait()
        return f"waited {n}"

    async def conversed(client: Client[Any]) -> Any:
        calls = (call_text(client, "wait", {"n": n}, session=f"s{n % 2}") for n in range(10))
        return await asyncio.gather(*calls)

    answers = with_client(server, conversed)

    assert [f"waited {n}" for n in range(10)] == answers
    for parity in (0, 1):
        ran = guard.session(f"s{parity}").executed
        assert {parity} == {call.arguments["n"] % 2 for call in ran}


def test_an_abandoned_call_has_failed(strict):
    """If the client stops waiting, the call counts as failed, and is not left open."""
    server = FastMCP("slow")
    server.add_middleware(ShieldMiddleware(strict))

    @server.tool
    async def wait() -> str:
        await asyncio.sleep(30)
        return "waited"

    async def conversed(client: Client[Any]) -> None:
        with pytest.raises(Exception, match=r"[Tt]imed out"):
            await client.call_tool("wait", {}, timeout=0.2, meta={"abs_shield/session": "s"})

    with_client(server, conversed)

    session = strict.session("s")
    assert [("wait", True)] == [(call.tool, call.error) for call in session.executed]
    assert {} == record_of(session).calls.open_calls


def test_a_call_in_process_is_judged(strict):
    """`server.call_tool` is judged by the middleware without a request."""
    server = server_with_shield(strict)

    result = asyncio.run(server.call_tool("refnud", {}))

    assert result.is_error is True
    assert [Verdict.HALLUCINATED] == [d.verdict for d in about_calls(strict.store)]


def test_the_servers_span_is_annotated(strict):
    """The span of a request has its own name, and is the span that executes the tool."""
    server = server_with_shield(strict)
    ran = Ran()

    async def conversed(client: Client[Any]) -> None:
        await call_text(client, "get_order", {"order_id": "ord_1"})
        await call_text(client, "get_ordr", {"order_id": "ord_1"})

    with record_spans(ran):
        with_client(server, conversed)

    claims = [
        (name, attributes["mcp.method.name"], attributes["abs_shield.verdict"])
        for name, attributes in ran.spans
        if attributes.get("gen_ai.operation.name") == "execute_tool"
    ]
    assert [
        ("tools/call get_order", "tools/call", "CLEAN"),
        ("tools/call", "tools/call", "HALLUCINATED"),
    ] == claims
    assert not [name for name, _ in ran.spans if name.startswith("execute_tool")]


def test_the_page_runs():
    """The server of `docs/adapters.md` runs, and its calls are judged."""
    result: dict[str, Any] = {}
    exec(blocks("FastMCP and MCP")[0], result)

    answer = with_client(result["server"], lambda c: call_text(c, "refund"))

    assert "Unknown tool: 'refund'" == answer
    assert ["refund"] == [decision.tool for decision in about_calls(result["firewall"].store)]


def test_the_example_runs():
    """The example blocks a phantom target, and the model corrects it."""
    done = run_python(ROOT / "examples" / "fastmcp_agent.py")

    assert [
        "refund tx_12354  blocked: unseen, did you mean tx_12345?",
        "refund tx_12345  ran: refunded 20.00 for tx_12345",
        "1 call ran, 1 was stopped",
    ] == done.stdout.splitlines()


@rule(tool="refund")
def is_known(transaction_id: str) -> bool:
    """A refund is of a known transaction."""
    return transaction_id == "tx_12345"


@pytest.mark.parametrize("decorated", [False, True])
def test_no_span_of_the_server_holds_a_value(decorated: bool) -> None:
    """The feedback is the answer; the span of FastMCP's own client has it as its status."""
    firewall = Shield(shield.configure(mode="strict", rules=[is_known]))
    server: FastMCP = FastMCP("shop")

    def refund(transaction_id: str) -> str:
        return "refunded"

    if decorated:
        server.tool(shielded(firewall)(refund))
    else:
        server.add_middleware(ShieldMiddleware(firewall))
        server.tool(refund)

    async def run() -> str:
        async with Client(server) as client:
            arguments = {"transaction_id": f"tx_{CANARY}_1"}
            answer = await client.call_tool("refund", arguments, raise_on_error=False)
            return str(answer.content[0].text)

    exporter().clear()
    messages = asyncio.run(run())
    spans = exporter().get_finished_spans()

    assert "A refund is of a known transaction" in messages
    assert (CANARY in messages) is not decorated
    assert (set() if decorated else {("tools/call refund", "status")}) == places(spans)
    assert set() == places(tuple(s for s in spans if s.kind is not trace.SpanKind.CLIENT))
