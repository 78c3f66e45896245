"""`ShieldedRunner(firewall, answers=True)` settles the text that ends a run."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from tests.subjects import about_answers

pytest.importorskip("agents", reason="needs `pip install abs-shield[openai-agents]`")

from agents import Agent, SQLiteSession, function_tool
from pydantic import BaseModel

from abs_shield import Shield, shield
from abs_shield.adapters.openai_agents import ShieldedRunner
from tests.adapters.openai_agents_driver import Scripted
from tests.adapters.scenes import ASKED, EXTRA, GOOD, REFUSAL, TRUE, Shop


def runner_of(
    turns: list[Any], *, mode: str = "strict", answers: bool = True, **given: Any
) -> tuple[ShieldedRunner, Agent[Any], Scripted, Shield]:
    """Return a runner, an agent, its model and the Shield."""
    guard = Shield(shield.configure(mode=mode), hooks=None)  # type: ignore[arg-type]
    model = Scripted(turns)
    agent = Agent(name="clerk", model=model, tools=[function_tool(Shop().refund)], **given)
    return ShieldedRunner(guard, answers=answers), agent, model, guard


pytestmark = pytest.mark.usefixtures("event_loop_of_the_thread")


@pytest.mark.parametrize("is_async", [False, True])
def test_the_model_revises_its_answer(is_async: bool) -> None:
    """The model receives its draft and the feedback; the result is that of the last run."""
    runner, agent, model, guard = runner_of([[GOOD], EXTRA, TRUE])
    ways = {True: lambda: asyncio.run(runner.run(agent, ASKED))}
    result = ways.get(is_async, lambda: runner.run_sync(agent, ASKED))()

    assert TRUE == result.final_output
    assert "3 hours" in str(model.requests[-1][1][-1])
    assert "refunded tx_12345" in str(model.requests[-1][1])
    assert 2 == len(about_answers(guard.store))
    assert 1 == len({one.session_id for one in guard.store.decisions()})


def test_an_sdk_session_receives_only_the_feedback() -> None:
    """The conversation is already in the session, so it is not sent twice."""
    runner, agent, model, _ = runner_of([[GOOD], EXTRA, TRUE])
    result = asyncio.run(runner.run(agent, ASKED, session=SQLiteSession("s1")))

    assert TRUE == result.final_output
    assert 1 == str(model.requests[-1][1]).count(ASKED)


def test_a_revision_may_call_tools() -> None:
    """The calls of the revision are judged in the same session."""
    runner, agent, model, guard = runner_of(
        [[GOOD], EXTRA, [GOOD._replace(id="c9")], TRUE],
    )

    assert TRUE == asyncio.run(runner.run(agent, ASKED)).final_output
    assert 4 == len(model.requests)
    assert 1 == len({one.session_id for one in guard.store.decisions()})


def test_a_fabricated_action_is_refused() -> None:
    """The model is not called again, because no revision can help."""
    runner, agent, model, guard = runner_of([TRUE])

    assert asyncio.run(runner.run(agent, ASKED)).final_output.startswith(REFUSAL)
    assert 1 == len(model.requests)
    assert about_answers(guard.store)[-1].blocked


@pytest.mark.parametrize("turns", [[[GOOD], EXTRA], [TRUE]])
def test_audit_changes_nothing(turns: list[Any]) -> None:
    """Output and requests equal those without answer checks; the decision is recorded."""
    plain, clerk, asked, _ = runner_of(turns, mode="audit", answers=False)
    runner, agent, model, guard = runner_of(turns, mode="audit")
    first = asyncio.run(plain.run(clerk, ASKED))
    second = asyncio.run(runner.run(agent, ASKED))

    assert first.final_output == second.final_output
    assert asked.requests == model.requests
    assert [False] == [one.blocked for one in about_answers(guard.store)]


@pytest.mark.parametrize("mode", ["audit", "strict"])
def test_a_streamed_answer_is_flagged(mode: str) -> None:
    """A streamed answer is already sent, so it is only recorded as flagged."""
    runner, agent, _, guard = runner_of([TRUE], mode=mode)

    async def read() -> Any:
        result = runner.run_streamed(agent, ASKED)
        async for _ in result.stream_events():
            pass
        return result.final_output

    assert TRUE == asyncio.run(read())
    assert [True] == [one.would_block or one.blocked for one in about_answers(guard.store)]


class Receipt(BaseModel):
    """The output of an agent with structured output."""

    amount: int


def test_structured_output_is_not_checked() -> None:
    """A refusal does not match a schema, so structured output is not an answer."""
    runner, agent, _, guard = runner_of(['{"amount": 77}'], output_type=Receipt)

    assert Receipt(amount=77) == asyncio.run(runner.run(agent, ASKED)).final_output
    assert not about_answers(guard.store)
