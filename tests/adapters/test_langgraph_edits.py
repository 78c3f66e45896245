"""LangChain agents in which a person or the host changes a call before it runs."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest

pytest.importorskip("langgraph", reason="needs `pip install abs-shield[langgraph]`")

from langchain.agents import create_agent
from langchain.agents.middleware import AgentMiddleware, HumanInTheLoopMiddleware
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command

from abs_shield import Shield
from abs_shield.adapters.langgraph import ShieldMiddleware
from tests.adapters.langgraph_driver import Scripted, tools
from tests.adapters.scenes import ASKED, DONE, GOOD, Shop, firewall
from tests.subjects import about_calls

THREAD: Any = {"configurable": {"thread_id": "t1"}}
EDITED = {"transaction_id": "tx_5555", "amount": 20.0}
UNSEEN = {"transaction_id": "tx_99999", "amount": 20.0}


class Reviewed:
    """An agent whose refunds a person reviews; *restarts* resumes it in another process."""

    def __init__(
        self,
        turns: Sequence[Any],
        *,
        mode: str | None = "strict",
        first: bool = False,
        own: Sequence[Any] = (),
        **how: Any,
    ) -> None:
        self.shop, self.requests, self.saver = Shop(), [], InMemorySaver()
        self.turns, self.first, self.how, self.own = turns, first, how, own
        self.mode = mode
        self.start()

    def start(self) -> None:
        """Create the agent again, with only the checkpoints kept."""
        self.guard: Shield | None = firewall(self.mode) if self.mode else None
        review = HumanInTheLoopMiddleware(interrupt_on={"refund": True}, **self.how)
        shields = [] if self.guard is None else [ShieldMiddleware(self.guard)]
        middleware = [*shields, *self.own, review] if self.first else [review, *self.own, *shields]
        model = Scripted(self.turns, self.requests)
        offered = tools(self.shop)
        self.agent = create_agent(model, offered, middleware=middleware, checkpointer=self.saver)

    def ask(self) -> Any:
        return self.agent.invoke({"messages": [HumanMessage(ASKED)]}, THREAD)

    def edit(self, arguments: Any, name: str = "refund") -> Any:
        """Answer the newest review request with an edit."""
        decision = {"type": "edit", "edited_action": {"name": name, "args": arguments}}
        one = self.how.get("interrupt_mode") == "per_call"
        answer = decision if one else {"decisions": [decision]}
        return self.agent.invoke(Command(resume=answer), THREAD)

    @property
    def ran(self) -> list[Any]:
        return [arguments for name, arguments in self.shop.ran if name == "refund"]

    def decided(self) -> list[tuple[bool, tuple[str, ...], str]]:
        assert self.guard is not None
        return [(d.blocked, d.notes, d.verdict) for d in about_calls(self.guard.store)]


CHANGED = (False, ("changed_by_host",), "CLEAN")


@pytest.mark.parametrize("first", [False, True], ids=["last", "first"])
@pytest.mark.parametrize("restarts", [False, True], ids=["same process", "another process"])
@pytest.mark.parametrize("proposed", [GOOD.arguments, UNSEEN], ids=["good", "unseen"])
def test_a_value_that_a_reviewer_wrote_is_mentioned(
    first: bool, restarts: bool, proposed: Any
) -> None:
    """The edited call runs, and its only decision is CLEAN and noted as changed by the host."""
    run = Reviewed([[GOOD._replace(arguments=proposed)], DONE], first=first)
    run.ask()
    if restarts:
        run.start()
    result = run.edit(EDITED)

    assert ([EDITED], DONE) == (run.ran, result["messages"][-1].content)
    assert [CHANGED] == run.decided()


def test_a_value_from_a_review_of_one_call_is_mentioned() -> None:
    """With `per_call` interrupts the edited call runs as well, and its decision is CLEAN."""
    run = Reviewed([[GOOD], DONE], interrupt_mode="per_call")
    run.ask()
    run.edit(EDITED)

    assert ([EDITED], [CHANGED]) == (run.ran, run.decided())


def test_a_value_in_a_message_that_the_host_replaced_is_mentioned() -> None:
    """A call that the host edited in a paused run's state runs, noted as changed by the host."""
    guard, shop = firewall("strict"), Shop()
    agent = create_agent(
        Scripted([[GOOD], DONE], []), tools(shop), middleware=[ShieldMiddleware(guard)],
        checkpointer=InMemorySaver(), interrupt_before=["tools"],
    )  # fmt: skip
    agent.invoke({"messages": [HumanMessage(ASKED)]}, THREAD)
    message = agent.get_state(THREAD).values["messages"][-1]
    calls = [{**message.tool_calls[0], "args": EDITED}]
    agent.update_state(THREAD, {"messages": [message.model_copy(update={"tool_calls": calls})]})
    agent.invoke(None, THREAD)

    assert [("refund", EDITED)] == shop.ran
    assert [("changed_by_host",)] == [d.notes for d in about_calls(guard.store)]


def test_a_value_that_a_reviewer_wrote_is_stored_as_the_users() -> None:
    """The session names the user as the source of the edited value."""
    run = Reviewed([[GOOD], DONE])
    run.ask()
    run.edit(EDITED)
    assert run.guard is not None
    session = run.guard.session("t1")

    assert "user" == session.origin("tx_5555").source
    assert (1, None) == (session.turns, session.origin("tx_99999"))


def test_a_value_that_a_reviewer_left_unchanged_is_judged() -> None:
    """After an edit of the amount only, the unmentioned id still blocks the call."""
    run = Reviewed([[GOOD._replace(arguments=UNSEEN)], DONE])
    run.ask()
    run.edit({**UNSEEN, "amount": 5.0})

    assert ([], True) == (run.ran, run.decided()[0][0])


def test_an_edit_is_judged_by_the_schema() -> None:
    """An edit with a wrong type is blocked."""
    run = Reviewed([[GOOD], DONE])
    run.ask()
    run.edit({"transaction_id": "tx_5555", "amount": "a lot"})

    assert ([], True) == (run.ran, run.decided()[0][0])


@pytest.mark.parametrize("reused", ["in a later turn", "in one turn"])
def test_a_repeated_call_id_is_not_an_edit(reused: str) -> None:
    """A second call of the model with the same id is judged as the model's."""
    bad = GOOD._replace(arguments=UNSEEN)
    turns = [[GOOD], [bad], DONE] if reused == "in a later turn" else [[GOOD, bad], DONE]
    guard, shop = firewall("strict"), Shop()
    agent = create_agent(Scripted(turns, []), tools(shop), middleware=[ShieldMiddleware(guard)])
    agent.invoke({"messages": [HumanMessage(ASKED)]})

    assert UNSEEN not in [arguments for _, arguments in shop.ran]
    assert not any(d.notes for d in about_calls(guard.store))


def test_an_edit_does_not_apply_to_a_later_turn() -> None:
    """A later call of the model with the edited call's id is judged as the model's."""
    bad = GOOD._replace(arguments=UNSEEN)
    run = Reviewed([[GOOD], [bad], DONE])
    run.ask()
    run.edit(EDITED)
    run.agent.invoke(Command(resume={"decisions": [{"type": "approve"}]}), THREAD)

    assert [EDITED] == run.ran
    assert [False, True] == [blocked for blocked, _, _ in run.decided()]


def test_an_undeclared_argument_of_an_edit_passes_in_audit() -> None:
    """LangChain ignores the argument, with and without a Shield in audit mode."""
    results = []
    for mode in (None, "audit"):
        run = Reviewed([[GOOD], DONE], mode=mode)
        run.ask()
        messages = run.edit({**EDITED, "note": "as agreed"})["messages"]
        results.append((run.ran, [m.content for m in messages]))

    assert results[0] == results[1]
    assert [EDITED] == results[1][0]


class Adds(AgentMiddleware[Any, Any, Any]):
    """A middleware that replaces the model's alias with the host's own id."""

    def wrap_tool_call(self, request: Any, handler: Any) -> Any:
        call = {**request.tool_call, "args": EDITED}
        return handler(request.override(tool_call=call))

    async def awrap_tool_call(self, request: Any, handler: Any) -> Any:
        call = {**request.tool_call, "args": EDITED}
        return await handler(request.override(tool_call=call))


@pytest.mark.parametrize("awaits", [False, True], ids=["sync", "async"])
def test_a_value_that_a_middleware_wrote_is_mentioned(awaits: bool) -> None:
    """A middleware before the Shield that changes the call counts as the host."""
    guard, shop = firewall("strict"), Shop()
    middleware = [Adds(), ShieldMiddleware(guard)]
    agent = create_agent(Scripted([[GOOD], DONE], []), tools(shop), middleware=middleware)
    state = {"messages": [HumanMessage(ASKED)]}
    result = asyncio.run(agent.ainvoke(state)) if awaits else agent.invoke(state)
    [decision] = about_calls(guard.store)

    assert [("refund", EDITED)] == shop.ran
    assert (("changed_by_host",), "CLEAN") == (decision.notes, decision.verdict)
    assert isinstance(result["messages"][1], AIMessage)
    assert isinstance(result["messages"][2], ToolMessage)
