"""The three OTLP paths over HTTP, packed with gzip or deflate or not at all."""

from __future__ import annotations

import gzip
import zlib
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

from tests.telemetry.receiver.arrivals import REQUESTS, Folder

_UNPACK = {"gzip": gzip.decompress, "deflate": zlib.decompress, "identity": bytes}


def over_http(folder: Folder) -> int:
    """Serve until the process ends, and give the port."""

    class Receiver(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            signal = self.path.removeprefix("/v1/")
            sent = self.rfile.read(int(self.headers["Content-Length"]))
            if signal not in REQUESTS:
                self._answer(404, b"")
                return
            body = _UNPACK[self.headers.get("Content-Encoding", "identity")](sent)
            heading = f"{self.path}\n{self.headers}"
            self._answer(200, folder.keep(signal, body, heading=heading, sent=sent))

        def _answer(self, status: int, body: bytes) -> None:
            self.send_response(status)
            self.send_header("Content-Type", "application/x-protobuf")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *args: Any) -> None:
            """Say nothing: standard error belongs to faults."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
    server.daemon_threads = True
    Thread(target=server.serve_forever, daemon=True).start()
    return server.server_port
