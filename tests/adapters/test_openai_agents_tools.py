"""The OpenAI Agents SDK: agents as tools, restored states, and missing parts of the SDK."""

from __future__ import annotations

import asyncio
import json
import logging
from types import SimpleNamespace
from typing import Any

import pytest

pytest.importorskip("agents", reason="needs `pip install abs-shield[openai-agents]`")

from agents import Agent, FunctionTool, Runner, RunState, function_tool
from agents import run as sdk_run
from agents.run_internal import tool_execution
from pydantic import BaseModel

from abs_shield import Shield, ShieldError
from abs_shield.adapters.openai_agents import ShieldedRunner, sdk_patches
from tests.adapters.openai_agents_driver import (
    BAD,
    DRIVER,
    UNKNOWN,
    agent_of,
    by_id,
    play,
    reply_of,
)
from tests.adapters.scenes import ASKED, DONE, GOOD, Call, Shop, firewall
from tests.subjects import about_calls

ASK = Call("c9", "ask_sub", {"input": "Refund tx_99999 now."})


@pytest.fixture
def strict() -> Shield:
    """Return a Shield with the scenes' policy in strict mode."""
    return firewall("strict")


def agent_tool(sub: Agent[Any], **more: Any) -> Any:
    """Return an agent as a tool, by `as_tool`."""
    return sub.as_tool("ask_sub", "Ask.", **more)


def play_streamed(runner: ShieldedRunner, agent: Agent[Any]) -> Any:
    """Run an agent to its end with streaming."""

    async def run() -> Any:
        result = runner.run_streamed(agent, ASKED)
        async for _ in result.stream_events():
            pass
        return result

    return asyncio.run(run())


@pytest.mark.parametrize("inner_streams", [False, True])
@pytest.mark.parametrize("how", [play, play_streamed])
def test_a_plain_agent_as_a_tool_is_judged(strict, how, inner_streams):
    """It has a child session, in which the prompt written by its parent is no evidence."""
    shop = Shop()
    sub = agent_of([[BAD], "No."], shop, name="sub")
    more = {"on_stream": lambda event: None} if inner_streams else {}
    agent = agent_of([[ASK], DONE], tools=[agent_tool(sub, **more)])
    result = how(ShieldedRunner(strict), agent)
    decisions = by_id(strict)

    assert (DONE, [], "No.") == (result.final_output, shop.ran, reply_of(agent, "c9"))
    assert '"blocked"' in reply_of(sub)
    assert decisions["c9"].session_id != decisions["c1"].session_id
    assert ("billing", "sub") == (decisions["c9"].agent, decisions["c1"].agent)


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ({"name": "Ann", "place": {"city": "Oslo"}}, None),
        ({"name": "Ann", "place": {"city": "Oslo", "zip": None}, "limit": 3}, None),
        ({"name": "Ann", "place": {}}, "missing_argument"),
        ({"place": {"city": "Oslo"}}, "missing_argument"),
        ({"name": "Ann", "place": {"city": "Oslo"}, "limit": "many"}, "wrong_type"),
    ],
)
def test_a_call_without_an_optional_argument_of_a_strict_schema(strict, arguments, code):
    """A strict schema requires optional arguments, too, but the SDK runs a call without them."""
    ran = []

    class Place(BaseModel):
        city: str
        zip: str | None = None
        country: str = "NO"

    def find(name: str, place: Place, limit: int = 5, note: str | None = None) -> str:
        ran.append((name, place.city, limit))
        return "Found."

    find.__annotations__["place"] = Place  # the SDK looks for it in the module
    agent = agent_of([[Call("c1", "find", arguments)], DONE], tools=[function_tool(find)])
    play(ShieldedRunner(strict), agent, "Find Ann in Oslo.")
    codes = [finding.code for finding in by_id(strict)["c1"].findings]

    assert ([] if code is None else [code]) == codes
    assert (code is None) == (len(ran) == 1)


def wrapping_tool(sub: Agent[Any]) -> FunctionTool:
    """Return a custom tool that calls the agent's tool."""
    inner = agent_tool(sub)

    async def invoke(context: Any, arguments: str) -> Any:
        return await inner.on_invoke_tool(context, arguments)

    return FunctionTool("ask_sub", "Ask.", inner.params_json_schema, invoke)


def borrowing_tool(sub: Agent[Any]) -> FunctionTool:
    """Return a custom tool with the function of the agent's tool."""
    inner = agent_tool(sub)
    return FunctionTool("ask_sub", "Ask.", inner.params_json_schema, inner.on_invoke_tool)


@pytest.mark.parametrize("made", [wrapping_tool, borrowing_tool])
@pytest.mark.parametrize("how", [play, play_streamed])
def test_calls_inside_a_custom_agent_tool_are_judged(strict, how, made):
    """A custom tool does not show that it runs an agent, so the run's context is used."""
    shop = Shop()
    sub = agent_of([[BAD], "No."], shop, name="sub")
    agent = agent_of([[ASK], DONE], tools=[made(sub)])
    how(ShieldedRunner(strict), agent)
    decisions = by_id(strict)

    assert ([], "No.") == (shop.ran, reply_of(agent, "c9"))
    assert '"blocked"' in reply_of(sub)
    assert ("billing", "sub") == (decisions["c9"].agent, decisions["c1"].agent)


def test_a_run_started_by_a_tool_is_not_judged(strict):
    """A run that the tool starts itself has the host's context, but not that of a call."""
    shop = Shop()
    sub = agent_of([[BAD], "Yes."], shop, name="sub")

    async def invoke(context: Any, arguments: str) -> Any:
        return (await Runner.run(sub, arguments, context=context.context)).final_output

    schema = agent_tool(sub).params_json_schema
    agent = agent_of([[ASK], DONE], tools=[FunctionTool("ask_sub", "Ask.", schema, invoke)])
    play(ShieldedRunner(strict), agent)

    assert ["c9"] == [decision.call_id for decision in about_calls(strict.store)]
    assert ["refund"] == [name for name, _ in shop.ran]


def test_nested_agents_as_tools_are_judged(strict):
    """Each level has its own session, and the parent's session continues unchanged."""
    shop = Shop()
    low = agent_of([[BAD], "No."], shop, name="low")
    middle = agent_of(
        [[Call("c5", "ask_low", {"input": "Refund tx_99999."})], "No."],
        name="middle",
        tools=[low.as_tool("ask_low", "Ask.")],
    )
    turns = [[ASK], [GOOD._replace(id="c2")], DONE]
    agent = agent_of(turns, tools=[agent_tool(middle), function_tool(shop.refund)])
    play(ShieldedRunner(strict), agent)
    agents = {call_id: decision.agent for call_id, decision in by_id(strict).items()}

    assert '"blocked"' in reply_of(low)
    assert {"c9": "billing", "c5": "middle", "c1": "low", "c2": "billing"} == agents
    assert [("refund", json.loads(GOOD.raw))] == shop.ran


def test_an_unknown_tool_inside_an_agent_tool_has_feedback(strict):
    """The configuration of an inner agent is completed as well."""
    sub = agent_of([[UNKNOWN], "No."], name="sub")
    agent = agent_of([[ASK], DONE], tools=[agent_tool(sub, run_config={"workflow_name": "w"})])
    play(ShieldedRunner(strict), agent)

    assert '"blocked"' in reply_of(sub)


@pytest.mark.parametrize("mode", ["strict", "audit"])
def test_an_agent_tool_without_its_agent_is_refused_in_strict(mode, caplog):
    """In strict mode the model receives the reason; in audit the tool runs with a warning."""
    guard = firewall(mode)
    sub = agent_of(["Here."], name="sub")
    tool = agent_tool(sub)
    tool._agent_instance = None
    agent = agent_of([[ASK], DONE], tools=[tool])
    with caplog.at_level(logging.WARNING, "abs_shield"):
        play(ShieldedRunner(guard), agent)
    refused = "its agent" in reply_of(agent, "c9")

    assert (mode == "strict", mode == "audit") == (refused, reply_of(agent, "c9") == "Here.")
    assert (mode == "audit") == any("ask_sub" in r.getMessage() for r in caplog.records)


def test_a_custom_default_runner_is_refused(strict, monkeypatch):
    """The inner agent would run without being judged."""
    sub = agent_of(["Here."], name="sub")
    agent = agent_of([[ASK], DONE], tools=[agent_tool(sub)])
    theirs = sdk_run.get_default_agent_runner()

    class Own:
        async def run(self, *args: Any, **options: Any) -> Any:
            return await theirs.run(*args, **options)

    monkeypatch.setattr(sdk_run, "DEFAULT_AGENT_RUNNER", Own())
    play(ShieldedRunner(strict), agent)

    assert "default runner" in reply_of(agent, "c9")


# States ----------------------------------------------------------------------------


WRONG = GOOD._replace(arguments={"transaction_id": "tx_12345", "amount": "a lot"})


@pytest.mark.parametrize("call", [GOOD, WRONG], ids=["good", "wrong type"])
def test_a_restored_state_is_judged(strict, call):
    """Another process restores the state with the agent and judges by the agent's tools."""
    shop = Shop()
    tool = function_tool(shop.refund, needs_approval=True)
    first = agent_of([[call]], tools=[tool])
    then = agent_of([DONE], tools=[tool])

    async def run() -> None:
        text = (await ShieldedRunner(firewall("strict")).run(first, ASKED)).to_state().to_string()
        state = await RunState.from_string(then, text)
        for item in state.get_interruptions():
            state.approve(item)
        await ShieldedRunner(strict).run(then, state)

    asyncio.run(run())
    (decision,) = [d for d in about_calls(strict.store) if d.call_id == "c1"]

    assert (call is WRONG, call is WRONG) == (decision.blocked, not shop.ran)


# Parts of the SDK that are gone ----------------------------------------------------


def test_the_installed_sdk_has_all_required_parts():
    """The self-test of the adapter reports no missing part."""
    assert [] == list(sdk_patches.missing_parts())


@pytest.mark.parametrize(
    ("owner", "part", "named"),
    [
        (tool_execution, "_invoke_function_tool_with_metadata", "tool_execution._invoke"),
        (
            sdk_patches.sdk_tool,
            "_DEFAULT_FAILURE_HANDLED_ATTR",
            "_function_tool_default_failure_handled",
        ),
        (sdk_patches, "function_tool", "_invoke_tool_impl"),
        (Agent, "as_tool", "_agent_instance"),
        (sdk_patches.agent_tool_state, "peek_agent_tool_run_result", "agent_tool_state"),
        (sdk_run.AgentRunner, "run_streamed", "AgentRunner.run_streamed"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_missing_part_of_the_sdk_is_an_error(owner, part, named, monkeypatch):
    """The adapter raises an error that names the part, so that no call runs unjudged."""
    monkeypatch.setattr(sdk_patches, "_INSTALLED", [])
    monkeypatch.setattr(owner, part, lambda *args: SimpleNamespace(on_invoke_tool=None))

    with pytest.raises(ShieldError, match=named):
        ShieldedRunner(firewall("audit"))


def test_the_self_test_is_not_repeated(strict, monkeypatch):
    """Another runner does not repeat the self-test."""
    looked: list[int] = []
    monkeypatch.setattr(sdk_patches, "missing_parts", lambda: looked.append(1) or iter(()))
    for _ in range(3):
        ShieldedRunner(strict)

    assert ([], "openai_agents") == (looked, DRIVER.name)
