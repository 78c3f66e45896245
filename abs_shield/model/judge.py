"""A model that judges: what it is sent, what it may answer, and what is said when it cannot."""

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
        """Return the model's reply: a JSON object that should fit *schema*."""


class Undetermined(NamedTuple):
    """
    A model could not be asked, or gave no usable reply: nothing was judged, and why.

    Attributes:
        reason: Why, in one line; it may quote what the model was sent.
        error: Class of the error that the judge raised; empty where it raised none.
    """

    reason: str
    error: str = ""


Reply: TypeAlias = dict[str, Any] | Undetermined


class BadReply(ShieldError):
    """A model answered, but with no JSON object: a judge raises it, and is asked once more."""


def fits_anything(reply: dict[str, Any]) -> str:
    """Find nothing wrong with any JSON object."""
    return ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """
    One question to a model.

    Attributes:
        messages: What it is sent.
        schema: The JSON Schema of the reply.
        problem: Says in one line what is wrong with a reply; empty where it is right.
    """

    messages: tuple[Message, ...]
    schema: Mapping[str, Any]
    problem: Callable[[dict[str, Any]], str] = fits_anything


def name_of(judge: object) -> str:
    """Return a judge's own name, else that of its function or class."""
    name = getattr(judge, "name", None)
    if isinstance(name, str) and name:
        return name
    return str(getattr(judge, "__qualname__", type(judge).__qualname__))
