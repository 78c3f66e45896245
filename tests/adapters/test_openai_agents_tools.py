"""The OpenAI Agents SDK: agents that are tools, restored states, and parts of the SDK gone."""

from __future__ import annotations

import asyncio
import json
import logging
from types import SimpleNamespace
from typing import Any

import pytest

pytest.importorskip("agents", reason="the extra `openai-agents` is not installed")

from agents import Agent, FunctionTool, Runner, RunState, function_tool
from agents import run as sdk_run
from agents.run_internal import tool_execution

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
    """The scenes' policy, enforced."""
    return firewall("strict")


def asks(sub: Agent[Any], **more: Any) -> Any:
    """An agent as a tool, written as everyone writes it."""
    return sub.as_tool("ask_sub", "Ask.", **more)


def streamed(runner: ShieldedRunner, agent: Agent[Any]) -> Any:
    """Run an agent to its end, with events."""

    async def run() -> Any:
        result = runner.run_streamed(agent, ASKED)
        async for _ in result.stream_events():
            pass
        return result

    return asyncio.run(run())


@pytest.mark.parametrize("inner_streams", [False, True])
@pytest.mark.parametrize("how", [play, streamed])
def test_a_plain_agent_as_a_tool_is_judged(strict, how, inner_streams):
    """It has a child session: what its parent wrote into its prompt vouches for nothing."""
    shop = Shop()
    sub = agent_of([[BAD], "No."], shop, name="sub")
    more = {"on_stream": lambda event: None} if inner_streams else {}
    agent = agent_of([[ASK], DONE], tools=[asks(sub, **more)])
    result = how(ShieldedRunner(strict), agent)
    decisions = by_id(strict)

    assert (DONE, [], "No.") == (result.final_output, shop.ran, reply_of(agent, "c9"))
    assert '"blocked"' in reply_of(sub)
    assert decisions["c9"].session_id != decisions["c1"].session_id
    assert ("billing", "sub") == (decisions["c9"].agent, decisions["c1"].agent)


def around(sub: Agent[Any]) -> FunctionTool:
    """A tool made by hand, which calls the agent's tool."""
    inner = asks(sub)

    async def invoke(context: Any, arguments: str) -> Any:
        return await inner.on_invoke_tool(context, arguments)

    return FunctionTool("ask_sub", "Ask.", inner.params_json_schema, invoke)


def borrowing(sub: Agent[Any]) -> FunctionTool:
    """A tool made by hand, which has the function of the agent's tool."""
    inner = asks(sub)
    return FunctionTool("ask_sub", "Ask.", inner.params_json_schema, inner.on_invoke_tool)


@pytest.mark.parametrize("made", [around, borrowing])
@pytest.mark.parametrize("how", [play, streamed])
def test_a_tool_made_by_hand_around_an_agent_is_judged_inside(strict, how, made):
    """Nothing on the tool says that it runs an agent; the context of the run does."""
    shop = Shop()
    sub = agent_of([[BAD], "No."], shop, name="sub")
    agent = agent_of([[ASK], DONE], tools=[made(sub)])
    how(ShieldedRunner(strict), agent)
    decisions = by_id(strict)

    assert ([], "No.") == (shop.ran, reply_of(agent, "c9"))
    assert '"blocked"' in reply_of(sub)
    assert ("billing", "sub") == (decisions["c9"].agent, decisions["c1"].agent)


def test_a_run_that_the_host_starts_in_a_tool_is_the_hosts(strict):
    """It inherits the host's context, but not the context of a call."""
    shop = Shop()
    sub = agent_of([[BAD], "Yes."], shop, name="sub")

    async def invoke(context: Any, arguments: str) -> Any:
        return (await Runner.run(sub, arguments, context=context.context)).final_output

    schema = asks(sub).params_json_schema
    agent = agent_of([[ASK], DONE], tools=[FunctionTool("ask_sub", "Ask.", schema, invoke)])
    play(ShieldedRunner(strict), agent)

    assert ["c9"] == [decision.call_id for decision in about_calls(strict.store)]
    assert ["refund"] == [name for name, _ in shop.ran]


def test_a_plain_agent_as_a_tool_is_judged_two_deep(strict):
    """Each level has a session of its own; the parent's goes on as it was."""
    shop = Shop()
    low = agent_of([[BAD], "No."], shop, name="low")
    middle = agent_of(
        [[Call("c5", "ask_low", {"input": "Refund tx_99999."})], "No."],
        name="middle",
        tools=[low.as_tool("ask_low", "Ask.")],
    )
    turns = [[ASK], [GOOD._replace(id="c2")], DONE]
    agent = agent_of(turns, tools=[asks(middle), function_tool(shop.refund)])
    play(ShieldedRunner(strict), agent)
    agents = {call_id: decision.agent for call_id, decision in by_id(strict).items()}

    assert '"blocked"' in reply_of(low)
    assert {"c9": "billing", "c5": "middle", "c1": "low", "c2": "billing"} == agents
    assert [("refund", json.loads(GOOD.raw))] == shop.ran


def test_an_unknown_tool_inside_an_agent_as_a_tool_is_answered(strict):
    """Its own configuration is completed too."""
    sub = agent_of([[UNKNOWN], "No."], name="sub")
    agent = agent_of([[ASK], DONE], tools=[asks(sub, run_config={"workflow_name": "w"})])
    play(ShieldedRunner(strict), agent)

    assert '"blocked"' in reply_of(sub)


@pytest.mark.parametrize("mode", ["strict", "audit"])
def test_an_agent_as_a_tool_that_hides_its_agent_is_refused_in_strict_only(mode, caplog):
    """The model is told why; in audit the tool runs, with a warning in the log."""
    guard = firewall(mode)
    sub = agent_of(["Here."], name="sub")
    tool = asks(sub)
    tool._agent_instance = None
    agent = agent_of([[ASK], DONE], tools=[tool])
    with caplog.at_level(logging.WARNING, "abs_shield"):
        play(ShieldedRunner(guard), agent)
    refused = "its agent" in reply_of(agent, "c9")

    assert (mode == "strict", mode == "audit") == (refused, reply_of(agent, "c9") == "Here.")
    assert (mode == "audit") == any("ask_sub" in r.getMessage() for r in caplog.records)


def test_a_runner_of_the_host_that_is_not_the_sdks_is_not_taken_for_guarded(strict, monkeypatch):
    """The agent inside would be run where nothing is judged."""
    sub = agent_of(["Here."], name="sub")
    agent = agent_of([[ASK], DONE], tools=[asks(sub)])
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
def test_a_state_that_is_restored_with_the_plain_agent_is_judged(strict, call):
    """Another process has the agent alone, and judges by the tools that it offers."""
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


def test_the_installed_sdk_has_all_that_judging_depends_on():
    """The self test finds nothing."""
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
def test_a_part_of_the_sdk_that_is_gone_is_named_at_the_first_use(owner, part, named, monkeypatch):
    """Nothing runs without being judged: the adapter refuses."""
    monkeypatch.setattr(sdk_patches, "_INSTALLED", [])
    monkeypatch.setattr(owner, part, lambda *args: SimpleNamespace(on_invoke_tool=None))

    with pytest.raises(ShieldError, match=named):
        ShieldedRunner(firewall("audit"))


def test_the_parts_are_looked_at_once(strict, monkeypatch):
    """A runner for each request costs nothing."""
    looked: list[int] = []
    monkeypatch.setattr(sdk_patches, "missing_parts", lambda: looked.append(1) or iter(()))
    for _ in range(3):
        ShieldedRunner(strict)

    assert ([], "openai_agents") == (looked, DRIVER.name)
