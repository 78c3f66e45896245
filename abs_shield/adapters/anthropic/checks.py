"""The undocumented parts of the SDK that the adapter reads, checked when first used."""

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
    Check that streams still keep the arguments of a call as the model wrote them.

    Raises:
        ShieldError: One does not: the SDK completes JSON that is cut off, and the call looks whole.
    """
    for stream in _STREAMS:
        if not any(_keeps(kind) for kind in stream.__mro__):
            raise ShieldError(
                f"`{stream.__name__}` of the Anthropic SDK has no `__{BUFFERS}`: arguments that "
                "the model did not write to their end would look whole; the adapter was written "
                "for anthropic >=2,<3: report this version, or install another of these"
            )


def buffer_of(kind: type) -> str:
    """Return the name under which a class of streams keeps what the model wrote."""
    return f"_{kind.__name__.lstrip('_')}__{BUFFERS}"


def _keeps(kind: type) -> bool:
    code = getattr(vars(kind).get("__init__"), "__code__", None)
    return code is not None and buffer_of(kind) in code.co_names
