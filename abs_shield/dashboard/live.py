"""Tells open pages that the log has grown: one reader of the log for any number of pages."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import StreamingResponse

from abs_shield.errors import StoreError
from abs_shield.stores.durable import DurableStore

EVERY_S = 2.0
"""How often the log is looked at while a page is open."""
_BEAT_S = 20.0
"""How often a comment is sent, so that proxies keep the connection."""
MOST_PAGES = 200
"""Pages that are told at the same time; further ones have to be loaded again by hand."""


class Live:
    """Watches one log while pages are open."""

    def __init__(self, store: DurableStore, *, every_s: float = EVERY_S) -> None:
        self._store = store
        self._every_s = every_s
        self._changed = asyncio.Condition()
        self._place = 0
        self._pages = 0
        self._task: asyncio.Task[None] | None = None

    async def events(self, request: Request) -> StreamingResponse:
        """Answer with an event whenever the log has grown: ``changed``, with its newest place."""
        if self._pages >= MOST_PAGES:
            return StreamingResponse(iter([b"retry: 60000\n\n"]), media_type="text/event-stream")
        headers = {"cache-control": "no-store", "x-accel-buffering": "no"}
        return StreamingResponse(
            self._stream(request), media_type="text/event-stream", headers=headers
        )

    async def _stream(self, request: Request) -> AsyncIterator[bytes]:
        self._pages += 1
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._watch())
        seen = self._place
        try:
            yield b"retry: 5000\n\n"
            while not await request.is_disconnected():
                await self._grown(seen)
                if self._place == seen:
                    yield b": still here\n\n"
                else:
                    seen = self._place
                    yield f"event: changed\ndata: {seen}\n\n".encode()
        finally:
            self._pages -= 1

    async def _grown(self, seen: int) -> None:
        """Wait until the log has grown beyond a place, but no longer than a connection may rest."""
        with suppress(TimeoutError):
            async with asyncio.timeout(_BEAT_S), self._changed:
                await self._changed.wait_for(lambda: self._place != seen)

    async def _watch(self) -> None:
        """Look at the log until no page is open."""
        while self._pages:
            with suppress(StoreError):  # the next page that is loaded says what is wrong
                place = await run_in_threadpool(self._store.last_place)
                if place != self._place:
                    async with self._changed:
                        self._place = place
                        self._changed.notify_all()
            await asyncio.sleep(self._every_s)
