"""Collects the body of one response: held back until it was judged, or judged once it was sent."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from abs_shield.adapters.asgi.body import Headers, content_length, header

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

PARTIAL = 206
"""Status of a response that is a part of a body."""


class Collector(ABC):
    """
    The response of one connection.

    A response that may hold a text to judge is collected. Where it is held back, nothing of it is
    sent before it was judged; elsewhere every part is sent as it comes.

    Args:
        send: Sends an event to the client.
        most: Bytes of a body that are collected; a larger one is not.
        hold_streams: Whether a response in parts without a Content-Length is held back, too.
    """

    def __init__(self, send: Send, *, most: int, hold_streams: bool) -> None:
        self._send = send
        self._most = most
        self._hold_streams = hold_streams
        self._start: Message | None = None
        self._headers: Headers = ()
        self._parts: list[bytes] | None = None
        self._size = 0
        self._refused = self._sent = False

    @property
    @abstractmethod
    def enforced(self) -> bool:
        """Whether what is judged may be replaced."""

    @abstractmethod
    def is_candidate(self, event: Message) -> bool:
        """Return whether a response that starts like this may hold a text to judge."""

    @abstractmethod
    async def check(self, body: bytes) -> None:
        """Judge a body that has been sent."""

    @abstractmethod
    async def settle(self, start: Message, body: bytes) -> tuple[Message, bytes]:
        """Return the start and the body to send in place of a response that was held back."""

    def refusal(self, start: Message, reason: str) -> tuple[Message, bytes] | None:
        """Return what to send in place of a body that cannot be read; None sends it as it is."""
        return None

    async def send(self, event: Message) -> None:
        """Send one event of the application's, or hold it back."""
        if not isinstance(event.get("headers", []), (list, tuple)):
            event = {**event, "headers": [*event["headers"]]}  # an iterator is read once
        match event["type"]:
            case _ if self._refused:
                return
            case "http.response.start" if self.is_candidate(event):
                # a copy: a middleware outside may change the list, as Starlette's gzip does
                self._headers, self._parts = [*event.get("headers", ())], []
                if self.enforced:
                    self._start = event
                    return
            case "http.response.body" if self._parts is not None:
                await self._take(event)
                return
            case kind if not self._sent:
                await self._give_up(f"its body is sent as {kind}")
                if self._refused:
                    return
        await self._send(event)

    async def release(self) -> None:
        """Send what is held back, unchanged, and hold nothing any more."""
        start, self._start = self._start, None
        parts, self._parts = self._parts, None
        if start is not None:
            await self._send(start)
            if parts:
                body = b"".join(parts)
                await self._send({"type": "http.response.body", "body": body, "more_body": True})

    async def finish(self) -> None:
        """
        End the response: check a body that has been sent, and send what is still held back.

        Call it when the application has ended. Within its last event a framework may cancel the
        check, as Starlette does with a stream whose client is gone.
        """
        if self._sent and self._parts is not None:
            await self.check(self._body())
        await self._give_up("its body has no end")

    def is_too_large(self, size: int) -> bool:
        """Return whether a body of so many bytes is not collected."""
        return size > self._most

    @property
    def too_large(self) -> str:
        """Why a body that is too large is not read."""
        return f"it has more than `max_bytes`, {self._most:,}"

    def states_too_much(self, event: Message) -> bool:
        """Return whether the Content-Length of a response is more than what is collected."""
        return self.is_too_large(content_length(event.get("headers", ())))

    async def _take(self, event: Message) -> None:
        """Collect one part of the body, and judge it at the last one."""
        assert self._parts is not None
        more = event.get("more_body", False)
        if self._start is not None and more and self._is_stream():
            await self._pass_on()
        part = event.get("body") or b""
        self._size += len(part)
        if self.is_too_large(self._size):
            await self._overflow(event)
            return
        self._parts.append(part)
        if self._start is None:
            await self._send(event)
            self._sent = not more
        elif not more:
            start, self._start = self._start, None
            await self._send_whole(*await self.settle(start, self._body()))

    async def _overflow(self, event: Message) -> None:
        """Send a body that is too large as it is, or what is sent in its place."""
        await self._give_up(self.too_large)
        if not self._refused:
            await self._send(event)

    async def _give_up(self, reason: str) -> None:
        """Send what is held back as it is, or what is sent in its place."""
        other = None if self._start is None else self.refusal(self._start, reason)
        if other is None:
            await self.release()
        else:
            self._start = self._parts = None
            self._refused = True
            await self._send_whole(*other)

    async def _send_whole(self, start: Message, body: bytes) -> None:
        await self._send(start)
        await self._send({"type": "http.response.body", "body": body, "more_body": False})

    def _body(self) -> bytes:
        parts, self._parts = self._parts or [], None
        return b"".join(parts)

    def _is_stream(self) -> bool:
        return not self._hold_streams and not header(self._headers, b"content-length")

    async def _pass_on(self) -> None:
        """Send the start of a stream, which can only be judged at its end."""
        start, self._start = self._start, None
        if start is not None:
            await self._send(start)
