"""A server of the dashboard in a thread of its own, for a real browser."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

import uvicorn
from starlette.types import ASGIApp


@contextmanager
def serve(app: ASGIApp, *, port: int = 0, root_path: str = "") -> Iterator[str]:
    """Serve an application on 127.0.0.1, and give its address without a slash at the end."""
    config = uvicorn.Config(
        app, host="127.0.0.1", port=port, root_path=root_path, log_level="critical",
        timeout_graceful_shutdown=1,
    )  # fmt: skip
    server = uvicorn.Server(config)
    started = threading.Event()
    startup = server.startup

    async def start(sockets: list[object] | None = None) -> None:
        await startup(sockets)  # type: ignore[arg-type]
        started.set()

    server.startup = start  # type: ignore[assignment]
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    assert started.wait(30), "the server did not start"
    try:
        (socket,) = server.servers[0].sockets
        yield f"http://127.0.0.1:{socket.getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join(30)
