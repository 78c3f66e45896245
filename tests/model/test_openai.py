"""The judge on the OpenAI SDK, against a server in another process."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Iterator
from typing import Any
from urllib.request import urlopen

import pytest

pytest.importorskip("openai", reason="needs `pip install abs-shield[judge]`")

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


def requests_of(url: str, model: str) -> tuple[int, dict[str, Any]]:
    """Return the number of requests for a model, and the last request."""
    with urlopen(url) as response:
        state = json.load(response)
    return state["asked"].get(model, 0), state["last"].get(model, {})


def both(judge: OpenAIJudge, terms: Terms = DEFAULT_TERMS) -> list[Any]:
    """Return the replies to a sync and to an async request."""
    return [
        ask(judge, QUESTION, terms=terms),
        asyncio.run(aask(judge, QUESTION, terms=terms)),
    ]


@pytest.mark.parametrize("model", ["good", "fenced", "object-only", "text-only"])
def test_a_reply_is_read(url, model):
    """Sync and async requests return the same object, also from prose, for every server format."""

    assert [GOOD, GOOD] == both(judge(url, model))


def test_the_schema_is_sent_in_the_api_format(url):
    """The request has the schema, the token limit and the messages."""
    both(judge(url, "good", max_tokens=77))
    _, sent = requests_of(url, "good")

    assert SCHEMA == sent["response_format"]["json_schema"]["schema"]
    assert list(MESSAGES) == sent["messages"]
    assert (77, 0.0) == (sent["max_tokens"], sent["temperature"])


def test_a_rejected_format_is_not_sent_again(url):
    """If a server rejects formats, this and later requests have the schema in the prompt."""
    request = judge(url, "text-only-too")
    request.model = "text-only"
    before, _ = requests_of(url, "text-only")
    results = [ask(request, QUESTION) for _ in range(3)]
    after, sent = requests_of(url, "text-only")

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
def test_a_rejected_option_is_omitted(url, model, gone, there):
    """Only the rejected option is omitted; the format stays."""
    results = both(judge(url, model))
    _, sent = requests_of(url, model)

    assert [GOOD, GOOD] == results
    assert gone not in sent
    assert there in sent


def test_a_busy_server_is_retried_after_its_delay(url):
    """After status 429 with Retry-After of 1 second, the request is sent again a second later."""
    start = time.monotonic()
    result = ask(judge(url, "once-busy", retries=1), QUESTION)

    assert GOOD == result
    assert time.monotonic() - start >= 0.9


@pytest.mark.parametrize("model", ["once-broken", "once-cut-body"])
def test_a_broken_response_is_retried(url, model):
    """The SDK retries after status 500, and after a truncated body."""

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
def test_a_permanent_failure_is_undetermined(url, model, message):
    """A failure that a retry cannot fix is undetermined, with a reason of one line."""
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
def test_a_reply_without_an_object_is_requested_again(url, model, message):
    """The second request names the error; after that the result is undetermined."""
    before, _ = requests_of(url, model)
    result = ask(judge(url, model), QUESTION)
    after, sent = requests_of(url, model)

    assert isinstance(result, Undetermined)
    assert message in result.reason
    assert 2 == after - before
    assert message in sent["messages"][-1]["content"]


def test_a_truncated_reply_is_requested_again(url):
    """The first reply is half an object, and the second one is complete."""

    assert GOOD == ask(judge(url, "once-half"), QUESTION)


def test_a_slow_server_times_out(url):
    """Both the timeout of the SDK and that of the terms apply."""
    by_sdk = both(judge(url, "slow", timeout_s=0.2))
    start = time.monotonic()
    by_terms = both(judge(url, "slow"), Terms(timeout_s=0.2))

    assert all("timed out" in one.reason.casefold() for one in by_sdk)
    assert all("no reply within 0.2 s" in one.reason for one in by_terms)
    assert time.monotonic() - start < 2


def test_a_refused_connection_is_undetermined():
    """No server listens at the address."""
    results = both(judge("http://127.0.0.1:9/v1", "good"))

    assert all("onnection" in one.reason for one in results)


def test_several_event_loops_can_use_one_judge(url):
    """Connections are not shared between loops, and many requests run concurrently."""
    model_judge = judge(url, "good")

    async def many() -> list[Any]:
        return await asyncio.gather(*(aask(model_judge, QUESTION) for _ in range(8)))

    assert [GOOD] * 16 == asyncio.run(many()) + asyncio.run(many())


def test_a_direct_call_raises_an_error_of_one_line(url):
    """Code that calls the judge itself receives only exceptions of this package."""
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
def test_invalid_options_fail_at_declaration(options, message):
    """One line names the option and its value."""
    with pytest.raises(PolicyError, match=message):
        judge("http://127.0.0.1:9/v1", "good", **options)


def test_a_missing_key_is_reported(monkeypatch):
    """OpenAI's own server needs a key, and other servers do not."""
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    local = OpenAIJudge("good", base_url="http://127.0.0.1:9/v1")

    assert local.name.startswith("good at http://127.0.0.1:9/v1")
    with pytest.raises(ShieldError, match="set OPENAI_API_KEY, or give `api_key`"):
        OpenAIJudge("good")
