"""Requests to a judge: limits, one retry after an invalid reply, and no exceptions."""

from __future__ import annotations

import asyncio
import threading
import time
from contextvars import ContextVar
from typing import Any

import pytest

from abs_shield.errors import PolicyError
from abs_shield.model import (
    Ask,
    BadReply,
    Budget,
    Replies,
    Terms,
    Undetermined,
    aask,
    aplay,
    ask,
    play,
)
from abs_shield.model.ask import DEFAULT_TERMS

USER = {"role": "user", "content": "Is it so?"}


def needs_ok(reply: dict[str, Any]) -> str:
    return "" if "ok" in reply else "`ok` is missing"


QUESTION = Ask(messages=(USER,), schema={"type": "object"}, problem=needs_ok)


class ScriptedJudge:
    """A judge that returns the given replies in turn, and raises those that are exceptions."""

    def __init__(self, *replies: Any, name: str | None = None) -> None:
        self.requests: list[list[dict[str, str]]] = []
        self.replies = list(replies)
        if name is not None:
            self.name = name

    def __call__(self, messages: list[dict[str, str]], schema: dict[str, Any]) -> Any:
        self.requests.append(messages)
        reply = self.replies.pop(0)
        if isinstance(reply, Exception):
            raise reply
        return reply


def as_async(judge: Any) -> Any:
    """Return the same judge as an async function."""

    async def ajudge(messages: Any, schema: Any) -> Any:
        await asyncio.sleep(0)
        return judge(messages, schema)

    return ajudge


def ask_every_way(*replies: Any, terms: Terms = DEFAULT_TERMS) -> list[Any]:
    """Return the replies of a sync and an async judge, each called from sync and async code."""
    return [
        ask(ScriptedJudge(*replies), QUESTION, terms=terms),
        ask(as_async(ScriptedJudge(*replies)), QUESTION, terms=terms),
        asyncio.run(aask(ScriptedJudge(*replies), QUESTION, terms=terms)),
        asyncio.run(aask(as_async(ScriptedJudge(*replies)), QUESTION, terms=terms)),
    ]


def test_sync_and_async_judges_give_the_same_reply():
    """The reply is the same for sync and async judges, called from sync and async code."""

    assert [{"ok": 1}] * 4 == ask_every_way({"ok": 1})


@pytest.mark.parametrize("wrong", [{}, None, "ok", ["ok"], {"ok": {1}}, BadReply("no JSON")])
def test_an_invalid_reply_is_requested_once_more(wrong):
    """A second invalid reply is undetermined, even if a third one would be valid."""

    assert [{"ok": 2}] * 4 == ask_every_way(wrong, {"ok": 2})
    assert all(isinstance(one, Undetermined) for one in ask_every_way(wrong, wrong, {"ok": 3}))


def test_the_second_request_names_the_error():
    """The second request has the same messages, and one more with the error."""
    judge = ScriptedJudge({}, {"ok": 1})
    ask(judge, QUESTION)

    assert [USER] == judge.requests[0] == judge.requests[1][:1]
    assert "`ok` is missing" in judge.requests[1][1]["content"]


def test_an_exception_of_a_judge_becomes_the_reason():
    """The judge is not called again, because clients of servers have their own retries."""
    results = ask_every_way(RuntimeError("no route\nto host"), {"ok": 1})

    assert all("RuntimeError: no route\\nto host" in one.reason for one in results)


@pytest.mark.parametrize("odd", [StopIteration("x"), StopAsyncIteration("x"), TimeoutError("x")])
def test_exceptions_with_a_special_meaning_are_caught(odd):
    """StopIteration and TimeoutError must not reach the generators and event loops around."""

    assert all(isinstance(one, Undetermined) for one in ask_every_way(odd))


def test_replies_that_json_cannot_write_are_invalid():
    """A cyclic reply, a deeply nested one and NaN are undetermined, and nothing raises."""
    endless: dict[str, Any] = {}
    endless["ok"] = endless
    deep: Any = []
    for _ in range(100_000):
        deep = [deep]

    for reply in (endless, {"ok": deep}, {"ok": float("nan")}):
        assert all("no JSON" in one.reason for one in ask_every_way(reply, reply))


def test_a_check_that_raises_makes_the_reply_undetermined():
    """The reason names the exception of the check."""
    broken = Ask(messages=(USER,), schema={}, problem=lambda reply: str(1 / 0))

    assert "cannot be checked: ZeroDivisionError" in ask(ScriptedJudge({}, {}), broken).reason


def test_the_timeout_applies_to_sync_and_async_judges():
    """A sync judge that sleeps and an async one both end after `timeout_s`."""
    start = time.monotonic()
    terms = Terms(timeout_s=0.1)

    def sleeps(messages: Any, schema: Any) -> Any:
        time.sleep(0.6)

    async def asleep(messages: Any, schema: Any) -> Any:
        await asyncio.sleep(60)

    results = [ask(judge, QUESTION, terms=terms) for judge in (sleeps, asleep)]
    results += [asyncio.run(aask(judge, QUESTION, terms=terms)) for judge in (sleeps, asleep)]

    assert all("no reply within 0.1 s" in one.reason for one in results)
    assert time.monotonic() - start < 2


def test_the_number_of_hanging_calls_is_bounded():
    """A judge that never returns occupies at most 64 threads."""
    release = threading.Event()

    def hangs(messages: Any, schema: Any) -> Any:
        release.wait(30)

    results = [ask(hangs, QUESTION, terms=Terms(timeout_s=0.005)) for _ in range(80)]
    waiting = sum(thread.name == "abs_shield judge" for thread in threading.enumerate())
    release.set()

    assert waiting <= 64
    assert "64 earlier calls have not returned" in results[-1].reason
    for thread in threading.enumerate():
        if thread.name == "abs_shield judge":
            thread.join(5)
    assert {"ok": 1} == ask(ScriptedJudge({"ok": 1}), QUESTION)


def test_a_judge_runs_in_the_context_of_its_caller():
    """Context variables, which tracing uses, are available in the thread of the judge."""
    tenant: ContextVar[str] = ContextVar("tenant", default="none")
    tenant.set("acme")

    assert {"ok": "acme"} == ask(lambda messages, schema: {"ok": tenant.get()}, QUESTION)


def test_a_judge_cannot_change_the_question():
    """The judge receives copies of the messages and of the schema."""

    def meddles(messages: Any, schema: Any) -> Any:
        messages[0]["content"] = "x"
        schema.clear()
        return {"ok": 1}

    ask(meddles, QUESTION)

    assert "Is it so?" == QUESTION.messages[0]["content"]
    assert {"type": "object"} == QUESTION.schema


def test_async_callers_use_acall():
    """A judge that supports both sync and async callers defines ``acall``."""

    class Both:
        def __call__(self, messages: Any, schema: Any) -> Any:
            return {"ok": "sync"}

        async def acall(self, messages: Any, schema: Any) -> Any:
            return {"ok": "async"}

    assert {"ok": "sync"} == ask(Both(), QUESTION)
    assert {"ok": "async"} == asyncio.run(aask(Both(), QUESTION))


def test_the_budget_limits_calls_and_characters():
    """Repeated requests count; a request beyond the budget is undetermined, with a reason."""
    calls = Terms(budget=Budget(calls=3))
    judge = ScriptedJudge({}, {"ok": 1}, {"ok": 2}, {"ok": 3})
    first, second, third = (ask(judge, QUESTION, terms=calls) for _ in range(3))

    assert ({"ok": 1}, {"ok": 2}) == (first, second)
    assert "the budget of 3 calls is spent" == third.reason
    few = Terms(budget=Budget(characters=8))
    assert "the budget of 8 characters is spent" == ask(judge, QUESTION, terms=few).reason
    assert 0 == calls.budget.fresh().calls_spent


def test_replies_are_cached_by_question_and_judge():
    """A cached reply costs no call, and another judge does not share it."""
    kept = Terms(replies=Replies(), budget=Budget(calls=2))
    judge, other = ScriptedJudge({"ok": [1]}), ScriptedJudge({"ok": 2})
    first = ask(judge, QUESTION, terms=kept)
    first["ok"].append("changed by its reader")

    assert {"ok": [1]} == ask(judge, QUESTION, terms=kept)
    assert {"ok": 2} == ask(other, QUESTION, terms=kept)
    assert 2 == kept.budget.calls_spent


def test_judges_with_the_same_name_share_cached_replies():
    """A judge with another name is called itself."""
    kept = Terms(replies=Replies())
    ask(ScriptedJudge({"ok": 1}, name="m"), QUESTION, terms=kept)

    assert {"ok": 1} == ask(ScriptedJudge(name="m"), QUESTION, terms=kept)
    assert isinstance(ask(ScriptedJudge(name="n"), QUESTION, terms=kept), Undetermined)


def test_the_number_of_cached_replies_is_bounded():
    """The least recently used reply is evicted first; invalid replies are not cached."""
    kept = Terms(replies=Replies(2))
    for text in "abac":
        question = Ask(messages=({"role": "user", "content": text},), schema={})
        ask(ScriptedJudge({"said": text}, name="m"), question, terms=kept)
    ask(ScriptedJudge({}, {}, name="m"), QUESTION, terms=kept)

    questions = [Ask(messages=({"role": "user", "content": t},), schema={}) for t in "abc"]
    results = [kept.replies.find(ScriptedJudge(name="m"), one) for one in questions]
    assert [{"said": "a"}, None, {"said": "c"}] == results
    assert 2 == len(kept.replies)


def test_the_total_length_of_cached_replies_is_bounded():
    """The cache holds at most ten million characters, however few the replies are."""
    kept = Terms(replies=Replies(1_000))
    for n in range(70):
        question = Ask(messages=({"role": "user", "content": str(n)},), schema={})
        ask(ScriptedJudge({"said": "x" * 190_000}, name="m"), question, terms=kept)

    assert 45 < len(kept.replies) < 55


def test_without_a_judge_every_question_is_undetermined():
    """The reason is that no judge is given; nothing raises."""

    assert Undetermined("no judge is given") == ask(None, QUESTION)
    assert Undetermined("no judge is given") == asyncio.run(aask(None, QUESTION))


def test_play_sends_the_replies_to_a_generator():
    """A generator yields questions and receives replies; `aplay` asks them concurrently."""

    def part() -> Any:
        (first,) = yield (QUESTION,)
        pair = yield (QUESTION, QUESTION)
        return [first, *pair]

    replies = [{"ok": n} for n in range(3)]

    async def gathers() -> Any:
        return await aplay(part(), as_async(ScriptedJudge(*replies)))

    assert replies == play(part(), ScriptedJudge(*replies))
    assert replies == asyncio.run(gathers())


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Terms(timeout_s=0), "`timeout_s` is 0; give seconds above 0"),
        (lambda: Terms(timeout_s=True), "`timeout_s` is true"),
        (lambda: Terms(timeout_s=float("inf")), "`timeout_s` is inf"),
        (lambda: Terms(timeout_s=float("nan")), "`timeout_s` is nan"),
        (lambda: Budget(calls=-1), "`calls` is -1"),
        (lambda: Budget(characters=1.5), "`characters` is 1.5"),
        (lambda: Replies(0), "`most` is 0"),
    ],
)
def test_invalid_limits_are_rejected_when_declared(make, message):
    """The error names the limit and its value on one line."""
    with pytest.raises(PolicyError, match=message):
        make()
