"""LangChain's agents and LangGraph's graphs."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier
from typing import Any
from uuid import uuid4

import pytest

from tests.processes import run_python

pytest.importorskip("langgraph", reason="needs `pip install abs-shield[langgraph]`")

from langchain.agents import AgentState, create_agent
from langchain.agents.structured_output import ToolStrategy
from langchain.tools import ToolRuntime
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.tools import StructuredTool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode
from langgraph.types import Command, Send, interrupt
from pydantic import BaseModel

from abs_shield import CallBlocked, Shield, Tool, ToolProfile, shield
from abs_shield.adapters.langgraph import ShieldMiddleware
from abs_shield.adapters.langgraph.langchain_messages import (
    as_openai_message,
    directs_graph,
    replace_answer_message,
)
from abs_shield.core import Action, Subject
from abs_shield.session.session_record import record_of
from tests.adapters.conformance import conforms
from tests.adapters.langgraph_driver import AWAITED, DRIVER, GRAPH, Scripted, ai_message, tools
from tests.adapters.page import blocks
from tests.adapters.scenes import ASKED, DONE, GOOD, Call, Shop, Turn, firewall
from tests.subjects import about_calls

TestConformance = conforms(DRIVER)
TestAwaited = conforms(AWAITED)
TestGraph = conforms(GRAPH)

ROOT = Path(__file__).parents[2]
LOOK = Call("c1", "get_order", {"order_id": "ord_1"})


def run_agent(turns: Sequence[Turn | AIMessage], mode: str = "strict", **kept: Any) -> AgentRun:
    """Run an agent over *turns* behind a Shield."""
    return AgentRun(turns, firewall(mode), **kept)


class AgentRun:
    """One run of an agent and its outcome."""

    def __init__(
        self,
        turns: Sequence[Any],
        guard: Shield,
        *,
        asked: Any = ASKED,
        config: Any = None,
        own: Sequence[Any] = (),
        **kept: Any,
    ) -> None:
        self.shop, self.requests, self.guard = Shop(), [], guard
        model = Verbatim(turns, self.requests)
        middleware = kept.pop("middleware", ShieldMiddleware(guard))
        self.agent = create_agent(
            model, [*tools(self.shop), *own], middleware=[middleware], name="clerk", **kept
        )
        state = {"messages": [HumanMessage(asked)]}
        self.messages = self.agent.invoke(state, config)["messages"]

    @property
    def decisions(self) -> list[Any]:
        return about_calls(self.guard.store)

    @property
    def results(self) -> dict[str, ToolMessage]:
        return {m.tool_call_id: m for m in self.messages if isinstance(m, ToolMessage)}


class Verbatim(Scripted):
    """A scripted model that accepts a message as a turn."""

    def _generate(self, messages: list[Any], *args: Any, **kwargs: Any) -> ChatResult:
        turn = self._asked(messages)
        message = turn if isinstance(turn, AIMessage) else ai_message(turn)
        return ChatResult(generations=[ChatGeneration(message=message)])


def test_a_decision_has_the_ids_of_the_run() -> None:
    """A decision has the ids of call, thread and run, and the names of agent and model."""
    run_id = uuid4()
    turn = ai_message([GOOD])
    turn.response_metadata = {"model_name": "scripted-1"}
    config = {"configurable": {"thread_id": "th9"}, "run_id": run_id}
    ran = run_agent([turn, DONE], config=config)

    [decision] = ran.decisions
    assert ("c1", "th9", str(run_id), "clerk", "scripted-1") == (
        decision.call_id, decision.session_id, decision.run_id, decision.agent, decision.model
    )  # fmt: skip


def test_a_run_without_a_thread_has_one_session() -> None:
    """A value in the first call's result is known at the second call, and in no other run."""
    refund = Call("c2", "refund", {"transaction_id": "pc_777", "amount": 20.0})
    guard = firewall("strict")
    shield = ShieldMiddleware(guard)
    first = AgentRun([[LOOK], [refund], DONE], guard, middleware=shield)
    second = AgentRun([[refund], DONE], guard, middleware=shield)

    assert [["get_order", "refund"], []] == [[n for n, _ in r.shop.ran] for r in (first, second)]
    assert 2 == len({decision.session_id for decision in about_calls(guard.store)})


# langchain silences this warning per thread with `warnings.catch_warnings`, which holds for all
@pytest.mark.filterwarnings("ignore::pydantic.PydanticDeprecatedSince20")
def test_concurrent_runs_share_the_adapter() -> None:
    """Eight runs in threads have a session each, with their own order."""
    guard = firewall("strict")
    shield = ShieldMiddleware(guard)

    def run(n: int) -> list[str]:
        mine = GOOD._replace(arguments={"transaction_id": f"tx_{n}", "amount": 20.0})
        other = GOOD._replace(id="c2", arguments={"transaction_id": f"tx_{n + 1}", "amount": 1.0})
        question = f"Look up ord_1 and refund tx_{n}, 20 dollars."
        ran = AgentRun([[LOOK], [mine], [other], DONE], guard, asked=question, middleware=shield)
        return [name for name, _ in ran.shop.ran]

    with ThreadPoolExecutor(8) as pool:
        ran = [*pool.map(run, range(10_000, 10_080, 10))]

    assert [["get_order", "refund"]] * 8 == ran


def test_parallel_calls_stay_parallel() -> None:
    """Two tools of one turn that wait for each other both finish."""
    met = Barrier(2, timeout=10)

    def wait(order_id: str) -> str:
        """Wait for the other."""
        return str(met.wait() in (0, 1))

    own = [StructuredTool.from_function(wait)]
    calls = [Call(f"c{n}", "wait", {"order_id": "ord_1"}) for n in (1, 2)]
    ran = run_agent([calls, DONE], own=own)

    assert ["True", "True"] == [m.content for m in ran.results.values()]


def test_parallel_awaited_calls_stay_parallel() -> None:
    """Two async tools of one turn that wait for each other both finish."""
    arrived: list[asyncio.Event] = []

    async def wait(order_id: str) -> str:
        """Wait for the other."""
        arrived.append(asyncio.Event())
        while len(arrived) < 2:
            await asyncio.sleep(0.001)
        return "met"

    calls = [Call(f"c{n}", "wait", {"order_id": "ord_1"}) for n in (1, 2)]
    own = [StructuredTool.from_function(coroutine=wait)]
    agent = create_agent(
        Scripted([calls, DONE], []), own, middleware=[ShieldMiddleware(firewall("strict"))]
    )

    async def run() -> Any:
        message = {"messages": [HumanMessage(ASKED)]}
        return await asyncio.wait_for(agent.ainvoke(message), 10)

    messages = [m.content for m in asyncio.run(run())["messages"] if isinstance(m, ToolMessage)]
    assert ["met", "met"] == messages


@pytest.mark.parametrize("mode", ["strict", "audit"])
def test_an_interrupted_call_is_resumed(mode: str) -> None:
    """A call interrupted for a person's answer has one decision and one execution."""

    def ask(order_id: str) -> str:
        """Ask a person."""
        return f"said {interrupt('may I?')}"

    guard = firewall(mode)
    agent = create_agent(
        Scripted([[Call("c1", "ask", {"order_id": "ord_1"})], DONE], []),
        [StructuredTool.from_function(ask)],
        middleware=[ShieldMiddleware(guard)],
        checkpointer=InMemorySaver(),
    )
    config = {"configurable": {"thread_id": "th1"}}
    first = agent.invoke({"messages": [HumanMessage(ASKED)]}, config)
    before = guard.session("th1").executed
    last = agent.invoke(Command(resume="yes"), config)

    assert (["may I?"], ()) == ([i.value for i in first["__interrupt__"]], before)
    assert ["said yes"] == [call.value for call in guard.session("th1").executed]
    assert (DONE, ["c1"]) == (
        last["messages"][-1].content, [d.call_id for d in about_calls(guard.store)]
    )  # fmt: skip


def test_a_handoff_continues_in_the_thread() -> None:
    """After a `Command` to another agent, decisions have that agent's name."""

    def transfer(runtime: ToolRuntime) -> Command:
        """Hand over."""
        replies = ToolMessage("handed over", tool_call_id=runtime.tool_call_id)
        messages = [*runtime.state["messages"], replies]
        return Command(goto="second", graph=Command.PARENT, update={"messages": messages})

    guard, shop = firewall("strict"), Shop()
    middleware = [ShieldMiddleware(guard)]
    move = StructuredTool.from_function(transfer)
    turns: list[Turn] = [[GOOD._replace(id="c2")], DONE]
    graph = StateGraph(MessagesState)
    agent = Scripted([[Call("c1", "transfer", {})]], [])
    graph.add_node("first", create_agent(agent, [move], middleware=middleware, name="first"))
    second = create_agent(Scripted(turns, []), tools(shop), middleware=middleware, name="second")
    graph.add_node("second", second)
    graph.add_edge(START, "first")
    config = {"configurable": {"thread_id": "th1"}}
    message = graph.compile().invoke({"messages": [HumanMessage(ASKED)]}, config)["messages"]

    assert (DONE, ["refund"]) == (message[-1].content, [name for name, _ in shop.ran])
    assert [("first", "th1", False), ("second", "th1", False)] == [
        (d.agent, d.session_id, d.would_block) for d in about_calls(guard.store)
    ]


PRICED = ToolProfile(required_fields=["price"], has_network_io=False)


def judging(name: str, mode: str = "strict") -> Shield:
    """A Shield under which that tool's results hold a price."""
    tools = [Tool(name=name, read_only=True, profile=PRICED)]
    return Shield(shield.configure(mode=mode, tools=tools), hooks=None)


def results_of(guard: Shield) -> list[tuple[Action, bool, bool]]:
    """Action of each result's decision, whether strict would have withheld it, and did."""
    results = [d for d in guard.store.decisions() if d.subject is Subject.RESULT]
    return [(d.action, d.would_block, d.blocked) for d in results]


def test_a_handoff_with_a_fabricated_result_still_happens() -> None:
    """The result is flagged, and not withheld in strict mode either."""

    def transfer(runtime: ToolRuntime) -> Command:
        """Hand over."""
        reply = ToolMessage("handed over", tool_call_id=runtime.tool_call_id)
        return Command(goto="second", graph=Command.PARENT, update={"messages": [reply]})

    guard = judging("transfer")
    middleware = [ShieldMiddleware(guard)]
    move = StructuredTool.from_function(transfer)
    agent = Scripted([[Call("c1", "transfer", {})], "stayed"], [])
    graph = StateGraph(MessagesState)
    graph.add_node("first", create_agent(agent, [move], middleware=middleware, name="first"))
    graph.add_node("second", lambda state: {"messages": [AIMessage("moved")]})
    graph.add_edge(START, "first")
    message = graph.compile().invoke({"messages": [HumanMessage(ASKED)]})["messages"]

    assert "moved" == message[-1].content
    assert [(Action.FLAG, False, False)] == results_of(guard)


class Basket(AgentState):
    """A state with a field that a tool writes, next to the messages."""

    items: list[str]


@pytest.mark.parametrize("awaits", [False, True])
def test_a_withheld_command_keeps_its_state_update(awaits) -> None:
    """Only the command's message for the call is replaced."""

    def put(runtime: ToolRuntime) -> Command:
        """Put an apple into the basket."""
        item = ToolMessage("it costs 5", tool_call_id=runtime.tool_call_id, id="m7")
        return Command(update={"items": ["apple"], "messages": [item]})

    guard, runner = judging("put"), Scripted([[Call("c1", "put", {})], DONE], [])
    move = StructuredTool.from_function(put)
    middleware = [ShieldMiddleware(guard)]
    agent = create_agent(runner, [move], middleware=middleware, state_schema=Basket)
    message = {"messages": [HumanMessage(ASKED)]}
    state = asyncio.run(agent.ainvoke(message)) if awaits else agent.invoke(message)
    [item] = [m for m in state["messages"] if isinstance(m, ToolMessage)]

    assert (["apple"], "c1", "m7", "error") == (
        state["items"], item.tool_call_id, item.id, item.status
    )  # fmt: skip
    assert "withheld" == json.loads(item.content)["status"]
    assert [(Action.BLOCK, True, True)] == results_of(guard)


def test_the_withheld_message_is_replaced_in_lists_and_commands() -> None:
    """Messages that answer other calls stay unchanged."""
    mine, other = (ToolMessage("5", tool_call_id=call_id, id=call_id) for call_id in ("c1", "c2"))
    feedback = ToolMessage("no", tool_call_id="c1")
    message = feedback.model_copy(update={"id": "c1"})

    def put(result: Any) -> Any:
        return replace_answer_message(result, "c1", "messages", feedback)

    assert [message, other] == put([mine, other])
    assert Command(update=[message, other], goto="x") == put(
        Command(update=[mine, other], goto="x")
    )
    assert Command(update={"items": 1}) == put(Command(update={"items": 1}))
    assert [Command(update={"messages": [other]}), message] == put(
        [Command(update={"messages": [other]}), mine]
    )


@pytest.mark.parametrize(
    ("result", "is_signal"),
    [
        (Command(goto="x"), True),
        (Command(graph=Command.PARENT), True),
        ([ToolMessage("5", tool_call_id="c1"), Command(goto=[Send("x", {})])], True),
        (Command(update={"items": 1}), False),
        (Command(goto=()), False),
        (ToolMessage("5", tool_call_id="c1"), False),
    ],
)
def test_only_a_command_that_leads_somewhere_is_a_handoff(result, is_signal) -> None:
    """A command that only updates the state is a result like any other."""
    assert is_signal is directs_graph(result)


def test_a_sub_agent_has_a_child_session() -> None:
    """A value that the parent agent invents for its sub-agent does not count as mentioned."""
    guard, shop = firewall("strict"), Shop()
    middleware = [ShieldMiddleware(guard)]
    bad = GOOD._replace(arguments={"transaction_id": "tx_99999", "amount": 20.0})
    turns: list[Turn] = [[bad], [GOOD._replace(id="c2")], DONE]
    below = create_agent(Scripted(turns, []), tools(shop), middleware=middleware, name="below")

    def ask(task: str) -> str:
        """Ask the sub-agent."""
        return str(below.invoke({"messages": [HumanMessage(task)]})["messages"][-1].content)

    first = Call("a1", "ask", {"task": "Refund tx_99999."})
    AgentRun([[first], DONE], guard, own=[StructuredTool.from_function(ask)])
    decided = {d.call_id: d for d in about_calls(guard.store)}

    assert [("refund", {"transaction_id": "tx_12345", "amount": 20.0})] == shop.ran
    assert ["unseen"] == [f.code for f in decided["c1"].findings]
    assert 2 == len({d.session_id for d in decided.values()})


def test_a_result_is_passed_on_unchanged() -> None:
    """An artifact, and a message that a tool created itself, are not changed."""

    def look(order_id: str) -> tuple[str, dict[str, int]]:
        """Look."""
        return "pc_777", {"rows": 3}

    own = [StructuredTool.from_function(look, response_format="content_and_artifact")]
    ran = run_agent([[Call("c1", "look", {"order_id": "ord_1"})], DONE], own=own)

    assert ("pc_777", {"rows": 3}) == (ran.results["c1"].content, ran.results["c1"].artifact)


def test_a_block_inside_a_tool_is_an_error_of_the_tool() -> None:
    """A `CallBlocked` raised inside a tool is not answered as a block of that tool."""
    inner = firewall("strict")

    def look(order_id: str) -> str:
        """Look."""
        with inner.session():
            return str(inner.dispatch("nothing", {}))

    own = [StructuredTool.from_function(look)]
    with pytest.raises(CallBlocked, match="nothing"):
        run_agent([[Call("c1", "look", {"order_id": "ord_1"})], DONE], own=own)


def test_an_image_makes_a_missing_mention_no_finding() -> None:
    """After an image from the user, an unmentioned transaction is not flagged."""
    image = {"type": "image", "base64": "aGk=", "mime_type": "image/png"}
    request = [{"type": "text", "text": "Refund this, 20 dollars."}, image]
    ran = run_agent([[GOOD], DONE], asked=request)

    assert ["refund"] == [name for name, _ in ran.shop.ran]


def test_an_image_in_a_result_makes_a_missing_mention_no_finding() -> None:
    """After an image in a tool's result, an unmentioned transaction is not flagged."""

    def shoot(order_id: str) -> list[dict[str, str]]:
        """Take a screenshot."""
        return [{"type": "image", "base64": "aGk=", "mime_type": "image/png"}]

    question, own = "Refund what the screen of ord_1 shows.", [StructuredTool.from_function(shoot)]
    turns = [[Call("c0", "shoot", {"order_id": "ord_1"})], [GOOD], DONE]
    ran = run_agent(turns, asked=question, own=own)

    assert ["refund"] == [name for name, _ in ran.shop.ran]


def test_a_value_in_a_summary_is_not_mentioned() -> None:
    """A summary has the user's role, but a model wrote it."""
    bad = GOOD._replace(arguments={"transaction_id": "tx_99999", "amount": 20.0})
    guard = firewall("strict")
    summary = HumanMessage("They want tx_99999.", additional_kwargs={"lc_source": "summarization"})
    session = guard.session("th1", messages=[{"role": "user", "content": ASKED}])
    agent = create_agent(
        Scripted([[bad], DONE], []), tools(Shop()), middleware=[ShieldMiddleware(guard)]
    )
    state = {"messages": [summary, HumanMessage("Go on.")]}
    agent.invoke(state, {"configurable": {"thread_id": "th1"}})

    assert [["unseen"]] == [[f.code for f in d.findings] for d in session.decisions]


def test_a_value_that_an_error_quotes_is_not_mentioned() -> None:
    """LangChain quotes arguments of a wrong type in its error message."""
    wrong = {"transaction_id": "tx_99999", "amount": "a lot"}
    bad = GOOD._replace(id="c2", arguments={"transaction_id": "tx_99999", "amount": 20.0})
    ran = run_agent([[GOOD._replace(arguments=wrong)], [bad], DONE], "audit")

    assert "tx_99999" in str(ran.results["c1"].content)
    assert ["unseen"] == [f.code for f in ran.decisions[-1].findings]


def test_duplicate_keys_are_judged_in_the_original_text() -> None:
    """The integration parses one of two equal keys; the original text has both."""
    text = '{"transaction_id": "tx_99999", "transaction_id": "tx_12345", "amount": 20.0}'
    turn = ai_message([GOOD])
    kept = {"id": "c1", "type": "function", "function": {"name": "refund", "arguments": text}}
    turn.additional_kwargs = {"tool_calls": [kept]}
    ran = run_agent([turn, DONE])

    assert (False, []) == (ran.decisions[0].verdict.name == "CLEAN", ran.shop.ran)


def test_a_turn_of_good_and_unreadable_calls() -> None:
    """The valid call runs, and the unreadable call is answered."""
    broken = Call("c2", "refund", '{"transaction_id": "tx_12')
    ran = run_agent([[LOOK, broken], DONE])

    assert ["get_order"] == [name for name, _ in ran.shop.ran]
    assert "malformed_json" in str(ran.results["c2"].content)


def test_unreadable_calls_are_bounded_by_the_policys_retries() -> None:
    """After the policy's retries the run ends as it does without a Shield."""
    turns = [[Call(f"c{n}", "refund", "{")] for n in range(9)]
    ran = run_agent(turns)

    assert 1 + ran.guard.policy.retries == len(ran.requests)
    assert isinstance(ran.messages[-1], AIMessage)


def test_structured_output_is_not_a_call() -> None:
    """The agent handles the call for structured output itself."""

    class Receipt(BaseModel):
        """The result of a payment."""

        total: float

    turn: Turn = [Call("c1", "Receipt", {"total": 20.0})]
    ran = run_agent([turn], response_format=ToolStrategy(Receipt))

    assert [] == ran.decisions


def test_log_probabilities_are_forwarded() -> None:
    """The log-probabilities are taken from the response's metadata."""
    turn = ai_message([GOOD])
    tokens = [{"token": "refund", "logprob": -0.01, "bytes": None}]
    turn.response_metadata = {"logprobs": {"content": tokens}}
    guard = firewall("strict")
    played = AgentRun([turn, DONE], guard, config={"configurable": {"thread_id": "th1"}})

    assert 1 == record_of(guard.session("th1")).likelihoods.n
    assert ["refund"] == [name for name, _ in played.shop.ran]


def test_an_unreadable_message_makes_the_session_opaque() -> None:
    """The message does not stop the run, and an unmentioned value is not a finding."""

    class Odd(HumanMessage):
        """A host's own, that breaks when it is read."""

        @property
        def additional_kwargs(self) -> Any:
            raise RuntimeError("odd")

    assert {"role": "Odd"} == as_openai_message(Odd.model_construct(content="hi"))


def test_the_graph_is_unchanged() -> None:
    """The middleware adds no node, and so no step towards a recursion limit."""
    with_it = create_agent(
        Scripted([], []), tools(Shop()), middleware=[ShieldMiddleware(firewall("audit"))]
    )

    assert [*create_agent(Scripted([], []), tools(Shop())).nodes] == [*with_it.nodes]


def test_a_graph_without_messages_is_opaque() -> None:
    """If calls come from elsewhere, an unmentioned value is not a finding."""
    guard, shop = firewall("strict"), Shop()
    shield = ShieldMiddleware(guard)
    node = ToolNode(tools(shop), wrap_tool_call=shield.wrap_tool_call)
    graph = StateGraph(dict)
    call = {"name": "refund", "args": dict(GOOD.arguments), "id": "c1", "type": "tool_call"}
    graph.add_node("run", lambda state: {"told": node.invoke([call])})
    graph.add_edge(START, "run")
    graph.compile().invoke({"x": 1})

    assert ["refund"] == [name for name, _ in shop.ran]


def test_the_example_runs() -> None:
    """The example runs as a script without warnings."""
    path = ROOT / "examples" / "langgraph_agent.py"
    ran = run_python("-W", "error", str(path), check=False)

    assert (0, "") == (ran.returncode, ran.stderr)
    assert 'refund     blocked: unseen "tx_99999"' in ran.stdout
    assert "refund     ran: refunded 20.00 for tx_12345" in ran.stdout


def test_the_page_runs() -> None:
    """The code blocks of the docs run with a scripted model."""
    names: dict[str, Any] = {
        "model": Scripted([[GOOD], DONE], []), "tools": tools(Shop()), "ToolNode": ToolNode
    }  # fmt: skip
    for block in blocks("LangChain and LangGraph"):
        exec(block, names)

    assert ["refund"] == [d.tool for d in about_calls(names["firewall"].store)]
