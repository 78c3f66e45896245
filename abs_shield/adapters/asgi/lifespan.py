"""Start and shutdown of an ASGI server, also in front of an application that ignores them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from abs_shield.adapters.asgi.collector import App, Message, Receive, Scope, Send

_COMPLETE = "lifespan.startup.complete"
_ENDED = ("lifespan.shutdown.complete", "lifespan.shutdown.failed")


async def serve_lifespan(
    app: App, scope: Scope, receive: Receive, send: Send, *, at_end: Callable[[], Awaitable[None]]
) -> None:
    """
    Pass the lifespan of a server on to an application, and act before its shutdown is complete.

    An application that raises or returns without reading an event does not support lifespan: it
    is answered for, so that its server shuts down in order too.

    Args:
        app: The application.
        scope: Scope of the lifespan.
        receive: Receives the server's events.
        send: Sends the application's.
        at_end: What is done before the server is told that the shutdown is complete.
    """
    read = False

    async def receiving() -> Message:
        nonlocal read
        read = True
        return await receive()

    async def sending(event: Message) -> None:
        if event["type"] in _ENDED:
            await at_end()
        await send(event)

    try:
        await app(scope, receiving, sending)
    except Exception:
        if read:
            raise  # its own start or shutdown failed
    if not read:
        await _answer(receive, send, at_end)


async def _answer(receive: Receive, send: Send, at_end: Callable[[], Awaitable[None]]) -> None:
    await receive()
    await send({"type": _COMPLETE})
    await receive()
    await at_end()
    await send({"type": _ENDED[0]})
