"""Events that tell open pages that the log has grown; one reader of the log for all pages."""

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
"""How often the log is read while a page is open."""
_BEAT_S = 20.0
"""How often a comment is sent, so that proxies keep the connection."""
MOST_PAGES = 200
"""Pages that are connected at the same time; further ones have to be loaded again by hand."""


class LiveUpdates:
    """
    Watches one log while pages are open.

    Args:
        store: The log.
        every_s: How often it is read, in seconds.
    """

    def __init__(self, store: DurableStore, *, every_s: float = EVERY_S) -> None:
        self._store = store
        self._every_s = every_s
        self._changed = asyncio.Condition()
        self._place: int | None = None
        self._pages = 0
        self._task: asyncio.Task[None] | None = None

    async def events(self, request: Request) -> StreamingResponse:
        """
        Return a stream with an event ``changed`` whenever the log has grown, and its newest place.

        The parameter ``since`` is the place that the page shows: where the log has grown
        meanwhile, the first event comes as soon as the log is read.
        """
        if self._pages >= MOST_PAGES:
            return StreamingResponse(iter([b"retry: 60000\n\n"]), media_type="text/event-stream")
        since = request.query_params.get("since", "")
        seen = int(since) if since.isascii() and since.isdigit() and len(since) < 19 else None
        headers = {"cache-control": "no-store", "x-accel-buffering": "no"}
        return StreamingResponse(
            self._stream(request, seen), media_type="text/event-stream", headers=headers
        )

    async def _stream(self, request: Request, seen: int | None) -> AsyncIterator[bytes]:
        self._pages += 1
        if self._task is None or self._task.done():
            self._place = None
            self._task = asyncio.create_task(self._watch())
        try:
            yield b"retry: 5000\n\n"
            while not await request.is_disconnected():
                place = await self._place_after(seen)
                if place is None or seen is None:
                    yield b": nothing new\n\n"
                else:
                    yield f"event: changed\ndata: {place}\n\n".encode()
                seen = seen if place is None else place
        finally:
            self._pages -= 1

    async def _place_after(self, seen: int | None) -> int | None:
        """Return the newest place once it is another one; None after `_BEAT_S` seconds."""
        with suppress(TimeoutError):
            async with asyncio.timeout(_BEAT_S), self._changed:
                await self._changed.wait_for(lambda: self._place not in (None, seen))
                return self._place
        return None

    async def _watch(self) -> None:
        """Read the newest place of the log until no page is open."""
        while self._pages:
            with suppress(StoreError):  # the next page that is loaded says what is wrong
                place = await run_in_threadpool(self._store.last_place)
                if place != self._place:
                    async with self._changed:
                        self._place = place
                        self._changed.notify_all()
            await asyncio.sleep(self._every_s)
