"""The event loop of a thread, for frameworks that take it."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest


@pytest.fixture
def event_loop_of_the_thread() -> Iterator[None]:
    """Set and close the event loop of the thread, which `run_sync` would leave open."""
    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    yield
    asyncio.set_event_loop(None)
    loop.close()
