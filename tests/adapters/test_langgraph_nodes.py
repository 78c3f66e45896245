"""A graph's tool node on its own: its errors, its tools, and the arguments that it injects."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any

import pytest

pytest.importorskip("langgraph", reason="needs `pip install abs-shield[langgraph]`")

from langchain.agents import create_agent
from langchain.agents.middleware import AgentMiddleware, after_model
from langchain_core.messages import AIMessage, HumanMessage
from langchain_core.messages.tool import tool_call
from langchain_core.runnables import ensure_config
from langchain_core.tools import BaseTool, StructuredTool, ToolException
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.prebuilt import InjectedState, InjectedStore, ToolNode
from langgraph.runtime import Runtime

from abs_shield import ShieldError
from abs_shield.adapters.langgraph import ShieldMiddleware, ShieldModelMiddleware, framework_checks
from abs_shield.adapters.langgraph.graph_steps import GraphPosition
from tests.adapters.langgraph_driver import Scripted, tools
from tests.adapters.scenes import ASKED, DONE, GOOD, Call, Shop, firewall
from tests.subjects import about_calls


def raise_error(kind: str, order_id: str) -> str:
    """Raise an error of this kind."""
    raise {"tool": ToolException, "value": ValueError, "type": TypeError}[kind](order_id)


def asks_store(order_id: str, store: Annotated[Any, InjectedStore()]) -> str:
    """Ask the store."""
    return order_id


def asks_state(order_id: str, gone: Annotated[Any, InjectedState("gone")]) -> str:
    """Ask the state."""
    return order_id


KINDS = ("tool", "value", "type")
HANDLED: list[Any] = [(ValueError,), ValueError, True, "an error", False, str]


@pytest.mark.parametrize("awaits", [False, True], ids=["sync", "async"])
@pytest.mark.parametrize("handled", HANDLED, ids=repr)
@pytest.mark.parametrize("mode", ["audit", "strict"])
def test_a_node_handles_errors_as_without_a_shield(mode: str, handled: Any, awaits: bool) -> None:
    """The node handles the errors that it catches; all other errors end the run."""
    calls = [
        *(Call(f"c_{kind}", "raise_error", {"kind": kind, "order_id": "ord_1"}) for kind in KINDS),
        Call("c_store", "asks_store", {"order_id": "ord_1"}),
        Call("c_state", "asks_state", {"order_id": "ord_1"}),
    ]
    for call in calls:
        guard = ShieldMiddleware(firewall(mode))
        own = {"wrap_tool_call": guard.wrap_tool_call, "awrap_tool_call": guard.awrap_tool_call}

        assert outcome(call, handled, awaits, {}) == outcome(call, handled, awaits, own)


def outcome(call: Call, handled: Any, awaits: bool, own: Any) -> list[str]:
    """Return the outcomes of two runs of one node, with one call each."""
    result = [StructuredTool.from_function(f) for f in (raise_error, asks_store, asks_state)]
    node = ToolNode(result, handle_tool_errors=handled, **own)
    graph = StateGraph(MessagesState).add_node("tools", node).add_edge(START, "tools").compile()
    request = tool_call(name=call.name, args=dict(call.arguments), id=call.id)
    state = {"messages": [HumanMessage(ASKED), AIMessage("", tool_calls=[request])]}
    ends = []
    for _ in range(2):
        try:
            done = asyncio.run(graph.ainvoke(state)) if awaits else graph.invoke(state)
            ends.append(str(done["messages"][-1].content))
        except Exception as error:
            ends.append(repr(error))
    return ends


class Brings(AgentMiddleware[Any, Any, Any]):
    """A middleware that runs a tool with which the agent was not created."""

    def __init__(self, brought: BaseTool) -> None:
        super().__init__()
        self.brought = brought

    def wrap_tool_call(self, request: Any, handler: Any) -> Any:
        if request.tool_call["name"] == self.brought.name:
            request = request.override(tool=self.brought)
        return handler(request)


def test_a_tool_that_a_middleware_adds_is_known() -> None:
    """A tool in the request alone is judged by its schema, and an unmentioned id is found."""
    ran = []

    def look(transaction_id: str) -> str:
        """Look."""
        ran.append(transaction_id)
        return "found"

    brought = StructuredTool.from_function(look)
    bad = Call("c2", "look", {"transaction": "tx_12345"})
    turns = [[Call("c1", "look", {"transaction_id": "tx_12345"})], [bad], DONE]
    guard = firewall("strict")
    middleware = [Brings(brought), ShieldMiddleware(guard)]
    agent = create_agent(Scripted(turns, []), tools(Shop()), middleware=middleware)
    agent.invoke({"messages": [HumanMessage(ASKED)]})

    assert ["tx_12345"] == ran
    assert [False, True] == [decision.blocked for decision in about_calls(guard.store)]


def test_a_tool_that_the_node_has_and_the_model_was_not_offered_is_a_phantom() -> None:
    """A tool that the node could run, but the model was not offered, is a phantom tool."""
    guard, shop = firewall("strict"), Shop()

    class Narrows(AgentMiddleware[Any, Any, Any]):
        def wrap_model_call(self, request: Any, handler: Any) -> Any:
            left = [tool for tool in request.tools if tool.name != "refund"]
            return handler(request.override(tools=left))

    middleware = [Narrows(), ShieldMiddleware(guard)]
    agent = create_agent(Scripted([[GOOD], DONE], []), tools(shop), middleware=middleware)
    agent.invoke({"messages": [HumanMessage(ASKED)]})

    assert ([], True) == (shop.ran, about_calls(guard.store)[0].blocked)


def test_an_argument_that_the_node_injects_by_its_name_is_not_missing() -> None:
    """LangChain injects `runtime` by name, so it is not required of the model."""
    ran = []

    def look(order_id: str, runtime: Any) -> str:
        """Look."""
        ran.append((order_id, runtime.tool_call_id))
        return "found"

    guard = firewall("strict")
    call = Call("c1", "look", {"order_id": "ord_1"})
    agent = create_agent(
        Scripted([[call], DONE], []), [StructuredTool.from_function(look)],
        middleware=[ShieldMiddleware(guard)],
    )  # fmt: skip
    agent.invoke({"messages": [HumanMessage(ASKED)]})

    assert [("ord_1", "c1")] == ran
    assert [False] == [decision.blocked for decision in about_calls(guard.store)]


def test_an_agent_without_tools_gets_no_extra_node() -> None:
    """A jump ends where it did without the middleware, and the agent's calls are judged."""

    @after_model
    def jumps(state: Any, runtime: Any) -> Any:
        return {"jump_to": "model"}

    guard = firewall("strict")
    shields = [[], [ShieldModelMiddleware(guard)]]
    ends = []
    for own in shields:
        model = Scripted([[GOOD], DONE], [])
        agent = create_agent(model, [], middleware=[jumps, *own])
        message = {"messages": [HumanMessage(ASKED)]}
        messages = agent.invoke(message, {"recursion_limit": 20})["messages"]
        ends.append((sorted(agent.get_graph().nodes), [type(m).__name__ for m in messages]))

    assert ends[0] == ends[1]
    assert [("refund", True)] == [(d.tool, d.would_block) for d in about_calls(guard.store)]


@pytest.mark.parametrize("gone", ["control", "execution_info"])
def test_a_langgraph_without_a_required_part_is_refused(gone: str, monkeypatch: Any) -> None:
    """Creating the adapter raises an error that names the missing part."""
    known = dict(Runtime.__dataclass_fields__)
    known.pop(gone)
    monkeypatch.setattr(Runtime, "__dataclass_fields__", known)
    framework_checks.check_framework.cache_clear()
    try:
        with pytest.raises(ShieldError, match=f"`Runtime` has no `{gone}`"):
            ShieldMiddleware(firewall("audit"))
    finally:
        framework_checks.check_framework.cache_clear()


def test_a_node_that_hides_itself_from_its_wrappers_is_refused(monkeypatch: Any) -> None:
    """Without access to the node, errors it does not catch would be caught silently."""
    monkeypatch.setattr(ToolNode, "_run_one", lambda *given: None)
    framework_checks.check_framework.cache_clear()
    try:
        with pytest.raises(ShieldError, match=r"`ToolNode\._run_one`"):
            ShieldMiddleware(firewall("audit"))
    finally:
        framework_checks.check_framework.cache_clear()


def test_summaries_that_are_no_longer_marked_are_refused(monkeypatch: Any) -> None:
    """Without the mark, a summary would count as the user's own words."""
    monkeypatch.setattr(
        framework_checks.SummarizationMiddleware,
        "_build_new_messages",
        lambda text: [HumanMessage(text)],
    )
    framework_checks.check_framework.cache_clear()
    try:
        with pytest.raises(ShieldError, match="`lc_source`"):
            ShieldMiddleware(firewall("audit"))
    finally:
        framework_checks.check_framework.cache_clear()


def test_a_step_without_its_place_is_refused() -> None:
    """A graph step without a checkpoint namespace is an error that names the missing field."""
    results: list[Any] = []

    def step(state: Any) -> Any:
        config = ensure_config()
        results.append(GraphPosition.current().namespace)
        del config["metadata"]["langgraph_checkpoint_ns"]
        with pytest.raises(ShieldError, match="langgraph_checkpoint_ns"):
            framework_checks.check_step(config)
        return {}

    graph = StateGraph(MessagesState).add_node("step", step).add_edge(START, "step").compile()
    graph.invoke({"messages": []})

    assert [""] == results
