"""Server-sent events about growth of the log, with one reader of the log for all open pages."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import StreamingResponse

from abs_shield.errors import StoreError
from abs_shield.stores.durable_store import DurableStore

EVERY_S = 2.0  # feels live; one cheap query for all pages
"""Interval of reading the log while a page is open, in seconds."""
_BEAT_S = 20.0  # common proxies close a silent connection after 30 to 60 s
"""Interval of comments that keep connections open through proxies, in seconds."""
MOST_PAGES = 200
"""Maximum number of connected pages; further ones must be reloaded manually."""


class LiveUpdates:
    """Watches one log while pages are open."""

    def __init__(self, store: DurableStore) -> None:
        self._store = store
        self._changed = asyncio.Condition()
        self._place: int | None = None
        self._pages = 0
        self._task: asyncio.Task[None] | None = None

    async def events(self, request: Request) -> StreamingResponse:
        """
        Return a stream of ``changed`` events, each with the newest place of the log.

        The parameter ``since`` is the place that the page shows: if the log has grown since then,
        the first event is sent as soon as the log is read.
        """
        if self._pages >= MOST_PAGES:
            # the browser tries again after a minute, by itself
            return StreamingResponse(iter([b"retry: 60000\n\n"]), media_type="text/event-stream")
        since = request.query_params.get("since", "")
        shown_place = (
            # below 2**63: a longer number is no place in a database
            int(since) if since.isascii() and since.isdigit() and len(since) < 19 else None
        )
        # nginx would collect events
        headers = {"cache-control": "no-store", "x-accel-buffering": "no"}
        return StreamingResponse(
            self._stream(request, shown_place), media_type="text/event-stream", headers=headers
        )

    async def _stream(self, request: Request, shown_place: int | None) -> AsyncIterator[bytes]:
        self._pages += 1
        # one reader for all pages; it ends when the last page is closed
        if self._task is None or self._task.done():
            self._place = None
            self._task = asyncio.create_task(self._watch())
        try:
            yield b"retry: 5000\n\n"
            while not await request.is_disconnected():
                place = await self._place_after(shown_place)
                if place is None or shown_place is None:
                    yield b": nothing new\n\n"
                else:
                    yield f"event: changed\ndata: {place}\n\n".encode()
                shown_place = shown_place if place is None else place
        finally:
            self._pages -= 1

    async def _place_after(self, shown_place: int | None) -> int | None:
        """Return the newest place once it changes; None after `_BEAT_S` seconds."""
        with suppress(TimeoutError):
            async with asyncio.timeout(_BEAT_S), self._changed:
                await self._changed.wait_for(lambda: self._place not in (None, shown_place))
                return self._place
        return None

    async def _watch(self) -> None:
        """Poll the newest place of the log until no page is open."""
        while self._pages:
            with suppress(StoreError):  # the next page that is loaded shows the error
                # it reads a disk or a network
                place = await run_in_threadpool(self._store.last_place)
                if place != self._place:
                    async with self._changed:
                        self._place = place
                        self._changed.notify_all()
            await asyncio.sleep(EVERY_S)
