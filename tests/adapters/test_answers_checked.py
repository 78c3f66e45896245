"""The answer that ends a run of each framework is settled as the page shows."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from abs_shield import Shield, shield
from abs_shield.core import Subject
from tests.adapters.page import blocks
from tests.adapters.scenes import ASKED, GOOD, Shop

CLAIMED = "I have refunded tx_12345."
TURNS = {"true": [[GOOD], CLAIMED], "made up": [CLAIMED]}


def openai(turns: Any, guard: Shield, shop: Shop) -> dict[str, Any]:
    """Return what the block of chat completions is given."""
    from abs_shield.adapters.openai import run_tool_calls, settle_answer
    from tests.adapters.openai_driver import Scripted, write_chat

    guard.register(shop.refund)
    state = [{"role": "user", "content": ASKED}]
    client = Scripted(turns, write_chat).client()
    of = {"run_tool_calls": run_tool_calls, "settle_answer": settle_answer}
    return {"client": client, "messages": state, **of}


def anthropic(turns: Any, guard: Shield, shop: Shop) -> dict[str, Any]:
    """Return what the block of the tool runner is given."""
    from anthropic import beta_tool

    from abs_shield.adapters.anthropic import settle_answer, shielded_runner
    from tests.adapters.anthropic_driver import Scripted

    return {
        "client": Scripted(turns).client(),
        "messages": [{"role": "user", "content": ASKED}],
        "refund": beta_tool(shop.refund),
        "settle_answer": settle_answer,
        "shielded_runner": shielded_runner,
    }


def agents(turns: Any, guard: Shield, shop: Shop) -> dict[str, Any]:
    """Return what the block of the OpenAI Agents SDK is given."""
    from agents import Agent, function_tool

    from abs_shield.adapters.openai_agents import ShieldedRunner
    from tests.adapters.openai_agents_driver import Scripted

    agent = Agent(name="clerk", model=Scripted(turns), tools=[function_tool(shop.refund)])
    return {"agent": agent, "ShieldedRunner": ShieldedRunner}


def langchain(turns: Any, guard: Shield, shop: Shop) -> dict[str, Any]:
    """Return what the block of LangChain is given."""
    from langchain.agents import create_agent

    from abs_shield.adapters.langgraph import ShieldMiddleware
    from tests.adapters.langgraph_driver import Scripted, tools

    of = {"create_agent": create_agent, "ShieldMiddleware": ShieldMiddleware}
    return {"model": Scripted(turns, []), "tools": tools(shop), **of}


def pydantic_ai(turns: Any, guard: Shield, shop: Shop) -> dict[str, Any]:
    """Return what the block of pydantic-ai is given."""
    from pydantic_ai import Agent

    from abs_shield.adapters.pydantic_ai import ShieldCapability
    from tests.adapters.pydantic_ai_driver import Scripted

    of = {"Agent": Agent, "ShieldCapability": ShieldCapability, "asyncio": asyncio}
    return {"model": Scripted(turns, [], {}).model, "tools": [shop.refund], **of}


FRAMEWORKS: list[tuple[str, Callable[..., dict[str, Any]]]] = [
    ("openai", openai), ("anthropic", anthropic), ("agents", agents),
    ("langgraph", langchain), ("pydantic_ai", pydantic_ai),
]  # fmt: skip


pytestmark = pytest.mark.usefixtures("event_loop_of_the_thread")


@pytest.mark.parametrize("number", range(len(FRAMEWORKS)), ids=[name for name, _ in FRAMEWORKS])
@pytest.mark.parametrize("story", TURNS)
def test_the_page_settles_the_answer(number: int, story: str) -> None:
    """Completed actions may be claimed; an unsupported claim is refused, and both are recorded."""
    module, settings = FRAMEWORKS[number]
    pytest.importorskip(module, reason=f"`{module}` is missing; docs/adapters.md names its extra")
    if module == "openai":
        pytest.importorskip("httpx2", reason="needs `pip install abs-shield[openai]`")
    guard, shop = Shield(shield.configure(mode="strict")), Shop()
    names = {"firewall": guard, "asked": ASKED, **settings(TURNS[story], guard, shop)}
    exec(blocks("The answer that ends a run")[number], names)

    assert (names["text"] == CLAIMED) is (story == "true")
    assert ("cannot answer" in names["text"]) is (story == "made up")
    assert ["refund"] * (story == "true") == [name for name, _ in shop.ran]
    assert 1 == sum(one.subject is Subject.ANSWER for one in guard.store.decisions())
