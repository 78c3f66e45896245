"""The steps of a scripted session: messages, calls and results."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from abs_shield.core import ToolCall
from abs_shield.core.events import MessageText, Returned

Step = MessageText | ToolCall | Returned | Mapping[str, Any]
"""One step; a mapping is a message in any provider's shape."""


def user(text: str, /) -> Step:
    """
    Return a message of the user.

    Args:
        text: The message.
    """
    return MessageText("user", text)


def system(text: str, /) -> Step:
    """
    Return a system message.

    Args:
        text: The message.
    """
    return MessageText("system", text)


def assistant(text: str, /) -> Step:
    """
    Return a message of the agent to its user.

    Args:
        text: The message.
    """
    return MessageText("assistant", text)


def call(name: str, arguments: Any = None, /, **keywords: Any) -> Step:
    """
    Return a call of the model, with keyword arguments, an object, or the raw JSON string.

    Args:
        name: The name of the tool.
        arguments: An object, or the JSON text that the model wrote, which may be malformed.
        keywords: The arguments, instead of *arguments*.

    >>> call("refund", transaction_id="tx_1", amount=5).arguments
    {'transaction_id': 'tx_1', 'amount': 5}
    >>> call("refund", '{"amount": 5').arguments
    '{"amount": 5'

    Raises:
        TypeError: Both an object and keyword arguments are given.
    """
    if arguments is None:
        return ToolCall(name, keywords)
    if keywords:
        raise TypeError("`call` takes an object of arguments, or named ones, not both")
    return ToolCall(name, arguments)


def result(value: Any, /, *, error: bool = False) -> Step:
    """
    Return the result of the preceding call, whose registered function does not run.

    Args:
        value: What the tool returned: any JSON value.
        error: Whether the tool failed.
    """
    return Returned(name="", value=value, error=error)
