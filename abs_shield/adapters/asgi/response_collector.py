"""Collection of a response's body until it is judged, and the lifespan of the server."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from abs_shield.adapters.asgi.http_body import Headers, content_length, header

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

PARTIAL = 206
"""HTTP status of a response with a part of a body."""


class Collector(ABC):
    """
    Collects the response of one connection.

    A response that may contain a text to judge is collected. If it is held back, nothing is sent
    before it is judged; otherwise every part is sent as it arrives.

    Args:
        send: Sends an event to the client.
        max_bytes: Maximum size of a body that is collected, in bytes.
        hold_streams: Whether streamed responses (without Content-Length) are held back, too.
    """

    def __init__(self, send: Send, *, max_bytes: int, hold_streams: bool) -> None:
        self._send = send
        self._max_bytes = max_bytes
        self._hold_streams = hold_streams
        self._held_start: Message | None = None
        self._headers: Headers = ()
        self._parts: list[bytes] | None = None
        self._size = 0
        self._replaced = self._fully_sent = False

    @property
    @abstractmethod
    def enforced(self) -> bool:
        """True if judged texts may be replaced."""

    @abstractmethod
    def is_candidate(self, event: Message) -> bool:
        """Return whether a response with this start may contain a text to judge."""

    @abstractmethod
    async def check(self, body: bytes) -> None:
        """Judge a body that has been sent."""

    @abstractmethod
    async def settle(self, start: Message, body: bytes) -> tuple[Message, bytes]:
        """Return the start and the body to send instead of a response that was held back."""

    def refusal(self, start: Message, reason: str) -> tuple[Message, bytes] | None:
        """
        Return the response to send instead of a body that cannot be read.

        None to send it unchanged.
        """
        return None

    async def send(self, event: Message) -> None:
        """Send one event of the application, or hold it back."""
        if not isinstance(event.get("headers", []), (list, tuple)):
            event = {**event, "headers": [*event["headers"]]}  # an iterator is read once
        match event["type"]:
            # the application does not know that its response was replaced
            case _ if self._replaced:
                return
            case "http.response.start" if self.is_candidate(event):
                # a copy, because an outer middleware may change the list, as Starlette's gzip does
                self._headers, self._parts = [*event.get("headers", ())], []
                if self.enforced:
                    self._held_start = event
                    return
            case "http.response.body" if self._parts is not None:
                await self._collect(event)
                return
            case kind if not self._fully_sent:
                await self._stop_collecting(f"its body is sent as {kind}")
                if self._replaced:
                    return
        await self._send(event)

    async def release(self) -> None:
        """Send everything that is held back unchanged, and hold back nothing further."""
        start, self._held_start = self._held_start, None
        parts, self._parts = self._parts, None
        if start is not None:
            await self._send(start)
            if parts:
                body = b"".join(parts)
                await self._send({"type": "http.response.body", "body": body, "more_body": True})

    async def finish(self) -> None:
        """
        End the response: check a body that has been sent, and send what is still held back.

        Call it after the application has returned, because a framework may cancel the application
        during its last event, as Starlette does if the client of a stream disconnects.
        """
        if self._fully_sent and self._parts is not None:
            await self.check(self._body())
        await self._stop_collecting("its body has no end")

    def is_too_large(self, size: int) -> bool:
        """Return whether a body of this many bytes is too large to collect."""
        return size > self._max_bytes

    @property
    def too_large_reason(self) -> str:
        """The reason to report for a body that is too large."""
        return f"it has more than `max_bytes`, {self._max_bytes:,}"

    def declares_too_large(self, event: Message) -> bool:
        """Return whether the Content-Length of a response exceeds the limit."""
        return self.is_too_large(content_length(event.get("headers", ())))

    async def _collect(self, event: Message) -> None:
        """Collect one part of the body, and judge the body at the last one."""
        assert self._parts is not None
        more = event.get("more_body", False)
        # a stream is not held back, because a person may be reading it
        if self._held_start is not None and more and self._is_stream():
            await self._send_start()
        part = event.get("body") or b""
        self._size += len(part)
        if self.is_too_large(self._size):
            await self._overflow(event)
            return
        self._parts.append(part)
        if self._held_start is None:
            await self._send(event)
            self._fully_sent = not more
        elif not more:
            start, self._held_start = self._held_start, None
            await self._send_whole(*await self.settle(start, self._body()))

    async def _overflow(self, event: Message) -> None:
        """Send a body that is too large unchanged, or its replacement."""
        await self._stop_collecting(self.too_large_reason)
        if not self._replaced:
            await self._send(event)

    async def _stop_collecting(self, reason: str) -> None:
        """Send what is held back unchanged, or its replacement."""
        replacement = None if self._held_start is None else self.refusal(self._held_start, reason)
        if replacement is None:
            await self.release()
        else:
            self._held_start = self._parts = None
            self._replaced = True
            await self._send_whole(*replacement)

    async def _send_whole(self, start: Message, body: bytes) -> None:
        await self._send(start)
        await self._send({"type": "http.response.body", "body": body, "more_body": False})

    def _body(self) -> bytes:
        parts, self._parts = self._parts or [], None
        return b"".join(parts)

    def _is_stream(self) -> bool:
        # a response with a known length is complete, but sent in parts
        return not self._hold_streams and not header(self._headers, b"content-length")

    async def _send_start(self) -> None:
        """Send the start of a stream, which can only be judged at its end."""
        start, self._held_start = self._held_start, None
        if start is not None:
            await self._send(start)


_STARTUP_COMPLETE = "lifespan.startup.complete"
_SHUTDOWN_ENDED = ("lifespan.shutdown.complete", "lifespan.shutdown.failed")


async def serve_lifespan(
    app: App, scope: Scope, receive: Receive, send: Send, *, at_end: Callable[[], Awaitable[None]]
) -> None:
    """
    Pass the server's lifespan to an application, and call *at_end* before its shutdown completes.

    An application that raises or returns without reading an event does not support lifespan. Its
    events are then answered here, so that the server still calls *at_end*.

    Args:
        app: The application.
        scope: Scope of the lifespan.
        receive: Receives the server's events.
        send: Sends the application's events.
        at_end: Called before the server is notified that the shutdown is complete.
    """
    read = False  # an application that reads an event supports lifespan

    async def receive_event() -> Message:
        nonlocal read
        read = True
        return await receive()

    async def send_event(event: Message) -> None:
        if event["type"] in _SHUTDOWN_ENDED:
            await at_end()
        await send(event)

    try:
        await app(scope, receive_event, send_event)
    except Exception:
        if read:
            raise  # the application's own startup or shutdown failed
    if not read:
        await _serve_events(receive, send, at_end)


async def _serve_events(
    receive: Receive, send: Send, at_end: Callable[[], Awaitable[None]]
) -> None:
    await receive()
    await send({"type": _STARTUP_COMPLETE})
    await receive()
    await at_end()
    await send({"type": _SHUTDOWN_ENDED[0]})
