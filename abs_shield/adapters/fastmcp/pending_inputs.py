"""Calls that wait for input of their client, by the request that continues them."""

from __future__ import annotations

from collections import OrderedDict
from threading import Lock
from typing import Any

from abs_shield.core import ToolCall
from abs_shield.core.digest import digest_of
from abs_shield.core.fork_safety import renewed
from abs_shield.session import Session

_MAX_PENDING_INPUTS = 1_000  # a client may never answer; an evicted call counts as a new one


class PendingInputs:
    """Calls that wait for the client's input; their next request continues the same call."""

    def __init__(self) -> None:
        self._open: OrderedDict[bytes, str] = OrderedDict()
        self._lock = renewed(Lock())

    def store(self, key: bytes, call_id: str | None) -> None:
        """Store the id of a call that waits for input."""
        with self._lock:
            if call_id:
                self._open[key] = call_id
            if len(self._open) > _MAX_PENDING_INPUTS:
                self._open.popitem(last=False)

    def pop(self, key: bytes) -> str | None:
        """Remove and return the id of the call that a request continues."""
        with self._lock:
            return self._open.pop(key, None)


def pending_key(session: Session, context: Any) -> bytes | None:
    """Return the key of the call that this request continues; None for a new call."""
    message = context.message
    if message.input_responses is None and message.request_state is None:
        return None
    call = ToolCall(message.name, message.arguments or {})
    return input_key(session, call, message.request_state)


def input_key(session: Session, call: ToolCall, state: str | None) -> bytes:
    return digest_of(session.id, [call.name, call.arguments, state])
