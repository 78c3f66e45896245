"""A decorated tool that a framework offers under another name keeps its marks and bounds."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from importlib.util import find_spec
from typing import Annotated, Any

import pytest
from pydantic import Field

from abs_shield import Shield, Target, shield, shielded
from tests.adapters.scenes import Call
from tests.subjects import about_calls

ASKED = "Please pay Bob Miller 5 dollars."
NAME = "send_money"
Ran = list[tuple[str, float]]
Pay = Callable[..., str]


def decorated(firewall: Shield, ran: Ran) -> Pay:
    """Return the host's tool."""

    @shielded(firewall)
    def pay(
        payee: Annotated[str, Target(must_be_seen=True)], amount: Annotated[float, Field(le=10)]
    ) -> str:
        """Pay somebody."""
        ran.append((payee, amount))
        return "paid"

    return pay


# The frameworks: each returns what the model heard of the call -----------------------------------


def in_anthropic(firewall: Shield, pay: Pay, call: Call) -> str:
    from anthropic import beta_tool

    from abs_shield.adapters.anthropic import shielded_runner
    from tests.adapters.anthropic_driver import REQUEST, Scripted

    model = Scripted([[call], "Done."])
    request = {**REQUEST, "messages": [{"role": "user", "content": ASKED}]}
    runner: Any = model.client().beta.messages.tool_runner(
        **request, tools=[beta_tool(pay, name=NAME)]
    )
    shielded_runner(runner, firewall=firewall).until_done()
    return model.replies()[call.id]


def in_openai_loop(firewall: Shield, pay: Pay, call: Call) -> str:
    from openai.types.chat import ChatCompletion

    from abs_shield.adapters.openai import run_tool_calls

    firewall.register({"type": "function", "function": {"name": NAME, "parameters": PARAMETERS}})
    function = {"name": NAME, "arguments": call.raw}
    message = {
        "role": "assistant",
        "tool_calls": [{"id": call.id, "type": "function", "function": function}],
    }
    response = ChatCompletion.model_validate(
        {
            "id": "r", "created": 0, "model": "m", "object": "chat.completion",
            "choices": [{"index": 0, "finish_reason": "tool_calls", "message": message}],
        }
    )  # fmt: skip
    (item,) = run_tool_calls(
        response,
        [{"role": "user", "content": ASKED}],
        firewall=firewall,
        dispatch=lambda call: pay(**json.loads(call.arguments)),
    )
    return str(item["content"])


def in_openai_runner(firewall: Shield, pay: Pay, call: Call) -> str:
    from openai.lib.responses_tool_runner import RegisteredFunction, ResponsesToolRunner

    from abs_shield.adapters.openai import shielded_runner
    from tests.adapters.openai_runner_driver import Provider

    tool: Any = {"type": "function", "name": NAME, "parameters": PARAMETERS, "strict": False}
    model = Provider([[call], "Done."])
    runner = ResponsesToolRunner(
        functions=[RegisteredFunction(tool, lambda arguments: pay(**arguments))]
    )
    shielded_runner(runner, firewall=firewall).run(model.client(), {"model": "m", "input": ASKED})
    return model.replies()[call.id]


def in_openai_agents(firewall: Shield, pay: Pay, call: Call) -> str:
    from agents import function_tool

    from tests.adapters.openai_agents_driver import ShieldedRunner, agent_of, play, reply_of

    agent = agent_of([[call], "Done."], tools=[function_tool(pay, name_override=NAME)])
    play(ShieldedRunner(firewall), agent, ASKED)
    return reply_of(agent, call.id)


def in_langgraph(firewall: Shield, pay: Pay, call: Call) -> str:
    from langchain.agents import create_agent
    from langchain_core.tools import StructuredTool

    from abs_shield.adapters.langgraph import ShieldMiddleware
    from tests.adapters.langgraph_driver import Scripted, initial_state

    tool = StructuredTool.from_function(pay, name=NAME)
    model = Scripted([[call], "Done."], [])
    agent = create_agent(model, [tool], middleware=[ShieldMiddleware(firewall)])
    messages = asyncio.run(agent.ainvoke(initial_state(ASKED)))["messages"]
    return str(messages[2].content)


def in_pydantic_ai(firewall: Shield, pay: Pay, call: Call) -> str:
    from pydantic_ai import Agent
    from pydantic_ai.toolsets import FunctionToolset

    from abs_shield.adapters.pydantic_ai import ShieldCapability
    from tests.adapters.pydantic_ai_driver import Scripted

    model = Scripted([[call], "Done."], [], {}).model
    toolset = FunctionToolset([pay]).renamed({NAME: "pay"})
    agent = Agent(model, toolsets=[toolset], capabilities=[ShieldCapability(firewall)])
    messages = agent.run_sync(ASKED).all_messages()
    replies = messages[2].parts[0].content
    return replies if isinstance(replies, str) else json.dumps(replies)


def in_fastmcp(firewall: Shield, pay: Pay, call: Call) -> str:
    from fastmcp import Client, FastMCP

    from abs_shield.adapters.fastmcp import SESSION, ShieldMiddleware

    bank: FastMCP = FastMCP("bank")
    bank.tool(pay, name="money")
    server: FastMCP = FastMCP("desk")
    server.add_middleware(ShieldMiddleware(firewall))
    server.mount(bank, namespace="send")
    firewall.session("s").user(ASKED)

    async def read_reply() -> str:
        async with Client(server) as client:
            arguments: Any = call.arguments
            result = await client.call_tool_mcp(NAME, arguments, meta={SESSION: "s"})
        return "".join(block.text for block in result.content)

    return asyncio.run(read_reply())


PARAMETERS = {
    "type": "object",
    "properties": {"payee": {"type": "string"}, "amount": {"type": "number"}},
    "required": ["payee", "amount"],
}
FRAMEWORKS = [
    pytest.param(
        play,
        id=play.__name__.removeprefix("in_"),
        marks=pytest.mark.skipif(
            find_spec(module) is None,
            reason=f"`{module}` is missing; docs/adapters.md names its extra",
        ),
    )
    for play, module in (
        (in_anthropic, "anthropic"),
        (in_openai_loop, "openai"),
        (in_openai_runner, "openai.lib.responses_tool_runner" if find_spec("openai") else "openai"),
        (in_openai_agents, "agents"),
        (in_langgraph, "langchain"),
        (in_pydantic_ai, "pydantic_ai"),
        (in_fastmcp, "fastmcp"),
    )
]


def play_call(play: Any, mode: str, payee: str, amount: float) -> tuple[str, Ran, Shield]:
    """Play one call; return the output for the model, what ran, and the Shield."""
    firewall = Shield(shield.configure(mode=mode))
    ran: Ran = []
    call = Call("c1", NAME, {"payee": payee, "amount": amount})
    return play(firewall, decorated(firewall, ran), call), ran, firewall


@pytest.mark.parametrize("play", FRAMEWORKS)
@pytest.mark.parametrize(
    ("payee", "amount", "code"),
    [("Mallory Jones", 5.0, "unseen"), ("Bob Miller", 50.0, "out_of_range")],
)
def test_a_mark_and_a_bound_hold_under_another_name(play, payee, amount, code):
    """The call does not reach the tool, and the model reads why, under the name that it called."""
    output, ran, _ = play_call(play, "strict", payee, amount)
    feedback = json.loads(output)

    assert [] == ran
    assert ("blocked", NAME) == (feedback["status"], feedback["tool"])
    assert [code] == [problem["code"] for problem in feedback["problems"]]


@pytest.mark.parametrize("play", FRAMEWORKS)
def test_a_good_call_runs_under_another_name(play):
    """Both decisions, that of the call and that of the function, are clean."""
    output, ran, firewall = play_call(play, "strict", "Bob Miller", 5.0)

    assert ("paid", [("Bob Miller", 5.0)]) == (output, ran)
    assert {"CLEAN"} == {str(decision.verdict) for decision in about_calls(firewall.store)}


@pytest.mark.parametrize("play", FRAMEWORKS)
def test_audit_lets_it_run_under_another_name(play):
    """The block of strict mode is recorded."""
    output, ran, firewall = play_call(play, "audit", "Mallory Jones", 5.0)

    assert ("paid", [("Mallory Jones", 5.0)]) == (output, ran)
    assert ["pay"] == [d.tool for d in about_calls(firewall.store) if d.would_block]
