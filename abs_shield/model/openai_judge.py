"""A judge on the `openai` SDK: OpenAI's own models, and servers that speak its chat format."""

from __future__ import annotations

import json
import re
from collections.abc import Generator
from typing import TYPE_CHECKING, Any, NoReturn
from weakref import WeakKeyDictionary, finalize

from abs_shield.errors import PolicyError, ShieldError
from abs_shield.model.judge import BadReply, Message
from abs_shield.model.judge_calls import Done, advance
from abs_shield.text.safe_display import describe_exception, escaped, shown

if TYPE_CHECKING:
    from asyncio import AbstractEventLoop

_FENCE = re.compile(r"\s*```[a-z]{0,10}\s")
_LONGEST = 1_000_000  # a verdict has some 1,000 characters; `json` takes memory many times the text


def object_in(text: str) -> dict[str, Any]:
    """
    Return the one JSON object in a text, also inside a code fence or between prose.

    >>> object_in('Sure: {"verdict": 1}')
    {'verdict': 1}

    Raises:
        BadReply: There is none or more than one, a name occurs twice, or it contains NaN.
    """
    if len(text) > _LONGEST:
        raise BadReply(f"got {len(text)} characters, expected at most {_LONGEST}")
    bare = _FENCE.sub("", text, count=1) if _FENCE.match(text) else text
    start, end = bare.find("{"), bare.rfind("}") + 1
    if start < 0 or end <= start:
        raise BadReply(f"got `{escaped(text.strip())}`, expected a JSON object")
    try:
        # of two equal names one would win silently, and NaN cannot be compared
        value: dict[str, Any] = json.loads(
            bare[start:end], object_pairs_hook=_unique_members, parse_constant=_reject_constant
        )
    except (ValueError, RecursionError) as error:  # nested too deeply for Python's parser
        raise BadReply(f"got no JSON object: {escaped(str(error))}") from None
    return value


def _unique_members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise ValueError("a name occurs twice in one object")
    return members


def _reject_constant(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not JSON")


_REASON = 200  # a line of the log; a proxy's error may be a page of HTML
_UNSUPPORTED = (400, 415, 422, 501)
"""HTTP statuses with which servers reject an unsupported request format."""
# as sent first, then without each of four parts: name of the limit, temperature, two formats
_MOST_FORMS = 5
# OpenAI's reasoning models reject the first name; other servers know only the first
_LIMITS = ("max_tokens", "max_completion_tokens")


class OpenAIJudge:
    """
    A judge that uses chat completions; sync when called, async through ``acall``.

    The reply's schema is sent in the API's ``json_schema`` format; a server that rejects it is
    asked for any JSON object, then for text, with the schema in the prompt, also in later calls.
    The SDK retries after 429, 5xx and broken connections, after ``Retry-After`` if present.

    Args:
        model: The model's name at the server.
        base_url: The server; OpenAI's own if None.
        api_key: Its key; ``OPENAI_API_KEY`` if None. Servers other than OpenAI's need none.
        timeout_s: Time-out of one request in seconds; above 0.
        max_tokens: Most tokens of a reply; at least 1.
        retries: Number of retries by the SDK; at least 0.
        temperature: 0 for the likeliest reply; left out if None, or if the model rejects it.

    Raises:
        ShieldError: `openai` is not installed, or the key is missing.
        PolicyError: An argument is out of range.
    """

    def __init__(
        self,
        model: str,
        *,
        base_url: str | None = None,
        api_key: str | None = None,
        timeout_s: float = 30.0,
        max_tokens: int = 4_096,
        retries: int = 2,
        temperature: float | None = 0.0,
    ) -> None:
        if not isinstance(model, str) or not model:
            raise PolicyError(f"judge: `model` is {shown(model)}; give the model's name")
        _check("timeout_s", timeout_s, above=0)
        _check("max_tokens", max_tokens, above=0)
        _check("retries", retries, above=-1)
        self.model = model
        self._options = {"timeout": timeout_s, "max_retries": retries, "base_url": base_url}
        self._key = _key(api_key, base_url)
        self._form: dict[str, Any] = {
            "response_format": "json_schema",
            _LIMITS[base_url is None]: max_tokens,
        }
        if temperature is not None:
            self._form["temperature"] = temperature
        self._client = self._new_client("OpenAI")
        # not `__del__`, which may run after the SDK's modules have been unloaded
        finalize(self, self._client.close)
        self._clients: WeakKeyDictionary[AbstractEventLoop, Any] = WeakKeyDictionary()
        # replies of other settings are not shared in the cache
        self.name = f"{model} at {self._client.base_url} {json.dumps(self._form)}"

    def __repr__(self) -> str:
        return f"OpenAIJudge({self.model!r}, base_url={str(self._client.base_url)!r})"

    def __call__(self, messages: list[Message], schema: dict[str, Any]) -> dict[str, Any]:
        """
        Ask once.

        Raises:
            BadReply: The reply is not a JSON object.
            ShieldError: The server failed, or the model refused; one line without the key.
        """
        requests = self._requests(messages, schema)
        at = advance(requests)
        while not isinstance(at, Done):
            try:
                got = self._client.chat.completions.create(**at)
            except Exception as error:
                got = error
            at = advance(requests, got)
        reply: dict[str, Any] = at.value
        return reply

    async def acall(self, messages: list[Message], schema: dict[str, Any]) -> dict[str, Any]:
        """
        Do the same as a call without blocking the event loop.

        Args:
            messages: The conversation.
            schema: The JSON Schema of the reply.
        """
        requests = self._requests(messages, schema)
        client = self._async_client()
        at = advance(requests)
        while not isinstance(at, Done):
            try:
                got = await client.chat.completions.create(**at)
            except Exception as error:
                got = error
            at = advance(requests, got)
        reply: dict[str, Any] = at.value
        return reply

    def _requests(
        self, messages: list[Message], schema: dict[str, Any]
    ) -> Generator[dict[str, Any], Any, dict[str, Any]]:
        """Yield requests until the server accepts their format; receive each reply or exception."""
        form: dict[str, Any] | None = dict(self._form)
        first: Exception | None = None
        for _ in range(_MOST_FORMS):
            if form is None:
                break
            got = yield _request(self.model, messages, schema, form)
            if not isinstance(got, Exception):
                # later calls start with the accepted format, without the rejected requests
                self._form = form
                return _read(got)
            # later errors are about the simpler forms, which the caller did not ask for
            first = first or got
            form = _simpler(form, got)
        raise self._failure(first)

    def _failure(self, error: Exception | None) -> ShieldError:
        status = getattr(error, "status_code", None)
        message = getattr(error, "message", None) or (describe_exception(error) if error else "")
        # a server's error may quote the key that it rejects
        text = escaped(str(message).replace(self._key, "***"), limit=_REASON)
        return ShieldError(f"HTTP {status}: {text}" if status else text)

    def _new_client(self, kind: str, **more: Any) -> Any:
        return getattr(_sdk(), kind)(api_key=self._key, **self._options, **more)

    def _async_client(self) -> Any:
        """Return the client of this event loop, without connections that could outlive the loop."""
        from asyncio import get_running_loop  # sync programs start faster without it

        loop = get_running_loop()
        if loop not in self._clients:
            from openai import DefaultAsyncHttpxClient

            timeout = self._options["timeout"]
            plain = DefaultAsyncHttpxClient(timeout=timeout, headers={"connection": "close"})
            self._clients[loop] = self._new_client("AsyncOpenAI", http_client=plain)
        return self._clients[loop]


def _sdk() -> Any:
    try:
        import openai
    except ImportError:
        raise ShieldError(
            '`OpenAIJudge` needs openai; run `pip install "abs-shield[judge]"`'
        ) from None
    return openai


def _key(declared: str | None, base_url: str | None) -> str:
    """Return the declared key or that of the environment; a placeholder for other servers."""
    import os

    # the SDK needs a key, although a local server needs none
    key = declared or os.environ.get("OPENAI_API_KEY") or ("no-key" if base_url else "")
    if not key:
        raise ShieldError("judge: there is no key; set OPENAI_API_KEY, or give `api_key`")
    return key


def _check(name: str, value: Any, *, above: int) -> None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not value > above:
        raise PolicyError(f"judge: `{name}` is {shown(value)}; give a number above {above}")


def _request(
    model: str, messages: list[Message], schema: dict[str, Any], form: dict[str, Any]
) -> dict[str, Any]:
    kind = form.get("response_format")
    sent: dict[str, Any] = {**form, "model": model, "messages": messages}
    if kind == "json_schema":
        reply_format = {"name": "reply", "schema": schema, "strict": True}
        sent["response_format"] = {"type": "json_schema", "json_schema": reply_format}
        return sent
    if kind is not None:
        sent["response_format"] = {"type": kind}
    wish = "Reply with one JSON object and nothing else. It fits this JSON Schema:"
    instruction = f"{wish}\n{json.dumps(schema)}"
    # chat templates of many models accept only one system message, the first
    first, *rest = messages or [{"role": "system", "content": ""}]
    if first["role"] == "system":
        sent["messages"] = [{**first, "content": f"{first['content']}\n\n{instruction}"}, *rest]
    else:
        sent["messages"] = [{"role": "system", "content": instruction}, *messages]
    return sent


def _simpler(form: dict[str, Any], error: Exception) -> dict[str, Any] | None:
    """Return the request format without the rejected part; None if nothing is left to remove."""
    if getattr(error, "status_code", None) not in _UNSUPPORTED:
        return None
    message = f"{getattr(error, 'param', '')} {getattr(error, 'message', '')}".casefold()
    current, other = _LIMITS if _LIMITS[0] in form else _LIMITS[::-1]
    # before the format: the message of a rejected limit has the name of the other one
    if _LIMITS[1] in message:
        return {**_without(form, current), other: form[current]}
    if "temperature" in message and "temperature" in form:
        return _without(form, "temperature")
    match form.get("response_format"):
        case "json_schema":
            return {**form, "response_format": "json_object"}
        case "json_object":
            return _without(form, "response_format")
    return None


def _without(form: dict[str, Any], name: str) -> dict[str, Any]:
    return {key: value for key, value in form.items() if key != name}


def _read(completion: Any) -> dict[str, Any]:
    choices = getattr(completion, "choices", None)
    if not choices:
        raise BadReply("the server gave no choices")
    message = choices[0].message
    reason = choices[0].finish_reason
    if getattr(message, "refusal", None):
        raise ShieldError(f"the model refused: {escaped(message.refusal, limit=_REASON)}")
    # an error, not a BadReply: a second call would be cut off, or refused, too
    if reason == "length":
        raise ShieldError("the reply was cut off; raise `max_tokens`")
    if reason == "content_filter":
        raise ShieldError("the server's content filter withheld the reply")
    if not isinstance(message.content, str) or not message.content.strip():
        raise BadReply("the reply is empty")
    return object_in(message.content)
