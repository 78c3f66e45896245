"""The judge on the OpenAI SDK, against a server in another process."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Iterator
from typing import Any
from urllib.request import urlopen

import pytest

pytest.importorskip("openai", reason="the extra `judge` is not installed")

from abs_shield.errors import PolicyError, ShieldError
from abs_shield.model import Ask, BadReply, Terms, Undetermined, aask, ask
from abs_shield.model.ask import DEFAULT_TERMS
from abs_shield.model.openai_judge import OpenAIJudge
from tests.model.served import serving

SCHEMA = {
    "type": "object",
    "properties": {"verdict": {"type": "integer", "enum": [0, 1]}},
    "required": ["verdict"],
    "additionalProperties": False,
}
MESSAGES = ({"role": "system", "content": "You judge."}, {"role": "user", "content": "Is it so?"})
QUESTION = Ask(messages=MESSAGES, schema=SCHEMA)
GOOD = {"verdict": 1}


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with serving() as server:
        yield server


def judge(url: str, model: str, **options: Any) -> OpenAIJudge:
    values = {"api_key": "key-of-the-test", "retries": 0, "timeout_s": 10.0} | options
    return OpenAIJudge(model, base_url=url, **values)


def seen(url: str, model: str) -> tuple[int, dict[str, Any]]:
    """Return the number of requests for a model, and the last request."""
    with urlopen(url) as response:
        state = json.load(response)
    return state["asked"].get(model, 0), state["last"].get(model, {})


def both(judge: OpenAIJudge, terms: Terms = DEFAULT_TERMS) -> list[Any]:
    """Ask from sync code, then from async code."""
    return [
        ask(judge, QUESTION, terms=terms),
        asyncio.run(aask(judge, QUESTION, terms=terms)),
    ]


@pytest.mark.parametrize("model", ["good", "fenced", "object-only", "text-only"])
def test_a_reply_is_read(url, model):
    """Sync and async give the same object, also inside prose, whatever format a server takes."""

    assert [GOOD, GOOD] == both(judge(url, model))


def test_the_schema_is_sent_in_the_format_of_the_api(url):
    """The server gets the schema, the limit and the messages."""
    both(judge(url, "good", max_tokens=77))
    _, sent = seen(url, "good")

    assert SCHEMA == sent["response_format"]["json_schema"]["schema"]
    assert list(MESSAGES) == sent["messages"]
    assert (77, 0.0) == (sent["max_tokens"], sent["temperature"])


def test_a_refused_format_is_not_tried_again(url):
    """A server without formats is told the schema in the prompt, and asked so from then on."""
    request = judge(url, "text-only-too")
    request.model = "text-only"
    before, _ = seen(url, "text-only")
    results = [ask(request, QUESTION) for _ in range(3)]
    after, sent = seen(url, "text-only")

    assert [GOOD] * 3 == results
    assert 3 + 2 == after - before
    assert "response_format" not in sent
    assert json.dumps(SCHEMA) in sent["messages"][0]["content"]


@pytest.mark.parametrize(
    ("model", "gone", "there"),
    [
        ("no-temperature", "temperature", "response_format"),
        ("new-limit", "max_tokens", "max_completion_tokens"),
    ],
)
def test_an_option_that_a_model_refuses_is_left_out(url, model, gone, there):
    """Only the refused option goes; the schema's format stays."""
    results = both(judge(url, model))
    _, sent = seen(url, model)

    assert [GOOD, GOOD] == results
    assert gone not in sent
    assert there in sent


def test_a_busy_server_is_asked_again_when_it_says(url):
    """429 with Retry-After of a second: the second try comes after it."""
    start = time.monotonic()
    result = ask(judge(url, "once-busy", retries=1), QUESTION)

    assert GOOD == result
    assert time.monotonic() - start >= 0.9


@pytest.mark.parametrize("model", ["once-broken", "once-cut-body"])
def test_a_broken_answer_is_asked_again(url, model):
    """HTTP 500, and a body that ends too early, are tried again by the SDK."""

    assert GOOD == ask(judge(url, model, retries=1), QUESTION)


@pytest.mark.parametrize(
    ("model", "message"),
    [
        ("busy", "HTTP 429: "),
        ("broken", "HTTP 500: "),
        ("unknown", "HTTP 404: "),
        ("denied", "the key Bearer *** is wrong"),
        ("never", "this context is too long"),
        ("refusing", "the model refused: I will not judge that."),
        ("cut-off", "the reply was cut off; raise `max_tokens`"),
        ("filtered", "content filter"),
        ("cut-body", "ShieldError: "),
        ("page", "judge `"),
    ],
)
def test_a_failure_is_no_verdict(url, model, message):
    """A failure that a second request cannot fix is undetermined, with a reason on one line."""
    results = both(judge(url, model))

    assert all(isinstance(one, Undetermined) for one in results)
    assert all(message in one.reason and "\n" not in one.reason for one in results)
    assert all("key-of-the-test" not in one.reason for one in results)


@pytest.mark.parametrize(
    ("model", "message"),
    [
        ("prose", "expected a JSON object"),
        ("half", "expected a JSON object"),
        ("two", "no JSON object"),
        ("twice", "a name occurs twice"),
        ("blank", "the reply is empty"),
        ("null", "the reply is empty"),
        ("empty", "the server gave no choices"),
    ],
)
def test_a_reply_without_an_object_is_asked_for_twice(url, model, message):
    """The second question names what was wrong; then it is undetermined."""
    before, _ = seen(url, model)
    result = ask(judge(url, model), QUESTION)
    after, sent = seen(url, model)

    assert isinstance(result, Undetermined)
    assert message in result.reason
    assert 2 == after - before
    assert message in sent["messages"][-1]["content"]


def test_a_truncated_reply_may_come_right(url):
    """Half an object first, a whole one when asked again."""

    assert GOOD == ask(judge(url, "once-half"), QUESTION)


def test_a_slow_server_runs_out_of_time(url):
    """The SDK's own time-out and that of the terms both end the wait."""
    by_sdk = both(judge(url, "slow", timeout_s=0.2))
    start = time.monotonic()
    by_terms = both(judge(url, "slow"), Terms(timeout_s=0.2))

    assert all("timed out" in one.reason.casefold() for one in by_sdk)
    assert all("no reply within 0.2 s" in one.reason for one in by_terms)
    assert time.monotonic() - start < 2


def test_a_refused_connection_is_undetermined():
    """Nothing listens there."""
    results = both(judge("http://127.0.0.1:9/v1", "good"))

    assert all("onnection" in one.reason for one in results)


def test_several_event_loops_may_use_one_judge(url):
    """A connection of one loop is not used by the next; many questions run side by side."""
    model_judge = judge(url, "good")

    async def many() -> list[Any]:
        return await asyncio.gather(*(aask(model_judge, QUESTION) for _ in range(8)))

    assert [GOOD] * 16 == asyncio.run(many()) + asyncio.run(many())


def test_called_by_itself_it_raises_one_line(url):
    """A user's own loop sees the package's exceptions only."""
    with pytest.raises(BadReply, match="expected a JSON object"):
        judge(url, "prose")(list(MESSAGES), SCHEMA)
    with pytest.raises(ShieldError, match="HTTP 500: "):
        judge(url, "broken")(list(MESSAGES), SCHEMA)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"timeout_s": 0}, "`timeout_s` is 0"),
        ({"max_tokens": True}, "`max_tokens` is true"),
        ({"retries": -1}, "`retries` is -1"),
    ],
)
def test_wrong_options_fail_when_declared(options, message):
    """One line names the option and what it was given."""
    with pytest.raises(PolicyError, match=message):
        judge("http://127.0.0.1:9/v1", "good", **options)


def test_without_a_key_it_says_so(monkeypatch):
    """OpenAI's own server needs a key; another one does not."""
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    local = OpenAIJudge("good", base_url="http://127.0.0.1:9/v1")

    assert local.name.startswith("good at http://127.0.0.1:9/v1")
    with pytest.raises(ShieldError, match="set OPENAI_API_KEY, or give `api_key`"):
        OpenAIJudge("good")
