"""Handle start and shutdown of an ASGI server, even if the application ignores them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from abs_shield.adapters.asgi.response_collector import App, Message, Receive, Scope, Send

_STARTUP_COMPLETE = "lifespan.startup.complete"
_SHUTDOWN_ENDED = ("lifespan.shutdown.complete", "lifespan.shutdown.failed")


async def serve_lifespan(
    app: App, scope: Scope, receive: Receive, send: Send, *, at_end: Callable[[], Awaitable[None]]
) -> None:
    """
    Pass the server's lifespan to an application, and call *at_end* before its shutdown completes.

    An application that raises or returns without reading an event does not support lifespan: the
    events are answered here, so that its server still shuts down in order.

    Args:
        app: The application.
        scope: Scope of the lifespan.
        receive: Receives the server's events.
        send: Sends the application's events.
        at_end: Called before the server is told that the shutdown is complete.
    """
    read = False  # an application that reads an event supports the lifespan

    async def receiving() -> Message:
        nonlocal read
        read = True
        return await receive()

    async def sending(event: Message) -> None:
        if event["type"] in _SHUTDOWN_ENDED:
            await at_end()
        await send(event)

    try:
        await app(scope, receiving, sending)
    except Exception:
        if read:
            raise  # its own start or shutdown failed
    if not read:
        await _respond(receive, send, at_end)


async def _respond(receive: Receive, send: Send, at_end: Callable[[], Awaitable[None]]) -> None:
    await receive()
    await send({"type": _STARTUP_COMPLETE})
    await receive()
    await at_end()
    await send({"type": _SHUTDOWN_ENDED[0]})
