"""Requests to a judge: within limits, a wrong reply once more, never an exception."""

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


class Scripted:
    """A judge that gives one reply after the other, raises those that are exceptions."""

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


def asynchronous(judge: Any) -> Any:
    """The same judge as an async function."""

    async def ajudge(messages: Any, schema: Any) -> Any:
        await asyncio.sleep(0)
        return judge(messages, schema)

    return ajudge


def every_way(*replies: Any, terms: Terms = DEFAULT_TERMS) -> list[Any]:
    """A sync and an async judge, each asked from sync and from async code."""
    return [
        ask(Scripted(*replies), QUESTION, terms=terms),
        ask(asynchronous(Scripted(*replies)), QUESTION, terms=terms),
        asyncio.run(aask(Scripted(*replies), QUESTION, terms=terms)),
        asyncio.run(aask(asynchronous(Scripted(*replies)), QUESTION, terms=terms)),
    ]


def test_every_way_gives_the_same_reply():
    """Sync or async, judge or caller: one text decides."""

    assert [{"ok": 1}] * 4 == every_way({"ok": 1})


@pytest.mark.parametrize("wrong", [{}, None, "ok", ["ok"], {"ok": {1}}, BadReply("no JSON")])
def test_a_wrong_reply_is_asked_for_once_more(wrong):
    """A reply that is not a JSON object, or does not fit, is requested once more, then accepted."""

    assert [{"ok": 2}] * 4 == every_way(wrong, {"ok": 2})
    assert all(isinstance(one, Undetermined) for one in every_way(wrong, wrong, {"ok": 3}))


def test_the_second_question_names_the_error():
    """The messages are as before, and one says what was wrong."""
    judge = Scripted({}, {"ok": 1})
    ask(judge, QUESTION)

    assert [USER] == judge.requests[0] == judge.requests[1][:1]
    assert "`ok` is missing" in judge.requests[1][1]["content"]


def test_what_a_judge_raises_is_a_reason():
    """An exception is not tried again: whoever calls a server has its own retries."""
    results = every_way(RuntimeError("no route\nto host"), {"ok": 1})

    assert all("RuntimeError: no route\\nto host" in one.reason for one in results)


@pytest.mark.parametrize("odd", [StopIteration("x"), StopAsyncIteration("x"), TimeoutError("x")])
def test_odd_exceptions_are_reasons_too(odd):
    """Those that mean something to generators and loops stay inside."""

    assert all(isinstance(one, Undetermined) for one in every_way(odd))


def test_nested_replies_are_no_crash():
    """A reply that JSON cannot write is a wrong reply."""
    endless: dict[str, Any] = {}
    endless["ok"] = endless
    deep: Any = []
    for _ in range(100_000):
        deep = [deep]

    for reply in (endless, {"ok": deep}, {"ok": float("nan")}):
        assert all("no JSON" in one.reason for one in every_way(reply, reply))


def test_a_check_that_breaks_finds_no_reply_right():
    """Our own failure to check is undetermined."""
    broken = Ask(messages=(USER,), schema={}, problem=lambda reply: str(1 / 0))

    assert "cannot be checked: ZeroDivisionError" in ask(Scripted({}, {}), broken).reason


def test_time_runs_out_for_every_kind_of_judge():
    """A sync judge that sleeps, and an async one, end after the same time."""
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


def test_calls_that_never_come_back_are_bounded():
    """A judge that hangs for good does not fill the process with threads."""
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
    assert {"ok": 1} == ask(Scripted({"ok": 1}), QUESTION)


def test_a_judge_sees_the_context_of_its_caller():
    """Context variables, as tracing uses them, reach the judge's thread."""
    tenant: ContextVar[str] = ContextVar("tenant", default="none")
    tenant.set("acme")

    assert {"ok": "acme"} == ask(lambda messages, schema: {"ok": tenant.get()}, QUESTION)


def test_a_judge_cannot_change_the_question():
    """It gets copies."""

    def meddles(messages: Any, schema: Any) -> Any:
        messages[0]["content"] = "x"
        schema.clear()
        return {"ok": 1}

    ask(meddles, QUESTION)

    assert "Is it so?" == QUESTION.messages[0]["content"]
    assert {"type": "object"} == QUESTION.schema


def test_an_async_twin_is_used_by_async_callers():
    """A judge that is sync and async says so with ``acall``."""

    class Both:
        def __call__(self, messages: Any, schema: Any) -> Any:
            return {"ok": "sync"}

        async def acall(self, messages: Any, schema: Any) -> Any:
            return {"ok": "async"}

    assert {"ok": "sync"} == ask(Both(), QUESTION)
    assert {"ok": "async"} == asyncio.run(aask(Both(), QUESTION))


def test_the_budget_bounds_calls_and_characters():
    """Second tries count; what is not to be had is undetermined, and says so."""
    calls = Terms(budget=Budget(calls=3))
    judge = Scripted({}, {"ok": 1}, {"ok": 2}, {"ok": 3})
    first, second, third = (ask(judge, QUESTION, terms=calls) for _ in range(3))

    assert ({"ok": 1}, {"ok": 2}) == (first, second)
    assert "the budget of 3 calls is spent" == third.reason
    few = Terms(budget=Budget(characters=8))
    assert "the budget of 8 characters is spent" == ask(judge, QUESTION, terms=few).reason
    assert 0 == calls.budget.fresh().calls_spent


def test_replies_are_kept_by_question_and_judge():
    """The same question to the same judge costs no call; another judge is asked."""
    kept = Terms(replies=Replies(), budget=Budget(calls=2))
    judge, other = Scripted({"ok": [1]}), Scripted({"ok": 2})
    first = ask(judge, QUESTION, terms=kept)
    first["ok"].append("changed by its reader")

    assert {"ok": [1]} == ask(judge, QUESTION, terms=kept)
    assert {"ok": 2} == ask(other, QUESTION, terms=kept)
    assert 2 == kept.budget.calls_spent


def test_judges_of_one_name_share_replies():
    """A declared name is an identity."""
    kept = Terms(replies=Replies())
    ask(Scripted({"ok": 1}, name="m"), QUESTION, terms=kept)

    assert {"ok": 1} == ask(Scripted(name="m"), QUESTION, terms=kept)
    assert isinstance(ask(Scripted(name="n"), QUESTION, terms=kept), Undetermined)


def test_kept_replies_are_bounded():
    """The least recently used goes first; wrong replies are not kept at all."""
    kept = Terms(replies=Replies(2))
    for text in "abac":
        question = Ask(messages=({"role": "user", "content": text},), schema={})
        ask(Scripted({"said": text}, name="m"), question, terms=kept)
    ask(Scripted({}, {}, name="m"), QUESTION, terms=kept)

    questions = [Ask(messages=({"role": "user", "content": t},), schema={}) for t in "abc"]
    results = [kept.replies.find(Scripted(name="m"), one) for one in questions]
    assert [{"said": "a"}, None, {"said": "c"}] == results
    assert 2 == len(kept.replies)


def test_long_replies_are_bounded_together():
    """However few they are, they hold no more than ten million characters."""
    kept = Terms(replies=Replies(1_000))
    for n in range(70):
        question = Ask(messages=({"role": "user", "content": str(n)},), schema={})
        ask(Scripted({"said": "x" * 190_000}, name="m"), question, terms=kept)

    assert 45 < len(kept.replies) < 55


def test_without_a_judge_it_says_so():
    """A part that needs a model runs without one; its questions are undetermined."""

    assert Undetermined("no judge is given") == ask(None, QUESTION)
    assert Undetermined("no judge is given") == asyncio.run(aask(None, QUESTION))


def test_a_part_is_played_with_what_it_asks():
    """A generator yields questions and is sent replies; async ones are asked side by side."""

    def part() -> Any:
        (first,) = yield (QUESTION,)
        pair = yield (QUESTION, QUESTION)
        return [first, *pair]

    replies = [{"ok": n} for n in range(3)]

    async def gathers() -> Any:
        return await aplay(part(), asynchronous(Scripted(*replies)))

    assert replies == play(part(), Scripted(*replies))
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
def test_wrong_limits_fail_when_declared(make, message):
    """One line names the limit and what it was given."""
    with pytest.raises(PolicyError, match=message):
        make()
