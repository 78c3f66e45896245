"""Questions to a judge, within time and budget, asked again once; and a cache of valid replies."""

from __future__ import annotations

import json
from collections import OrderedDict
from collections.abc import Generator, Mapping
from copy import deepcopy
from dataclasses import dataclass
from threading import Lock
from typing import Any, TypeAlias, TypeVar

from abs_shield.core.digest import canonical, digest
from abs_shield.core.fork_safety import renewed
from abs_shield.errors import PolicyError
from abs_shield.model.judge import (
    Ask,
    BadReply,
    Budget,
    Judge,
    Message,
    Reply,
    Undetermined,
    name_of,
)
from abs_shield.model.judge_calls import Done, acall, advance, call
from abs_shield.text.safe_display import describe_exception, escaped, shown

# 512 of the usual 1,000 characters fit many times; one long reply must not displace all others
_LONGEST = 200_000
"""Most characters of a cached reply."""
# some 10 MB, as the JSON is ASCII
_MOST_CHARACTERS = 10_000_000
"""Most characters of all cached replies."""


class Replies:
    """
    A bounded cache, the least recently used reply dropped first; safe to share between threads.

    Judges that declare one ``name`` share replies; a judge without a name has its own.

    Args:
        most: Most cached replies; at least 1.

    Raises:
        PolicyError: *most* is not a whole number from 1.
    """

    def __init__(self, most: int = 512) -> None:
        if type(most) is not int or most < 1:
            raise PolicyError(f"replies: `most` is {shown(most)}; give a whole number from 1")
        self.most = most
        self._entries: OrderedDict[bytes, tuple[object, str]] = OrderedDict()
        self._characters = 0
        self._lock = renewed(Lock())

    def __len__(self) -> int:
        return len(self._entries)

    def find(self, judge: object, question: Ask) -> dict[str, Any] | None:
        """
        Return a copy of the cached reply; None if there is none.

        Args:
            judge: The model, whose identity is part of the key.
            question: The question.
        """
        key = _key(judge, question)
        with self._lock:
            entry = self._entries.get(key)
            # an `id` may be that of an earlier judge, freed since
            if entry is None or entry[0] is not _owner(judge):
                return None
            self._entries.move_to_end(key)
        reply: dict[str, Any] = json.loads(entry[1])
        return reply

    def keep(self, judge: object, question: Ask, reply: dict[str, Any]) -> None:
        """
        Cache a reply.

        Args:
            judge: The model.
            question: The question.
            reply: The model's reply to it.
        """
        text = json.dumps(reply)
        if len(text) > _LONGEST:
            return
        key = _key(judge, question)
        with self._lock:
            # two threads may ask the same question, and the length must be counted once
            self._drop(key)
            self._entries[key] = (_owner(judge), text)
            self._characters += len(text)
            while len(self._entries) > self.most or self._characters > _MOST_CHARACTERS:
                self._drop(next(iter(self._entries)))

    def _drop(self, key: bytes) -> None:
        _, text = self._entries.pop(key, (None, ""))
        self._characters -= len(text)


def _owner(judge: object) -> object:
    """Return the owner of a reply: None for a declared name, which judges share; else the judge."""
    return None if isinstance(getattr(judge, "name", None), str) else judge


def _key(judge: object, question: Ask) -> bytes:
    owner = "" if _owner(judge) is None else str(id(judge))
    parts = [name_of(judge), owner, list(question.messages), question.schema]
    return digest(canonical(parts), size=16)


T = TypeVar("T")
Steps: TypeAlias = Generator[tuple[Ask, ...], tuple[Reply, ...] | None, T]
"""A generator that yields questions to a model, and receives their replies in order."""

_TRIES = 2  # the second call states the problem; a third could only repeat it, at the same price
_LONGEST_WAIT_S = 86_400  # a day: more is a mistake of the unit, such as milliseconds
# a verdict has some 1,000 characters; more is a runaway model, and costs memory
_LONGEST_REPLY = 1_000_000
_LONGEST_REASON = 300  # a line of the log; an exception may quote the whole prompt


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """
    The terms of calls to a model: time-out, budget and cache.

    Attributes:
        timeout_s: Seconds that one call may take; above 0, at most a day.
        budget: Limits of calls and characters; None for no limit.
        replies: Cache of valid replies; None for no cache.

    Raises:
        PolicyError: *timeout_s* is out of range.
    """

    timeout_s: float = 30.0
    budget: Budget | None = None
    replies: Replies | None = None

    def __post_init__(self) -> None:
        seconds = self.timeout_s
        number = isinstance(seconds, int | float) and not isinstance(seconds, bool)
        if not number or not 0 < seconds <= _LONGEST_WAIT_S:
            hint = f"give seconds above 0, at most {_LONGEST_WAIT_S}"
            raise PolicyError(f"terms: `timeout_s` is {shown(seconds)}; {hint}")


DEFAULT_TERMS = Terms()
NO_JUDGE = "no judge is given"


def ask(judge: Judge | None, question: Ask, *, terms: Terms = DEFAULT_TERMS) -> Reply:
    """
    Ask one question; an async judge runs on an event loop of its own.

    Args:
        judge: The judge; if None, every question is undetermined.
        question: The question, with the validation of its reply.
        terms: Time-out, budget and cached replies.

    Returns:
        A valid JSON object; else `Undetermined` with a one-line reason: time-out, budget, the
        judge's exception, or the problem of its second reply.
    """
    if judge is None:
        return Undetermined(NO_JUDGE)
    attempts = _attempts(judge, question, terms)
    at = advance(attempts)
    while not isinstance(at, Done):
        # a judge may change its schema; the question is sent again, and is the key of the cache
        schema = deepcopy(dict(question.schema))
        at = advance(attempts, call(judge, at, schema, timeout_s=terms.timeout_s))
    reply: Reply = at.value
    return reply


async def aask(judge: Judge | None, question: Ask, *, terms: Terms = DEFAULT_TERMS) -> Reply:
    """Do the same as `ask` on this event loop; a sync judge runs in a thread."""
    if judge is None:
        return Undetermined(NO_JUDGE)
    attempts = _attempts(judge, question, terms)
    at = advance(attempts)
    while not isinstance(at, Done):
        schema = deepcopy(dict(question.schema))
        at = advance(attempts, await acall(judge, at, schema, timeout_s=terms.timeout_s))
    reply: Reply = at.value
    return reply


def play(steps: Steps[T], judge: Judge | None, *, terms: Terms = DEFAULT_TERMS) -> T:
    """
    Run a generator of questions to its end, asking them one after the other.

    Args:
        steps: A generator that yields questions and receives replies.
        judge: The model; None if there is none, so that every reply is missing.
        terms: Timeout, budget and cached replies.
    """
    at = advance(steps)
    while not isinstance(at, Done):
        at = advance(steps, tuple([ask(judge, question, terms=terms) for question in at]))
    value: T = at.value
    return value


async def aplay(steps: Steps[T], judge: Judge | None, *, terms: Terms = DEFAULT_TERMS) -> T:
    """Do the same as `play` on this event loop; jointly yielded questions run concurrently."""
    import asyncio  # sync programs start faster without it

    at = advance(steps)
    while not isinstance(at, Done):
        calls = (aask(judge, question, terms=terms) for question in at)
        at = advance(steps, tuple(await asyncio.gather(*calls)))
    value: T = at.value
    return value


def _attempts(judge: Judge, question: Ask, terms: Terms) -> Generator[list[Message], Any, Reply]:
    """Yield the messages of each call; the caller sends the judge's reply, or its exception."""
    # the key of the cache has no validator, so a cached reply is validated like a new one
    cached = terms.replies.find(judge, question) if terms.replies else None
    if cached is not None and not _problem_with(cached, question):
        return cached
    messages, problem = [dict(message) for message in question.messages], ""
    for _ in range(_TRIES):
        refused = terms.budget.take(_length(messages)) if terms.budget else ""
        if refused:
            return Undetermined(f"{refused}{problem and f'; the reply was invalid: {problem}'}")
        got = yield [dict(message) for message in messages]
        # an exception of the server is final: its client has retried already
        if isinstance(got, Exception) and not isinstance(got, BadReply):
            return _undetermined(judge, describe_exception(got))._replace(error=type(got).__name__)
        reply, problem = _read(got, question, terms)
        if reply is not None and not problem:
            if terms.replies is not None:
                terms.replies.keep(judge, question, reply)
            return reply
        # without the wrong reply, which may be long, or contain hostile text
        messages = [*messages[: len(question.messages)], _retry_message(problem)]
    return _undetermined(judge, f"two invalid replies: {problem}")


def _read(got: Any, question: Ask, terms: Terms) -> tuple[dict[str, Any] | None, str]:
    """Return a copy of a reply as plain JSON, and its problem, if any."""
    if isinstance(got, BadReply):
        return None, escaped(describe_exception(got).partition(": ")[2], limit=_LONGEST_REASON)
    if not isinstance(got, Mapping):
        return None, f"got {shown(got)}, expected a JSON object"
    try:
        # a round trip through JSON: a mapping may change while it is read, or contain objects
        text = json.dumps(dict(got), allow_nan=False)
        reply: dict[str, Any] = json.loads(text)
    except Exception as error:  # an object that JSON cannot write, or nested too deeply
        return None, f"got no JSON: {escaped(describe_exception(error), limit=_LONGEST_REASON)}"
    if terms.budget is not None:
        terms.budget.add(len(text))
    if len(text) > _LONGEST_REPLY:
        return None, f"got {len(text)} characters, expected at most {_LONGEST_REPLY}"
    return reply, _problem_with(reply, question)


def _problem_with(reply: dict[str, Any], question: Ask) -> str:
    try:
        return escaped(question.problem(reply), limit=_LONGEST_REASON)
    except Exception as error:  # a reply that cannot be validated does not count as valid
        return f"it cannot be checked: {escaped(describe_exception(error), limit=_LONGEST_REASON)}"


def _retry_message(problem: str) -> Message:
    wish = "Reply again, with one JSON object that fits the schema and nothing else."
    return {"role": "user", "content": f"Your reply could not be used: {problem}. {wish}"}


def _undetermined(judge: object, reason: str) -> Undetermined:
    return Undetermined(
        f"judge `{escaped(name_of(judge))}`: {escaped(reason, limit=_LONGEST_REASON)}"
    )


def _length(messages: list[Message]) -> int:
    return sum(len(message["content"]) for message in messages)
