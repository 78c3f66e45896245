"""`ShieldCapability(firewall, answers=True)` settles the text that ends a run of pydantic-ai."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from tests.subjects import about_answers

pytest.importorskip("pydantic_ai", reason="needs `pip install abs-shield[pydantic-ai]`")

from pydantic import BaseModel
from pydantic_ai import Agent

from abs_shield import Shield, shield
from abs_shield.adapters.pydantic_ai import ShieldCapability
from tests.adapters.pydantic_ai_driver import Scripted, run_streamed
from tests.adapters.scenes import ASKED, EXTRA, GOOD, REFUSAL, TRUE, Call, Shop


def agent_of(
    turns: list[Any], *, mode: str = "strict", answers: bool = True, **given: Any
) -> tuple[Agent[Any, Any], list[Any], Shield]:
    """Return an agent, the requests to its model, and the Shield."""
    guard = Shield(shield.configure(mode=mode), hooks=None)  # type: ignore[arg-type]
    requests: list[Any] = []
    model = Scripted(turns, requests, {}).model
    capability = ShieldCapability(guard, answers=answers)
    agent = Agent(model, tools=[Shop().refund], capabilities=[capability], **given)
    return agent, requests, guard


def test_the_model_revises_its_answer() -> None:
    """The model receives the feedback as a retry of the framework, and its answer is the output."""
    agent, requests, guard = agent_of([[GOOD], EXTRA, TRUE])

    assert TRUE == asyncio.run(agent.run(ASKED)).output
    assert "3 hours" in str(requests[-1][0][-1])
    assert [True, False] == [
        bool(one.findings and one.verdict != "CLEAN") for one in about_answers(guard.store)
    ]


def test_retries_of_the_agent_limit_the_revisions() -> None:
    """After the agent's output retries the output is the refusal instead of an error."""
    agent, requests, _ = agent_of([[GOOD], EXTRA, f"{EXTRA} Bye."], retries={"output": 1})

    assert asyncio.run(agent.run(ASKED)).output.startswith(REFUSAL)
    assert 3 == len(requests)

    none, requests, _ = agent_of([[GOOD], EXTRA], retries={"output": 0})

    assert asyncio.run(none.run(ASKED)).output.startswith(REFUSAL)
    assert 2 == len(requests)


def test_a_fabricated_action_is_refused() -> None:
    """The model is not called again, because no revision can help."""
    agent, requests, guard = agent_of([TRUE])

    assert asyncio.run(agent.run(ASKED)).output.startswith(REFUSAL)
    assert 1 == len(requests)
    assert about_answers(guard.store)[-1].blocked


@pytest.mark.parametrize("turns", [[[GOOD], EXTRA], [TRUE]])
def test_audit_changes_nothing(turns: list[Any]) -> None:
    """Output and requests equal those without answer checks; the decision is recorded."""
    plain, runner, _ = agent_of(turns, mode="audit", answers=False)
    agent, requests, guard = agent_of(turns, mode="audit")

    assert asyncio.run(plain.run(ASKED)).output == asyncio.run(agent.run(ASKED)).output
    assert runner == requests
    assert [False] == [one.blocked for one in about_answers(guard.store)]


@pytest.mark.parametrize("mode", ["audit", "strict"])
def test_a_streamed_answer_is_flagged(mode: str) -> None:
    """A streamed answer is already sent, so it is only recorded as flagged."""
    agent, _, guard = agent_of([TRUE], mode=mode)

    assert TRUE == asyncio.run(run_streamed(agent, ASKED))
    assert [True] == [one.would_block or one.blocked for one in about_answers(guard.store)]


class Receipt(BaseModel):
    """The output of an agent with structured output."""

    amount: int


def test_structured_output_is_not_checked() -> None:
    """A refusal does not match a schema, so structured output is not an answer."""
    turn = [Call("call_9", "final_result", {"amount": 77})]
    agent, _, guard = agent_of([turn], output_type=Receipt)

    assert Receipt(amount=77) == asyncio.run(agent.run(ASKED)).output
    assert not about_answers(guard.store)
