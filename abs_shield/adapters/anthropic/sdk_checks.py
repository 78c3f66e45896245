"""Checks of the undocumented parts of the SDK that the adapter reads, at their first use."""

from __future__ import annotations

from functools import cache

from anthropic.lib.streaming import (
    AsyncMessageStream,
    BetaAsyncMessageStream,
    BetaMessageStream,
    MessageStream,
)

from abs_shield.errors import ShieldError

BUFFERS = "json_bufs"
_STREAMS = (MessageStream, AsyncMessageStream, BetaMessageStream, BetaAsyncMessageStream)


@cache
def check_streams() -> None:
    """
    Raise if streams no longer store the arguments of a call as the model wrote them.

    Raises:
        ShieldError: A stream does not store them; then truncated arguments would look complete.
    """
    for stream in _STREAMS:
        if not any(_has_buffer(kind) for kind in stream.__mro__):
            raise ShieldError(
                f"`{stream.__name__}` of the Anthropic SDK has no `__{BUFFERS}`: truncated "
                "arguments would look complete; the adapter was written for anthropic >=2,<3: "
                "report this version, or install another of these"
            )


def buffer_name(kind: type) -> str:
    """Return the attribute in which a stream class stores the text of the model."""
    return f"_{kind.__name__.lstrip('_')}__{BUFFERS}"


def _has_buffer(kind: type) -> bool:
    code = getattr(vars(kind).get("__init__"), "__code__", None)
    # the code is read, because creating a stream would need a response
    return code is not None and buffer_name(kind) in code.co_names
