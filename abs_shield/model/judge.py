"""Protocol of a judge: its messages, its reply, and the reason if there is none."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol, TypeAlias

from abs_shield.errors import ShieldError

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
