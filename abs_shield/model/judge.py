"""Protocol of a judge: its messages, its reply, the reason if there is none, and its budget."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from threading import Lock
from typing import Any, NamedTuple, Protocol, TypeAlias

from abs_shield.core.fork_safety import renewed
from abs_shield.errors import PolicyError, ShieldError
from abs_shield.text.safe_display import shown

Message = dict[str, str]
"""``{"role": "system" | "user" | "assistant", "content": text}``."""


class Judge(Protocol):
    """
    Any callable that asks a model: messages and a JSON Schema in, a dict out; sync or async.

    A judge may have a ``name`` (a text): judges of one name share cached replies. One that is
    sync may have an async twin ``acall`` beside it, which async callers use.
    """

    def __call__(
        self, messages: list[Message], schema: dict[str, Any], /
    ) -> Mapping[str, Any] | Awaitable[Mapping[str, Any]]:
        """Return the model's reply, a JSON object that should fit *schema*."""


class Undetermined(NamedTuple):
    """
    The reason why a model gave no usable reply.

    Attributes:
        reason: The reason, in one line; it may quote the prompt.
        error: Class of the judge's exception; empty if it raised none.
    """

    reason: str
    error: str = ""


Reply: TypeAlias = dict[str, Any] | Undetermined


class BadReply(ShieldError):
    """A reply without a JSON object: a judge raises it, and is asked once more."""


def fits_anything(reply: dict[str, Any]) -> str:
    """Return no problem, for any JSON object."""
    return ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """
    One question to a model.

    Attributes:
        messages: The messages.
        schema: The JSON Schema of the reply.
        problem: Returns the problem of a reply in one line; empty if it is valid.
    """

    messages: tuple[Message, ...]
    schema: Mapping[str, Any]
    problem: Callable[[dict[str, Any]], str] = fits_anything


def name_of(judge: object) -> str:
    """Return a judge's declared name, or that of its function or class."""
    # only a text: an object such as a mock has any attribute
    name = getattr(judge, "name", None)
    if isinstance(name, str) and name:
        return name
    return str(getattr(judge, "__qualname__", type(judge).__qualname__))


class Budget:
    """
    Limits of one run, with the amounts spent; safe to share between threads.

    Args:
        calls: Calls of the model, second tries included; at least 0.
        characters: Characters sent and received together (a token is about four); at least 0.

    Raises:
        PolicyError: A limit is not a whole number, or is below zero.
    """

    def __init__(self, *, calls: int = 20, characters: int = 1_000_000) -> None:
        for name, limit in (("calls", calls), ("characters", characters)):
            if type(limit) is not int or limit < 0:
                raise PolicyError(f"budget: `{name}` is {shown(limit)}; give a whole number from 0")
        self.calls = calls
        self.characters = characters
        self.calls_spent = 0
        self.characters_spent = 0
        # a lock is not usable in a forked child if another thread of the parent held it
        self._lock = renewed(Lock())

    def fresh(self) -> Budget:
        """Return an unspent budget with the same limits."""
        return Budget(calls=self.calls, characters=self.characters)

    def take(self, characters: int) -> str:
        """
        Count one call that sends *characters*; return the reason if the budget is spent.

        Args:
            characters: The length of the messages.
        """
        # counted before the call, so that concurrent calls cannot exceed the limit together
        with self._lock:
            if self.calls_spent >= self.calls:
                return f"the budget of {self.calls} calls is spent"
            if self.characters_spent + characters > self.characters:
                return f"the budget of {self.characters} characters is spent"
            self.calls_spent += 1
            self.characters_spent += characters
        return ""

    def add(self, characters: int) -> None:
        """
        Count the characters of a reply.

        Args:
            characters: The length of the reply.
        """
        # after the call, as its length is unknown before: one reply may exceed the budget
        with self._lock:
            self.characters_spent += characters
