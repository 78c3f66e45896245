"""A collector that takes every connection and never answers."""

from __future__ import annotations

import socket
from threading import Thread


def black_hole() -> int:
    """Accept until the process ends, and give the port."""
    listening = socket.create_server(("127.0.0.1", 0))
    Thread(target=_swallow, args=[listening], daemon=True).start()
    return int(listening.getsockname()[1])


def _swallow(listening: socket.socket) -> None:
    while True:
        connection, _ = listening.accept()
        Thread(target=_read, args=[connection], daemon=True).start()


def _read(connection: socket.socket) -> None:
    try:
        while connection.recv(65_536):
            pass
    except OSError:
        connection.close()
