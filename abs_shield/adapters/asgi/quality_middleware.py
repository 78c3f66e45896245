"""ASGI middleware that runs the quality cascade on outputs in responses before they are sent."""

from __future__ import annotations

import asyncio
import json
import logging
import zlib
from collections.abc import Iterable, Iterator
from fnmatch import fnmatchcase
from math import inf
from typing import Literal

from abs_shield.adapters.asgi.body_compression import GZIP_OR_ZLIB, decompress
from abs_shield.adapters.asgi.event_streams import NoOutputText, is_stream, read_events
from abs_shield.adapters.asgi.http_body import (
    NO_TEXT,
    DuplicateKey,
    Headers,
    header,
    is_json,
    media_type,
    parse_response_body,
    with_content_length,
)
from abs_shield.adapters.asgi.quality_route import QualityRoute, as_route
from abs_shield.adapters.asgi.response_collector import (
    PARTIAL,
    App,
    Collector,
    Message,
    Receive,
    Scope,
    Send,
    serve_lifespan,
)
from abs_shield.errors import ShieldError
from abs_shield.quality import AgentOutput, QualityPipeline, QualityResult
from abs_shield.text.safe_display import shown

logger = logging.getLogger("abs_shield")

_HELD_TITLE = "The output was held back"
_UNCHECKED_TITLE = "The output could not be checked"
_REPRESENTATION_HEADERS = frozenset(
    {
        b"accept-ranges", b"cache-control", b"content-disposition", b"content-encoding",
        b"content-language", b"content-range", b"content-type", b"expires", b"last-modified",
        b"transfer-encoding",
    }
)  # fmt: skip
"""Headers of the original response that are not copied to the problem that replaces it."""
_TEXT_TYPES = ("", "text/plain", "text/markdown")
"""Media types whose body is the output; without a type, a body that looks like JSON is JSON."""
_MAX_NOTES = 1_000  # reasons contain the media types of responses, whose number is not limited
_ENCODINGS = ("gzip", "x-gzip", "deflate")


class QualityMiddleware:
    """
    Runs the quality cascade on the outputs in the responses of declared routes.

    ``app = QualityMiddleware(app, pipeline, routes=[QualityRoute(path="/memos")])``, or
    ``app.add_middleware(QualityMiddleware, pipeline=pipeline, routes=[...])`` in Starlette and
    FastAPI. A response of JSON, text, JSON lines or server-sent events, even a stream, is held
    until its outputs are checked. If an output is held back, the response is replaced by a
    problem (``application/problem+json``, RFC 9457) with the feedback. Other responses, other
    routes and statuses other than 2xx are sent unchanged. In audit mode every part is sent as it
    arrives, and the outputs are checked afterwards.

    Args:
        app: The application.
        pipeline: The cascade.
        routes: The routes, or their paths; the first match is used.
        status: HTTP status of the problem, 400 to 599.
        max_bytes: Maximum size of a decompressed body that is read, in bytes.
        unchecked: In strict mode, the handling of a response whose output cannot be read (too
            large, invalid JSON, duplicate keys, an unknown encoding, partial content, JSON or a
            stream without a text at the pointers of the route) or whose check fails:
            ``"block"`` sends a problem, ``"pass"`` sends the response unchanged. It is logged.
        drain_timeout_s: How long a shutdown of the server waits for the pipeline's background work,
            in seconds; unfinished work is counted and logged.

    Raises:
        ShieldError: A setting is wrong.
    """

    def __init__(
        self,
        app: App,
        pipeline: QualityPipeline,
        *,
        routes: Iterable[QualityRoute | str],
        # the request was understood, but its result is not acceptable; clients would retry a 5xx
        status: int = 422,
        max_bytes: int = 1_000_000,
        unchecked: Literal["block", "pass"] = "block",
        # shorter than the 10 s after which Docker kills a process
        drain_timeout_s: float = 5.0,
    ) -> None:
        if not isinstance(pipeline, QualityPipeline):
            raise ShieldError(f"`pipeline` is {shown(pipeline)}; give a QualityPipeline")
        if isinstance(routes, (str, QualityRoute)) or not isinstance(routes, Iterable):
            raise ShieldError(f"`routes` is {shown(routes)}; give a list of routes")
        if type(status) is not int or not 400 <= status <= 599:
            raise ShieldError(f"`status` is {shown(status)}; it must be from 400 to 599")
        if type(max_bytes) is not int or max_bytes < 1:
            raise ShieldError(f"`max_bytes` is {shown(max_bytes)}; it must be 1 or more")
        if unchecked not in ("block", "pass"):
            raise ShieldError(f"`unchecked` is {shown(unchecked)}; use `block` or `pass`")
        if not isinstance(drain_timeout_s, (int, float)) or not 0 <= drain_timeout_s < inf:
            raise ShieldError(f"`drain_timeout_s` is {shown(drain_timeout_s)}; give seconds from 0")
        self.app = app
        self.pipeline = pipeline
        self.drain_timeout_s = drain_timeout_s
        self.routes = tuple(map(as_route, routes))
        if not self.routes:
            raise ShieldError("`routes` is empty; pass the routes whose outputs are checked")
        self.status = status
        self.max_bytes = max_bytes
        self.unchecked = unchecked
        self._logged: set[tuple[str, str]] = set()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one connection."""
        if scope["type"] == "lifespan":
            await serve_lifespan(self.app, scope, receive, send, at_end=self._drain)
            return
        route = self._match_route(scope)
        if route is None:
            await self.app(scope, receive, send)
            return
        response = _QualityResponse(self, route, send)
        await self.app(scope, receive, response.send)
        await response.finish()

    async def _drain(self) -> None:
        """Finish background work, because servers end on a signal, which does not run `atexit`."""
        await asyncio.to_thread(self.pipeline.drain, self.drain_timeout_s)

    def _match_route(self, scope: Scope) -> QualityRoute | None:
        if scope["type"] != "http" or scope["method"] == "HEAD":
            return None
        path = scope["path"]
        paths = (path, path.rstrip("/") or "/")  # frameworks accept both
        return next(
            (one for one in self.routes if any(fnmatchcase(x, one.path) for x in paths)), None
        )

    def log_once(self, route: QualityRoute, reason: str) -> None:
        """Log why a response is sent unchecked, once for each route and reason."""
        key = (route.path, reason)
        if key not in self._logged and len(self._logged) < _MAX_NOTES:
            self._logged.add(key)
            logger.warning("abs_shield checks no output of %s: %s", shown(route.path), reason)

    def problem(
        self, headers: Headers, title: str, detail: str, *, status: int, **fields: str
    ) -> tuple[Message, bytes]:
        """Return the start and the body of a problem that replaces an output."""
        record = {"type": "about:blank", "title": title, "status": status, "detail": detail}
        # escaped, so that lone surrogates are valid JSON
        body = json.dumps(record | fields, ensure_ascii=True).encode()
        others = [
            (name, value) for name, value in headers if name.lower() not in _REPRESENTATION_HEADERS
        ]
        own = [(b"content-type", b"application/problem+json"), (b"cache-control", b"no-store")]
        start = {
            "type": "http.response.start",
            "status": status,
            "headers": with_content_length([*others, *own], len(body)),
        }
        return start, body


class _UnreadableBody(Exception):
    """A body cannot be read; the text is the reason."""


class _QualityResponse(Collector):
    """Collects the response of one connection to a declared route, and checks its outputs."""

    def __init__(self, owner: QualityMiddleware, route: QualityRoute, send: Send) -> None:
        super().__init__(send, max_bytes=owner.max_bytes, hold_streams=True)
        self._owner = owner
        self._route = route
        self._partial = False

    @property
    def enforced(self) -> bool:
        """True if failed outputs are held back."""
        return self._owner.pipeline.enforced

    def is_candidate(self, event: Message) -> bool:
        """Return whether a response may contain an output."""
        headers = event.get("headers", ())
        kind, _ = media_type(headers)
        # a problem of the application itself is not an output
        if kind == "application/problem+json" or not 200 <= event["status"] < 300:
            return False
        self._partial = event["status"] == PARTIAL or bool(header(headers, b"content-range"))
        if is_json(kind) or is_stream(kind) or kind in _TEXT_TYPES:
            return True
        if kind.startswith("text/"):
            self._owner.log_once(self._route, f"a response is {shown(kind)}, which is not read")
        return False

    def refusal(self, start: Message, reason: str) -> tuple[Message, bytes] | None:
        """Return the problem that replaces a body that cannot be read."""
        return self._unchecked_response(reason, start)

    async def check(self, body: bytes) -> None:
        """Check the outputs that have been sent."""
        try:
            for output in self._outputs(body):
                await self._owner.pipeline.arun(output)
        except _UnreadableBody as error:
            self._log(str(error))
        except Exception as error:
            self._log(f"{type(error).__name__} in its check")

    async def settle(self, start: Message, body: bytes) -> tuple[Message, bytes]:
        """Return the response, or the problem that replaces it."""
        try:
            for output in self._outputs(body):
                result = await self._owner.pipeline.arun(output)
                if result.held:
                    return self._held_response(result)
        except _UnreadableBody as error:
            return self._unchecked_response(str(error), start) or (start, body)
        except Exception as error:
            reason = f"{type(error).__name__} in its check"
            return self._unchecked_response(reason, start, status=500) or (start, body)
        return start, body

    def _held_response(self, result: QualityResult) -> tuple[Message, bytes]:
        detail = result.feedback() or "; ".join(result.errors)
        own = {"action": result.action.value, "output_id": result.output_id}
        return self._owner.problem(
            self._headers, _HELD_TITLE, detail, status=self._owner.status, **own
        )

    def _unchecked_response(
        self, reason: str, start: Message, *, status: int | None = None
    ) -> tuple[Message, bytes] | None:
        """
        Return the problem that replaces an unchecked output; None to send the response unchanged.
        """
        self._log(reason)
        if self._owner.unchecked == "pass":
            return None
        return self._owner.problem(
            start.get("headers", ()), _UNCHECKED_TITLE, reason, status=status or self._owner.status
        )

    def _log(self, reason: str) -> None:
        if reason == NO_TEXT:  # frequent on routes that also send other bodies
            self._owner.log_once(self._route, reason)
            return
        logger.warning(
            "abs_shield could not check an output of %s: %s", shown(self._route.path), reason
        )

    def _outputs(self, body: bytes) -> Iterator[AgentOutput]:
        """
        Yield the outputs of the body.

        Raises:
            _UnreadableBody: The body is partial, too large when decompressed, or malformed.
        """
        if self._partial:
            raise _UnreadableBody("it is partial content")
        for text in self._texts(self._decompress_body(body)):
            yield self._route.output(text)

    def _texts(self, body: bytes) -> list[str]:
        kind, charset = media_type(self._headers)
        if is_stream(kind):
            try:
                texts = read_events(body, kind, charset, self._route.deltas)
            except DuplicateKey:
                raise _UnreadableBody("an event has a key twice in one object") from None
            except NoOutputText:
                raise _UnreadableBody(NO_TEXT) from None
            if texts is None:
                raise _UnreadableBody("its events cannot be read")
        else:
            parsed = parse_response_body(body, self._headers, self._route.outputs, every=True)
            if parsed.problem and body:
                raise _UnreadableBody(parsed.problem)
            texts = [answer.text for answer in parsed.answers]
        return texts

    def _decompress_body(self, body: bytes) -> bytes:
        encoding = header(self._headers, b"content-encoding").strip().lower()
        if encoding in ("", "identity"):
            return body
        if encoding not in _ENCODINGS:
            raise _UnreadableBody(f"it is encoded as {shown(encoding)}")
        try:
            plain = decompress(body, GZIP_OR_ZLIB, max_bytes=self._owner.max_bytes)
        except zlib.error:
            try:  # some servers send raw deflate
                plain = decompress(body, -zlib.MAX_WBITS, max_bytes=self._owner.max_bytes)
            except zlib.error:
                raise _UnreadableBody(f"it is not valid {encoding}") from None
        if plain is None:
            raise _UnreadableBody(self.too_large_reason)
        return plain
