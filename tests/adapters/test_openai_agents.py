"""The OpenAI Agents SDK: the common scenes, and features that only this SDK has."""

from __future__ import annotations

import asyncio
import gc
import json
import weakref
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.processes import run_python

pytest.importorskip("agents", reason="needs `pip install abs-shield[openai-agents]`")

from agents import (
    Agent,
    AgentHooks,
    CustomTool,
    FunctionTool,
    GuardrailFunctionOutput,
    InputGuardrail,
    InputGuardrailTripwireTriggered,
    ModelBehaviorError,
    RunConfig,
    RunContextWrapper,
    Runner,
    RunState,
    ToolGuardrailFunctionOutput,
    ToolInputGuardrail,
    ToolOutputImage,
    ToolOutputText,
    UserError,
    WebSearchTool,
    function_tool,
    handoff,
    trace,
)
from openai.types.responses import ResponseCustomToolCall, ResponseFunctionWebSearch
from pydantic import BaseModel

from abs_shield import Shield, Target, Tool, ToolProfile, Verdict, shield
from abs_shield.adapters.openai_agents import ShieldedRunner, shielded_agent, shielded_config
from abs_shield.adapters.openai_agents.sdk_items import result_value
from tests.adapters.conformance import conforms
from tests.adapters.openai_agents_driver import (
    BAD,
    DRIVER,
    TRANSFER,
    UNKNOWN,
    Scripted,
    agent_of,
    by_id,
    play,
    reply_of,
    tools_of,
)
from tests.adapters.page import blocks
from tests.adapters.scenes import ASKED, DONE, GOOD, Call, Shop, firewall
from tests.subjects import about_calls

TestConformance = conforms(DRIVER)


@pytest.fixture
def strict() -> Shield:
    """Return the policy of the scenes in strict mode."""
    return firewall("strict")


class Paid(BaseModel):
    """The result of a tool with a declared output."""

    id: str


# Whose run it is -------------------------------------------------------------------


def test_a_decision_has_the_ids_of_call_run_agent_and_conversation(strict):
    """The run id is the trace's id, and the session id is the trace's group."""
    with trace("support", trace_id="trace_7", group_id="chat_1"):
        play(ShieldedRunner(strict), agent_of([[GOOD], DONE]))
    (decision,) = about_calls(strict.store)

    user_text = (decision.call_id, decision.run_id, decision.agent, decision.session_id)
    assert ("c1", "trace_7", "billing", "chat_1") == user_text


@pytest.mark.parametrize("streams", [False, True])
def test_a_conversation_stored_by_the_provider_is_opaque(strict, streams):
    """Earlier messages are not in the request, so an unmentioned value is not a finding."""
    agent = agent_of([[BAD], DONE])
    runner = ShieldedRunner(strict)

    async def run() -> None:
        if not streams:
            await runner.run(agent, ASKED, conversation_id="conv_1")
            return
        result = runner.run_streamed(agent, ASKED, conversation_id="conv_1")
        async for _ in result.stream_events():
            pass

    asyncio.run(run())
    (decision,) = about_calls(strict.store)

    assert ("conv_1", Verdict.CLEAN) == (decision.session_id, decision.verdict)


def test_each_run_without_a_conversation_has_its_own_session(strict):
    """A value that one user mentioned is unmentioned in the run of another user."""
    runner = ShieldedRunner(strict)
    play(runner, agent_of([DONE]), "Refund tx_99999.")
    agent = agent_of([[BAD], DONE])
    play(runner, agent)

    assert "unseen" in reply_of(agent)


def test_concurrent_runs_share_a_runner(strict):
    """Two concurrent runs of one runner have separate sessions."""
    runner = ShieldedRunner(strict)

    async def slow(order_id: str) -> str:
        await asyncio.sleep(0.05)
        return order_id

    look = function_tool(slow, name_override="get_order")
    agents = [
        agent_of(
            [[Call("c0", "get_order", {"order_id": f"ord_{n}"})], [call], DONE],
            tools=[look, *tools_of(Shop())[1:]],
        )
        for n, call in enumerate([GOOD, BAD])
    ]

    async def both() -> None:
        question = [f"{ASKED} ord_{n}" for n in range(2)]
        await asyncio.gather(*map(runner.run, agents, question))

    asyncio.run(both())
    messages = [reply_of(agent) for agent in agents]

    assert "refunded tx_12345" == messages[0]
    assert "unseen" in messages[1]


def test_a_shielded_agent_runs_many_times_without_changing_the_original(strict):
    """Each run of the copy has its own session."""
    agent = agent_of([[GOOD], DONE, [GOOD], DONE])
    before = dict(vars(agent))
    copied = shielded_agent(agent, firewall=strict)
    for _ in range(2):
        asyncio.run(Runner.run(copied, ASKED))
    ids = {decision.session_id for decision in about_calls(strict.store)}

    assert before == vars(agent)
    assert 2 == len(ids)


def test_a_runner_keeps_no_agent_alive(strict):
    """An agent that the host creates for one request is garbage-collected after the run."""
    runner = ShieldedRunner(strict)
    agent = agent_of([[GOOD], DONE])
    play(runner, agent)
    gone = weakref.ref(agent)
    del agent
    gc.collect()

    assert gone() is None


# Feedback --------------------------------------------------------------------------


def test_without_the_configuration_an_unknown_tool_ends_the_run_and_is_logged(strict):
    """`shielded_agent` alone cannot stop the SDK from raising, but the decision is logged."""
    copied = shielded_agent(agent_of([[UNKNOWN], DONE]), firewall=strict)
    with pytest.raises(ModelBehaviorError, match="refnud"):
        asyncio.run(Runner.run(copied, ASKED))

    assert [True] == [decision.blocked for decision in about_calls(strict.store)]


def test_an_unknown_tool_is_answered_with_the_nearest_name(strict):
    """The feedback names the nearest tool, where the SDK only says that it was not found."""
    agent = agent_of([[UNKNOWN], DONE])
    config = shielded_config({"workflow_name": "w"}, firewall=strict)
    asyncio.run(Runner.run(shielded_agent(agent, firewall=strict), ASKED, run_config=config))
    (problem,) = json.loads(reply_of(agent))["problems"]

    assert ("unknown_tool", "w") == (problem["code"], config.workflow_name)
    assert "refund" in problem["nearest"]


def test_the_hosts_formatter_answers_other_errors(strict):
    """An error of a tool is answered as without a Shield, by the host's formatter."""
    call = Call("c1", "explode", {"order_id": "ord_1"})
    agent = agent_of([[call], DONE])
    config = RunConfig(tool_error_formatter=lambda args: f"sorry: {args.kind}")
    play(ShieldedRunner(strict), agent, run_config=config)
    plain = agent_of([[call], DONE])
    play(Runner, plain, run_config=config)

    assert "An error" in reply_of(agent) or "sorry: tool_exception" == reply_of(agent)  # since 0.24
    assert reply_of(plain) == reply_of(agent)


def test_the_configuration_is_unchanged_if_unknown_tools_are_not_enforced():
    """In audit mode, of the whole policy or that layer, `shielded_config` returns its argument."""
    config = RunConfig()
    policies = [
        {"mode": "audit"},
        {"modes": {"phantom_tool": "audit"}},
        {"layers": ["phantom_target"]},
    ]
    for text in policies:
        guard = Shield(shield.configure(**text), hooks=None)

        assert config is shielded_config(config, firewall=guard)


def test_a_tool_with_an_output_type_may_answer_with_feedback(strict):
    """Feedback is not a value of the output type, and does not end the run."""

    def refund(transaction_id: str, amount: float) -> Paid:
        return Paid(id=transaction_id)

    tool = function_tool(refund, output_type=Paid)
    agent = agent_of([[BAD], [GOOD._replace(id="c2")], DONE], tools=[tool])
    play(ShieldedRunner(strict), agent)

    assert '"blocked"' in reply_of(agent)
    assert '{"id":"tx_12345"}' == reply_of(agent, "c2")


def test_a_custom_tool_is_judged_by_its_text():
    """A phantom target in the free text of a custom tool is found."""
    tool = Tool(name="query", destructive=True, targets={"/input": Target()})
    guard = Shield(shield.configure(tools=[tool], on_suspicious="block"), hooks=None)
    ran: list[str] = []

    async def query(context: Any, text: str) -> str:
        ran.append(text)
        return "done"

    class Model(Scripted):
        def _next(self, given: Any, named: Any) -> list[Any]:
            output = super()._next(given, named)
            if getattr(output[0], "type", "") == "function_call":
                call = output[0]
                return [
                    ResponseCustomToolCall(
                        call_id=call.call_id, input="tx_99999", name=call.name,
                        type="custom_tool_call",
                    )
                ]  # fmt: skip
            return output

    custom = CustomTool(name="query", description="Ask.", on_invoke_tool=query)
    call = Call("c1", "query", {})
    agent = agent_of([[call], DONE], model=Model([[call], DONE]), tools=[custom])
    play(ShieldedRunner(guard), agent)
    (decision,) = about_calls(guard.store)

    assert ("query", "c1", decision.blocked) == (decision.tool, decision.call_id, not ran)
    assert Verdict.CLEAN is not decision.verdict


# The framework's own ways ----------------------------------------------------------


def test_calls_of_one_turn_run_concurrently(strict):
    """A call that waits for another call of the same turn finishes."""
    arrived = asyncio.Event()

    async def get_order(order_id: str) -> str:
        await asyncio.wait_for(arrived.wait(), 5)
        return "here"

    async def refund(transaction_id: str, amount: float) -> str:
        arrived.set()
        return "refunded"

    turn = [Call("c0", "get_order", {"order_id": "ord_1"}), GOOD]
    agent = agent_of([turn, DONE], tools=[function_tool(get_order), function_tool(refund)])
    play(ShieldedRunner(strict), agent)

    assert ["here", "refunded"] == [reply_of(agent, "c0"), reply_of(agent)]


def test_a_handoff_continues_in_the_same_session(strict):
    """The second agent can use results of the first one, and decisions have its name."""
    shop = Shop()
    look = Call("c0", "get_order", {"order_id": "ord_1"})
    called = Call("c1", "get_order", {"order_id": "pc_777"})
    model = Scripted([[look], [TRANSFER], [called], DONE])
    billing = Agent(name="billing", model=model, tools=[*tools_of(shop)])
    front = Agent(name="front", model=model, tools=[*tools_of(shop)], handoffs=[billing])
    billing.handoffs.append(handoff(front))
    result = play(ShieldedRunner(strict), front)
    decision = [(d.call_id, d.agent, d.verdict) for d in about_calls(strict.store)]

    assert [("c0", "front", Verdict.CLEAN), ("c1", "billing", Verdict.CLEAN)] == decision
    assert 1 == len({d.session_id for d in about_calls(strict.store)})
    assert "billing" == result.last_agent.name


def test_an_agent_behind_a_handoff_object_is_judged(strict):
    """The object of `handoff(agent)`, which closes over the agent, is copied with all fields."""
    billing = agent_of([])
    calls: list[Any] = []
    front = Agent(
        name="front",
        model=Scripted([[TRANSFER], [BAD], DONE]),
        handoffs=[handoff(billing, on_handoff=calls.append)],
    )
    billing.model = front.model
    play(ShieldedRunner(strict), front)

    assert ('"blocked"' in reply_of(front), 1) == (True, len(calls))


def test_a_handoff_that_is_added_late_is_judged(strict):
    """A copy's list may grow before its run."""
    billing = agent_of([[BAD], DONE])
    copied = shielded_agent(Agent(name="front", model=Scripted([[TRANSFER]])), firewall=strict)
    copied.handoffs.append(billing)
    asyncio.run(Runner.run(copied, ASKED))

    assert '"blocked"' in reply_of(billing)


def test_an_agent_as_a_tool_has_a_child_session(strict):
    """Results that the parent read count as seen; the parent's text is not a user's mention."""
    runner = ShieldedRunner(strict)
    sub = agent_of([[BAD], "No."], name="sub")
    ask = Call("c9", "ask_sub", {"input": "Refund tx_99999 now."})
    tool = runner.agent(sub).as_tool("ask_sub", "Ask.")
    agent = agent_of([[ask], DONE], tools=[tool])
    play(runner, agent)
    decisions = by_id(strict)

    assert "No." == reply_of(agent, "c9")
    assert '"blocked"' in reply_of(sub)
    assert decisions["c9"].session_id != decisions["c1"].session_id
    assert ("billing", "sub") == (decisions["c9"].agent, decisions["c1"].agent)


def test_guardrails_of_the_host_keep_working(strict):
    """A call that a tool's guardrail rejects is answered by it, and counts as not run."""

    def rejects(data: Any) -> ToolGuardrailFunctionOutput:
        return ToolGuardrailFunctionOutput.reject_content("not today")

    refund = function_tool(
        Shop().refund, tool_input_guardrails=[ToolInputGuardrail(guardrail_function=rejects)]
    )
    agent = agent_of([[GOOD], DONE], tools=[refund])
    with strict.session() as session:
        play(ShieldedRunner(strict), agent)
    executed = [(call.tool, call.error) for call in session.executed]

    assert ("not today", [("refund", True)]) == (reply_of(agent), executed)
    assert 1 == len(about_calls(strict.store))


def test_a_tripwire_of_the_host_ends_the_run(strict):
    """Input guardrails run on the copy as they ran on the agent."""

    def trips(context: Any, agent: Any, asked: Any) -> GuardrailFunctionOutput:
        return GuardrailFunctionOutput(output_info=None, tripwire_triggered=True)

    agent = agent_of([DONE], input_guardrails=[InputGuardrail(guardrail_function=trips)])
    with pytest.raises(InputGuardrailTripwireTriggered):
        play(ShieldedRunner(strict), agent)


def test_an_exception_of_a_tool_ends_the_run_if_the_host_configures_it(strict):
    """With `failure_error_function=None` the exception is raised, wrapped by the SDK."""
    tool = function_tool(Shop().explode, failure_error_function=None)
    call = Call("c1", "explode", {"order_id": "ord_1"})
    agent = agent_of([[call], DONE], tools=[tool])
    with strict.session() as session, pytest.raises(UserError) as caught:
        play(ShieldedRunner(strict), agent)

    assert isinstance(caught.value.__cause__, RuntimeError)
    assert [("explode", True)] == [(call.tool, call.error) for call in session.executed]


def test_a_tool_that_fails_counts_as_failed_though_the_sdk_answers_for_it(strict):
    """The SDK turns the exception into a text; the session knows that it failed."""
    call = Call("c1", "explode", {"order_id": "ord_1"})
    with strict.session() as session:
        play(ShieldedRunner(strict), agent_of([[call], DONE]))

    assert [("explode", True)] == [(call.tool, call.error) for call in session.executed]


def test_a_tool_that_runs_out_of_time_counts_as_failed(strict):
    """The SDK cancels it and answers; nothing is left open."""

    async def get_order(order_id: str) -> str:
        await asyncio.sleep(30)
        return "late"

    tool = function_tool(get_order, timeout=0.05)
    call = Call("c1", "get_order", {"order_id": "ord_1"})
    agent = agent_of([[call], DONE], tools=[tool])
    with strict.session() as session:
        play(ShieldedRunner(strict), agent)

    assert "timed out" in reply_of(agent)
    assert [("get_order", True)] == [(call.tool, call.error) for call in session.executed]


def test_a_custom_tool_is_judged_and_receives_its_declared_context(strict):
    """Its function may declare the plain context, which has no call id."""
    contexts: list[Any] = []

    async def invoke(context: RunContextWrapper[Any], arguments: str) -> str:
        contexts.append(type(context))
        return arguments

    schema = {"type": "object", "properties": {"a": {"type": "string"}}}
    tool = FunctionTool("echo", "Echo.", schema, invoke, strict_json_schema=False)
    good, bad = Call("c1", "echo", {"a": "x"}), Call("c2", "echo", {"a": 1})
    agent = agent_of([[good], [bad], DONE], tools=[tool])
    play(ShieldedRunner(strict), agent)

    assert [RunContextWrapper] == contexts
    assert ['{"a": "x"}', True] == [reply_of(agent), '"blocked"' in reply_of(agent, "c2")]
    assert ["c1", "c2"] == [d.call_id for d in about_calls(strict.store)]


def test_hooks_of_the_host_are_called_as_before(strict):
    """The host's hooks are called, also if they are replaced on the copy."""

    class Counts(AgentHooks[Any]):
        def __init__(self) -> None:
            self.replies: list[str] = []

        async def on_start(self, *args: Any) -> None:
            self.replies.append("start")

        async def on_llm_start(self, *args: Any) -> None:
            self.replies.append("llm_start")

        async def on_llm_end(self, *args: Any) -> None:
            self.replies.append("llm_end")

        async def on_tool_start(self, *args: Any) -> None:
            self.replies.append("tool_start")

        async def on_tool_end(self, *args: Any) -> None:
            self.replies.append("tool_end")

        async def on_end(self, *args: Any) -> None:
            self.replies.append("end")

    bare, judged = Counts(), Counts()
    play(Runner, agent_of([[GOOD], DONE], hooks=bare))
    copied = shielded_agent(agent_of([[GOOD], DONE]), firewall=strict)
    copied.hooks = judged
    play(Runner, copied.clone(instructions="Help."))

    assert bare.replies == judged.replies == copied.hooks.replies
    assert 1 == len(about_calls(strict.store))


def test_tools_of_a_local_mcp_server_are_judged(strict):
    """The SDK creates the tools anew at every step."""
    pytest.importorskip("mcp", reason="needs `pip install mcp`")
    from agents.mcp import MCPServer
    from mcp.types import CallToolResult, TextContent
    from mcp.types import Tool as Described

    schema = {
        "type": "object",
        "properties": {"transaction_id": {"type": "string"}, "amount": {"type": "number"}},
        "required": ["transaction_id", "amount"],
    }
    ran: list[Any] = []

    class Server(MCPServer):
        name = "desk"

        async def connect(self) -> None: ...

        async def cleanup(self) -> None: ...

        async def list_tools(self, *args: Any) -> list[Any]:
            return [Described.model_validate({"name": "refund", "inputSchema": schema})]

        async def call_tool(self, name: str, arguments: Any, *args: Any, **more: Any) -> Any:
            ran.append(arguments)
            return CallToolResult(content=[TextContent(type="text", text="refunded")])

        async def list_prompts(self) -> Any: ...

        async def get_prompt(self, *args: Any) -> Any: ...

    agent = agent_of([[BAD], [GOOD._replace(id="c2")], DONE], mcp_servers=[Server()])
    agent.tools = []
    play(ShieldedRunner(strict), agent)

    assert '"blocked"' in reply_of(agent)
    assert [json.loads(GOOD.raw)] == ran


# Approvals and states --------------------------------------------------------------


def approve_and_resume(runner: Any, agent: Agent[Any], *, restored: bool = False) -> Any:
    """Run up to an approval, approve it, and go on."""

    async def run() -> Any:
        result = await runner.run(agent, ASKED)
        state = result.to_state()
        if restored:
            state = await RunState.from_string(agent, state.to_string())
        for item in state.get_interruptions():
            state.approve(item)
        return await runner.run(agent, state)

    return asyncio.run(run())


def test_a_call_that_waits_for_approval_has_one_decision(strict):
    """The call is judged when proposed and when dispatched, with one decision in one session."""
    shop = Shop()
    tool = function_tool(shop.refund, needs_approval=True)
    agent = agent_of([[GOOD], DONE], tools=[tool])
    result = approve_and_resume(ShieldedRunner(strict), agent)
    (decision,) = about_calls(strict.store)

    assert (DONE, "c1", 1) == (result.final_output, decision.call_id, len(shop.ran))


def test_a_callable_approval_is_asked_as_before(strict):
    """The SDK still finds the function behind the tool, and so its arguments."""
    requests: list[Any] = []

    async def needs(context: Any, arguments: Any, call_id: str) -> bool:
        requests.append(arguments)
        return False

    tool = function_tool(Shop().refund, needs_approval=needs)
    agent = agent_of([[GOOD], DONE], tools=[tool])
    result = play(ShieldedRunner(strict), agent)

    assert ([], DONE) == (result.interruptions, result.final_output)
    assert json.loads(GOOD.raw) == requests[0]


def test_a_state_restored_from_text_makes_the_session_opaque(strict):
    """Messages before the interruption are unknown, so an unmentioned value is no finding."""
    tool = function_tool(Shop().refund, needs_approval=True)
    runner = ShieldedRunner(strict)
    agent = runner.agent(agent_of([[BAD], DONE], tools=[tool]))
    result = approve_and_resume(runner, agent, restored=True)
    (decision,) = [d for d in about_calls(strict.store) if d.call_id == "c1"]

    assert (DONE, Verdict.CLEAN) == (result.final_output, decision.verdict)


def test_an_agent_as_a_tool_that_waits_inside_has_one_decision(strict):
    """The SDK calls it a second time under the same id; it is one call."""
    runner = ShieldedRunner(strict)
    shop = Shop()
    inner = function_tool(shop.refund, needs_approval=True)
    sub = runner.agent(agent_of([[GOOD], "Paid."], name="sub", tools=[inner]))
    ask = Call("c9", "ask_sub", {"input": ASKED})
    agent = agent_of([[ask], DONE], tools=[sub.as_tool("ask_sub", "Ask.")])
    with strict.session() as session:
        result = approve_and_resume(runner, agent)
    ids = sorted(str(decision.call_id) for decision in about_calls(strict.store))

    assert (DONE, ["c1", "c9"], 1) == (result.final_output, ids, len(shop.ran))
    assert ["ask_sub"] == [call.tool for call in session.executed]


# What is not seen ------------------------------------------------------------------


def test_a_hosted_tool_makes_the_session_opaque(strict):
    """A call in the same response may use what the hosted search found."""

    class Searches(Scripted):
        def _next(self, given: Any, named: Any) -> list[Any]:
            output = super()._next(given, named)
            searched = ResponseFunctionWebSearch.model_validate(
                {
                    "id": "w1",
                    "status": "completed",
                    "type": "web_search_call",
                    "action": {"type": "search", "query": "tx"},
                }
            )
            return [searched, *output] if len(self.requests) == 1 else output

    turns = [[BAD], DONE]
    tools = [WebSearchTool(), *tools_of(Shop())]
    play(ShieldedRunner(strict), agent_of(turns, model=Searches(turns), tools=tools))

    assert [Verdict.CLEAN] == [d.verdict for d in about_calls(strict.store)]


def test_an_image_from_a_tool_makes_the_session_opaque(strict):
    """The model may read an id in the image."""

    def scan(order_id: str) -> ToolOutputImage:
        return ToolOutputImage(image_url="data:image/png;base64,AAAA")

    tools = [function_tool(scan), *tools_of(Shop())]
    look = Call("c0", "scan", {"order_id": "ord_1"})
    play(ShieldedRunner(strict), agent_of([[look], [BAD], DONE], tools=tools))

    assert Verdict.CLEAN is by_id(strict)["c1"].verdict


class Quote(BaseModel):
    """A price, as a model."""

    price: float


@dataclass
class Quoted:
    """A price, as a dataclass."""

    price: float


TEXT = ToolOutputText(text='{"price": 1.0}')


@pytest.mark.parametrize(
    "value",
    [
        Quote(price=1.0),
        Quoted(1.0),
        TEXT,
        [TEXT],
        {"type": "text", "text": '{"price": 1.0}'},
        '{"price": 1.0}',
        {"price": 1.0},
    ],
    ids=["model", "dataclass", "text", "texts", "text as dict", "string", "dict"],
)
def test_a_result_is_judged_as_data_and_not_as_its_str(value):
    """A correct result of any type is returned in strict mode."""
    profile = ToolProfile(required_fields=["price"], has_network_io=False)
    policy = shield.configure(mode="strict", tools=[Tool(name="quote", profile=profile)])
    firewall = Shield(policy, hooks=None)

    def quote() -> Any:
        return value

    agent = agent_of([[Call("c1", "quote", {})], DONE], tools=[function_tool(quote)])
    session = firewall.session()
    with session:
        play(ShieldedRunner(firewall), agent)

    assert [Verdict.CLEAN] == [decision.verdict for decision in session.result_decisions]
    assert "1.0" in str(reply_of(agent))


@pytest.mark.parametrize(
    ("value", "judged"),
    [
        (None, "None"),
        (7, "7"),
        (b"x", "b'x'"),
        ([], []),
        ([TEXT, TEXT], '{"price": 1.0}\n{"price": 1.0}'),
        ([TEXT, ToolOutputImage(file_id="f")], '{"price": 1.0}'),
        ([TEXT, 7], [TEXT, 7]),
    ],
)
def test_a_result_that_is_not_data_is_judged_as_the_model_reads_it(value, judged):
    """Several texts are joined to one, and a list with other items stays a list."""
    assert judged == result_value(value)


def test_unreadable_items_do_not_end_the_run(strict):
    """Items that cannot be read make the session opaque; the SDK accepts them."""
    odd: list[Any] = [
        {"role": "user", "content": ASKED},
        {"type": "function_call_output", "call_id": "old", "output": [{"type": "input_text"}]},
        {"type": "item_reference", "id": "x"},
        {"type": "function_call", "call_id": "old", "name": "gone", "arguments": "{"},
    ]
    agent = agent_of([[GOOD], DONE])
    result = play(ShieldedRunner(strict), agent, odd)

    assert (DONE, "refunded tx_12345") == (result.final_output, reply_of(agent))


def test_a_run_that_fails_logs_what_it_proposed():
    """In audit an unknown tool ends the run; its neighbour was never dispatched."""
    audit = firewall("audit")
    agent = agent_of([[GOOD, UNKNOWN._replace(id="c2")], DONE])
    with pytest.raises(ModelBehaviorError):
        play(ShieldedRunner(audit), agent)

    assert {"c1": False, "c2": True} == {i: d.would_block for i, d in by_id(audit).items()}


# Without a loop, and as documented -------------------------------------------------


def test_run_sync_works(strict):
    """`run_sync` is the SDK's own method, and uses the thread's event loop."""
    agent = agent_of([[BAD], DONE])
    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    try:
        result = ShieldedRunner(strict).run_sync(agent, ASKED)
    finally:
        asyncio.set_event_loop(None)
        loop.close()

    assert (DONE, True) == (result.final_output, '"blocked"' in reply_of(agent))


def test_the_quickstart_of_the_docs_runs(strict):
    """All lines run except the last, which asks a real model and is run with a scripted one."""
    (block,) = blocks("OpenAI Agents SDK")
    start, _, last = block.rstrip().rpartition("\n")
    names: dict[str, Any] = {}
    exec(start, names)
    agent = names["agent"]
    agent.model = Scripted([[UNKNOWN], DONE])
    play(names["runner"], agent)

    assert "result = runner.run_sync(agent, " in last
    assert '"blocked"' in reply_of(agent)


def test_the_example_runs():
    """The example blocks a phantom target, and the model corrects it."""
    root = Path(__file__).parents[2]
    ran = run_python(str(root / "examples" / "openai_agents_agent.py"))

    assert [
        "refund       blocked: /arguments/transaction_id is unseen",
        "refund       ran: refunded 20.00 for tx_12345",
        "agent        Your 20.00 are on their way.",
    ] == ran.stdout.splitlines()
