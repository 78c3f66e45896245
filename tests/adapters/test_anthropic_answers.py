"""`settle_answer` of the Anthropic adapter settles the message that ends a run."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from tests.subjects import about_answers

pytest.importorskip("anthropic", reason="needs `pip install abs-shield[anthropic]`")

from anthropic import beta_tool

from abs_shield import Shield, shield
from abs_shield.adapters.anthropic import (
    asettle_answer,
    run_tool_calls,
    settle_answer,
    shielded_runner,
)
from tests.adapters.anthropic_driver import Scripted
from tests.adapters.scenes import ASKED, EXTRA, GOOD, REFUSAL, TRUE, Shop


def run_loop(
    turns: list[Any], *, mode: str = "strict", is_async: bool = False
) -> tuple[str, Scripted, Shield]:
    """Return the settled answer of a host's loop over messages."""
    guard = Shield(shield.configure(mode=mode), hooks=None)  # type: ignore[arg-type]
    guard.register(Shop().refund)
    model = Scripted(turns)
    client = model.client()
    messages: list[Any] = [{"role": "user", "content": ASKED}]

    def ask(requests: list[Any]) -> Any:
        return client.messages.create(model="m", max_tokens=100, messages=requests)

    with guard.session():
        while True:
            reply = ask(messages)
            replies = run_tool_calls(reply, messages, firewall=guard)
            if not replies:
                break
            messages += [{"role": "assistant", "content": reply.content}, *replies]
        if is_async:
            text = asyncio.run(asettle_answer(reply, messages, firewall=guard, ask=ask))
        else:
            text = settle_answer(reply, messages, firewall=guard, ask=ask)
    return text, model, guard


@pytest.mark.parametrize("is_async", [False, True])
def test_the_model_revises_its_answer(is_async: bool) -> None:
    """The request ends with the model's draft and the feedback."""
    text, model, guard = run_loop([[GOOD], EXTRA, TRUE], is_async=is_async)
    roles = [message["role"] for message in model.requests[-1]["messages"]]

    assert TRUE == text
    assert ["user", "assistant", "user", "assistant", "user"] == roles
    assert 2 == len(about_answers(guard.store))


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


def test_a_run_of_the_tool_runner_is_settled() -> None:
    """The conversation is the runner's, with its calls and their results."""
    guard = Shield(shield.configure(mode="strict"), hooks=None)
    model = Scripted([[GOOD], EXTRA, TRUE])
    client = model.client()
    with guard.session():
        runner = client.beta.messages.tool_runner(
            model="m", max_tokens=100, tools=[beta_tool(Shop().refund)],
            messages=[{"role": "user", "content": ASKED}],
        )  # fmt: skip
        reply = shielded_runner(runner, firewall=guard).until_done()
        text = settle_answer(
            reply, runner, firewall=guard,
            ask=lambda requests: client.beta.messages.create(
                model="m", max_tokens=100, messages=requests
            ),
        )  # fmt: skip
    roles = [message["role"] for message in model.requests[-1]["messages"]]

    assert TRUE == text
    assert ["user", "assistant", "user", "assistant", "user"] == roles
    assert "3 hours" in str(model.requests[-1]["messages"][-1])


def test_a_runner_that_called_no_tools_is_settled() -> None:
    """The user's text counts as evidence even if the runner called no tools."""
    guard = Shield(shield.configure(mode="strict"), hooks=None)
    client = Scripted(["Your transaction is tx_12345.", EXTRA]).client()
    texts = []
    for _ in range(2):
        with guard.session():
            runner = client.beta.messages.tool_runner(
                model="m", max_tokens=100, tools=[beta_tool(Shop().refund)],
                messages=[{"role": "user", "content": ASKED}],
            )  # fmt: skip
            reply = shielded_runner(runner, firewall=guard).until_done()
            texts.append(settle_answer(reply, runner, firewall=guard, ask=pytest.fail))

    assert "Your transaction is tx_12345." == texts[0]
    assert texts[1].startswith(REFUSAL)
