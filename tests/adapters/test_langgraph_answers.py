"""`ShieldMiddleware(firewall, answers=True)` settles the text that ends a run of LangChain."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

pytest.importorskip("langgraph", reason="the extra `langgraph` is not installed")

from langchain.agents import create_agent
from langchain.agents.structured_output import ToolStrategy
from langchain_core.messages import AIMessage, HumanMessage
from pydantic import BaseModel

from abs_shield import Shield, shield
from abs_shield.adapters.langgraph import ShieldMiddleware
from abs_shield.core import Subject
from tests.adapters.langgraph_driver import Scripted, Streamed, tools
from tests.adapters.scenes import ASKED, GOOD, Call, Shop

TRUE = "I have refunded tx_12345."
EXTRA = f"{TRUE} The money arrives within 3 hours."
REFUSAL = "I cannot answer this reliably"


def played(
    turns: list[Any], *, mode: str = "strict", answers: bool = True, model: Any = Scripted,
    is_async: bool = False, **given: Any,
) -> tuple[list[Any], Any, Shield]:  # fmt: skip
    """The messages of one run, what the model was sent, and the Shield."""
    guard = Shield(shield.configure(mode=mode), hooks=None)  # type: ignore[arg-type]
    requests: list[Any] = []
    middleware = [ShieldMiddleware(guard, answers=answers)]
    agent = create_agent(model(turns, requests), tools(Shop()), middleware=middleware, **given)
    question = {"messages": [("user", ASKED)]}
    state = asyncio.run(agent.ainvoke(question)) if is_async else agent.invoke(question)
    return state["messages"], requests, guard


def judged(guard: Shield) -> list[Any]:
    """The decisions about answers."""
    return [one for one in guard.store.decisions() if one.subject is Subject.ANSWER]


@pytest.mark.parametrize("is_async", [False, True])
def test_the_model_is_asked_again(is_async: bool) -> None:
    """The draft that does not hold reaches the model with feedback, and no reader of the state."""
    messages, requests, guard = played([[GOOD], EXTRA, TRUE], is_async=is_async)

    assert TRUE == messages[-1].text
    assert "3 hours" not in str(messages)
    assert "3 hours" in str(requests[-1]["messages"][-1])
    assert 2 == len(judged(guard))


def test_a_fabricated_action_is_refused() -> None:
    """The refusal replaces the text in the same message."""
    messages, requests, guard = played([TRUE])

    assert messages[-1].text.startswith(REFUSAL)
    assert 1 == len(requests)
    assert judged(guard)[-1].blocked


def test_the_feedback_vouches_for_nothing() -> None:
    """A rewrite that repeats the claim in other words is refused after the policy's revisions."""
    again = f"{TRUE} It arrives within 3 hours."
    messages, requests, _ = played([[GOOD], EXTRA, again, again])

    assert messages[-1].text.startswith(REFUSAL)
    assert 3 == len(requests)


def test_a_rewrite_may_call_tools() -> None:
    """The call runs behind its draft and the feedback; the answer after it goes on the rounds."""
    second = Call("call_2", "refund", GOOD.arguments)
    messages, _, guard = played([[GOOD], EXTRA, [second], TRUE])
    kinds = [type(message) for message in messages[3:7]]

    assert [AIMessage, HumanMessage, AIMessage] == kinds[:3]
    assert TRUE == messages[-1].text
    assert 2 == len(judged(guard))


@pytest.mark.parametrize("model", [Scripted, Streamed])
@pytest.mark.parametrize("turns", [[[GOOD], EXTRA], [TRUE]])
def test_audit_changes_nothing(turns: list[Any], model: Any) -> None:
    """Messages and requests are those without answers; what was found is recorded."""
    plain, question, _ = played(turns, mode="audit", answers=False, model=model)
    messages, requests, guard = played(turns, mode="audit", model=model)

    assert question == requests
    assert [m.content for m in plain] == [m.content for m in messages]
    assert [(True, False)] == [
        (one.would_block, one.blocked) for one in judged(guard)
    ] or EXTRA in turns


class Receipt(BaseModel):
    """The output of an agent with structured output."""

    amount: int


def test_structured_output_is_left_alone() -> None:
    """A refusal fits no schema: values are checked by rules of the tools, not as an answer."""
    turn = [Call("call_9", "Receipt", {"amount": 77})]
    _, _, guard = played([turn], response_format=ToolStrategy(Receipt))

    assert not judged(guard)
