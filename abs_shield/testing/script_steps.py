"""The steps of a scripted session: what is said, called and returned."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from abs_shield.core import ToolCall
from abs_shield.core.events import Returned, Said

Step = Said | ToolCall | Returned | Mapping[str, Any]
"""One step; a mapping is a message in any provider's shape."""


def user(text: str, /) -> Step:
    """The user writes *text*."""
    return Said("user", text)


def system(text: str, /) -> Step:
    """The system prompt says *text*."""
    return Said("system", text)


def assistant(text: str, /) -> Step:
    """The agent writes *text* to its user."""
    return Said("assistant", text)


def call(name: str, arguments: Any = None, /, **keywords: Any) -> Step:
    """
    The model calls a tool, with named arguments or with an object or the raw JSON string.

    >>> call("refund", transaction_id="tx_1", amount=5).arguments
    {'transaction_id': 'tx_1', 'amount': 5}
    >>> call("refund", '{"amount": 5').arguments
    '{"amount": 5'

    Raises:
        TypeError: Both are given.
    """
    if arguments is None:
        return ToolCall(name, keywords)
    if keywords:
        raise TypeError("`call` takes an object of arguments, or named ones, not both")
    return ToolCall(name, arguments)


def result(value: Any, /, *, error: bool = False) -> Step:
    """What the call before this step returns; its real function does not run."""
    return Returned(name="", value=value, error=error)
