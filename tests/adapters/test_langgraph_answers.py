"""`ShieldMiddleware(firewall, answers=True)` settles the text that ends a run of LangChain."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from tests.subjects import about_answers

pytest.importorskip("langgraph", reason="needs `pip install abs-shield[langgraph]`")

from langchain.agents import create_agent
from langchain.agents.structured_output import ToolStrategy
from langchain_core.messages import AIMessage, HumanMessage
from pydantic import BaseModel

from abs_shield import Shield, shield
from abs_shield.adapters.langgraph import ShieldMiddleware
from tests.adapters.langgraph_driver import Scripted, Streamed, tools
from tests.adapters.scenes import ASKED, EXTRA, GOOD, REFUSAL, TRUE, Call, Shop


def run_agent(
    turns: list[Any], *, mode: str = "strict", answers: bool = True, model: Any = Scripted,
    is_async: bool = False, **given: Any,
) -> tuple[list[Any], Any, Shield]:  # fmt: skip
    """Return the messages of one run, the requests to the model, and the Shield."""
    guard = Shield(shield.configure(mode=mode), hooks=None)  # type: ignore[arg-type]
    requests: list[Any] = []
    middleware = [ShieldMiddleware(guard, answers=answers)]
    agent = create_agent(model(turns, requests), tools(Shop()), middleware=middleware, **given)
    question = {"messages": [("user", ASKED)]}
    state = asyncio.run(agent.ainvoke(question)) if is_async else agent.invoke(question)
    return state["messages"], requests, guard


@pytest.mark.parametrize("is_async", [False, True])
def test_the_model_revises_its_answer(is_async: bool) -> None:
    """The model receives its draft with feedback; the draft is not in the state."""
    messages, requests, guard = run_agent([[GOOD], EXTRA, TRUE], is_async=is_async)

    assert TRUE == messages[-1].text
    assert "3 hours" not in str(messages)
    assert "3 hours" in str(requests[-1]["messages"][-1])
    assert 2 == len(about_answers(guard.store))


def test_a_fabricated_action_is_refused() -> None:
    """The refusal replaces the text of the same message."""
    messages, requests, guard = run_agent([TRUE])

    assert messages[-1].text.startswith(REFUSAL)
    assert 1 == len(requests)
    assert about_answers(guard.store)[-1].blocked


def test_the_feedback_is_not_evidence() -> None:
    """A revision that repeats the unsupported claim is refused after the allowed revisions."""
    again = f"{TRUE} It arrives within 3 hours."
    messages, requests, _ = run_agent([[GOOD], EXTRA, again, again])

    assert messages[-1].text.startswith(REFUSAL)
    assert 3 == len(requests)


def test_a_revision_may_call_tools() -> None:
    """The draft and the feedback stay before the call, and the next answer is checked."""
    second = Call("call_2", "refund", GOOD.arguments)
    messages, _, guard = run_agent([[GOOD], EXTRA, [second], TRUE])
    kinds = [type(message) for message in messages[3:7]]

    assert [AIMessage, HumanMessage, AIMessage] == kinds[:3]
    assert TRUE == messages[-1].text
    assert 2 == len(about_answers(guard.store))


@pytest.mark.parametrize("model", [Scripted, Streamed])
@pytest.mark.parametrize("turns", [[[GOOD], EXTRA], [TRUE]])
def test_audit_changes_nothing(turns: list[Any], model: Any) -> None:
    """Messages and requests equal those without answer checks; the decision is recorded."""
    plain, question, _ = run_agent(turns, mode="audit", answers=False, model=model)
    messages, requests, guard = run_agent(turns, mode="audit", model=model)

    assert question == requests
    assert [m.content for m in plain] == [m.content for m in messages]
    assert [(True, False)] == [
        (one.would_block, one.blocked) for one in about_answers(guard.store)
    ] or EXTRA in turns


class Receipt(BaseModel):
    """The output of an agent with structured output."""

    amount: int


def test_structured_output_is_not_checked() -> None:
    """A refusal does not match a schema, so structured output is not an answer."""
    turn = [Call("call_9", "Receipt", {"amount": 77})]
    _, _, guard = run_agent([turn], response_format=ToolStrategy(Receipt))

    assert not about_answers(guard.store)
