"""`settle_answer` of the OpenAI adapter settles the response that ends a run."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from tests.subjects import about_answers

pytest.importorskip("openai", reason="needs `pip install abs-shield[openai]`")
pytest.importorskip("httpx2", reason="needs `pip install abs-shield[openai]`")

from abs_shield import Shield, shield
from abs_shield.adapters.openai import (
    asettle_answer,
    run_tool_calls,
    settle_answer,
    shielded_runner,
)
from abs_shield.errors import ShieldError
from tests.adapters.openai_driver import Scripted, write_chat
from tests.adapters.scenes import ASKED, EXTRA, GOOD, REFUSAL, TRUE, Call, Shop


def guard_of(mode: str = "strict") -> Shield:
    """Return a Shield with the host's tool."""
    guard = Shield(shield.configure(mode=mode), hooks=None)  # type: ignore[arg-type]
    guard.register(Shop().refund)
    return guard


def run_loop(
    turns: list[Any], *, mode: str = "strict", is_async: bool = False
) -> tuple[str, Scripted, Shield]:
    """Return the settled answer of a host's loop over chat completions."""
    guard, model = guard_of(mode), Scripted(turns, write_chat)
    client = model.client()
    messages: list[Any] = [{"role": "user", "content": ASKED}]

    def ask(requests: list[Any]) -> Any:
        return client.chat.completions.create(model="m", messages=requests)

    with guard.session():
        while True:
            response = ask(messages)
            replies = run_tool_calls(response, messages, firewall=guard)
            if not replies:
                break
            messages += [response.choices[0].message, *replies]
        count = len(messages)
        if is_async:
            text = asyncio.run(asettle_answer(response, messages, firewall=guard, ask=ask))
        else:
            text = settle_answer(response, messages, firewall=guard, ask=ask)
    assert count == len(messages)
    return text, model, guard


@pytest.mark.parametrize("is_async", [False, True])
def test_the_model_revises_its_answer(is_async: bool) -> None:
    """The request ends with the model's draft and the feedback."""
    text, model, guard = run_loop([[GOOD], EXTRA, TRUE], is_async=is_async)
    roles = [message["role"] for message in model.requests[-1]["messages"]]

    assert TRUE == text
    assert ["user", "assistant", "tool", "assistant", "user"] == roles
    assert 2 == len(about_answers(guard.store))


def test_a_revision_may_call_tools() -> None:
    """The calls of the revision are judged by the Shield like those of the loop."""
    again = Call("c2", "refund", GOOD.arguments)
    text, model, guard = run_loop([[GOOD], EXTRA, [again], TRUE])

    assert TRUE == text
    assert 4 == len(model.requests)
    assert 2 == sum(one.tool == "refund" for one in guard.store.decisions()) // 2


def test_a_fabricated_action_is_refused() -> None:
    """The model is not called again, because no revision can help."""
    text, model, guard = run_loop([TRUE])

    assert text.startswith(REFUSAL)
    assert 1 == len(model.requests)
    assert about_answers(guard.store)[-1].blocked


@pytest.mark.parametrize("turns", [[[GOOD], EXTRA], [TRUE]])
def test_audit_returns_the_draft(turns: list[Any]) -> None:
    """The model is not called again, the draft is returned, and the decision is recorded."""
    text, model, guard = run_loop(turns, mode="audit")

    assert turns[-1] == text
    assert len(turns) == len(model.requests)
    assert [False] == [one.blocked for one in about_answers(guard.store)]


def test_a_response_with_tool_calls_is_not_an_answer() -> None:
    """The settled answer is empty, and no decision is made."""
    guard, model = guard_of(), Scripted([[GOOD]], write_chat)
    question: list[Any] = [{"role": "user", "content": ASKED}]
    response = model.client().chat.completions.create(model="m", messages=question)

    assert "" == settle_answer(response, question, firewall=guard, ask=pytest.fail)
    assert not about_answers(guard.store)


def test_a_run_of_the_tool_runner_is_settled() -> None:
    """The conversation is the one that the runner sent last in the session."""
    pytest.importorskip(
        "openai.lib.responses_tool_runner",
        reason="needs `pip install abs-shield[openai]` with openai 3.31.0 or later",
    )
    from openai.lib.responses_tool_runner import ResponsesToolRunner

    from tests.adapters.openai_runner_driver import Provider, functions

    guard, model = guard_of(), Provider([[GOOD], EXTRA, TRUE])
    client = model.client()
    runner = shielded_runner(ResponsesToolRunner(functions=functions(Shop())), firewall=guard)
    params = {"model": "m", "input": ASKED}
    with guard.session():
        response = runner.run(client, params)
        text = settle_answer(
            response, None, firewall=guard,
            ask=lambda items: client.responses.create(model="m", input=items),
        )  # fmt: skip

    assert TRUE == text
    assert "3 hours" in str(model.requests[-1]["input"][-1])
    assert "function_call_output" in str(model.requests[-1]["input"])


def test_a_missing_conversation_is_an_error() -> None:
    """If no shielded runner ran in the session, the conversation is required."""
    with guard_of().session() as session, pytest.raises(ShieldError, match="no shielded runner"):
        settle_answer(None, None, firewall=guard_of(), ask=print, session=session)
