"""ASGI middleware that opens a session for each request, and settles the response's answer."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from abs_shield.adapters.asgi.http_body import (
    NO_ANSWER,
    AnswerText,
    ResponseBody,
    header,
    is_json,
    media_type,
    parse_response_body,
    request_messages,
    with_content_length,
)
from abs_shield.adapters.asgi.response_collector import (
    PARTIAL,
    App,
    Collector,
    Message,
    Receive,
    Scope,
    Send,
)
from abs_shield.errors import ShieldError
from abs_shield.policy import AnswerConfig
from abs_shield.session import Session
from abs_shield.session.session_record import record_of
from abs_shield.shield import Shield
from abs_shield.text.safe_display import shown

logger = logging.getLogger("abs_shield")

Write = Callable[[str, Session], Any]
"""Rewrites an answer, given the feedback and the session of the request; sync or async."""

ANSWERS = ("/choices/*/message/content", "/answer", "/content/*")
"""Default pointers to an answer: OpenAI chat completions, `answer`, or content blocks."""
QUESTIONS = ("/messages", "/question", "/input")
"""Default pointers to the user's messages in a request."""
_REASON = "it could not be checked"


class AnswerMiddleware:
    """
    Opens a session for each request, and settles the answer in its response.

    Use ``app = AnswerMiddleware(app, firewall)``, or ``app.add_middleware(AnswerMiddleware,
    firewall=firewall)`` in Starlette and FastAPI. In strict mode an unsupported answer is replaced
    by the refusal, or by the rewrite of *write*; in audit mode the response is sent unchanged, and
    the answer is checked afterwards. Other responses are sent unchanged.

    Args:
        app: The application.
        firewall: The Shield.
        answers: JSON pointers to the answer in a JSON response; the first that matches a text is
            used. A ``*`` matches each item of a list as a separate answer; at the end of a
            pointer, the texts of all items together are one answer.
        questions: JSON pointers to the user's messages in a JSON request: a text, or a list of
            messages. They are recorded unless the application records messages itself.
        trust_messages: Whether messages of all roles in a request are recorded, for a client that
            runs the tools itself; otherwise only those of the user.
        session_header: Header with the session's id; None to open a new session for each request.
            Anyone who can set the header can join the session: let a proxy set it.
        write: Rewrites an answer; None to refuse the first unsupported draft.
        hold_streams: Whether a streamed response (without Content-Length) is held back until its
            answer is settled; otherwise it is sent, and checked at its end.
        max_bytes: Maximum size of a body that is read, in bytes; a larger one is sent unchecked.

    Raises:
        ShieldError: A pointer does not begin with ``/``, or *max_bytes* is not positive.
    """

    def __init__(
        self,
        app: App,
        firewall: Shield,
        *,
        answers: Sequence[str] = ANSWERS,
        questions: Sequence[str] = QUESTIONS,
        trust_messages: bool = False,
        session_header: str | None = None,
        write: Write | None = None,
        hold_streams: bool = False,
        # an answer has a few kB; a larger body is a download, and would have to be held in memory
        max_bytes: int = 1_000_000,
    ) -> None:
        for pointer in (*answers, *questions):
            if not pointer.startswith("/"):
                raise ShieldError(f"{shown(pointer)} is not a JSON pointer; use e.g. `/answer`")
        if max_bytes < 1:
            raise ShieldError(f"`max_bytes` is {max_bytes}; it must be 1 or more")
        self.app = app
        self.firewall = firewall
        self.answers = tuple(answers)
        self.questions = tuple(questions)
        self.trust_messages = trust_messages
        self.session_header = None if session_header is None else session_header.lower().encode()
        self.write = write
        self.hold_streams = hold_streams
        self.max_bytes = max_bytes
        self._notes: set[str] = set()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one connection."""
        # websocket and lifespan connections have no answers
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        name = self.session_header
        if name is not None:
            scope["headers"] = [*scope["headers"]]  # an iterator could be read only once
        session_id = header(scope["headers"], name) if name is not None else ""
        with self.firewall.session(session_id or None) as session:
            # nothing to check
            if self.firewall.policy.answer is False or scope["method"] == "HEAD":
                await self.app(scope, receive, send)
                return
            request = _Request(receive, session, max_bytes=self.max_bytes)
            response = _AnswerResponse(self, session, request, send)
            await self.app(scope, request.receive, response.send)
            await response.finish()

    @property
    def enforced(self) -> bool:
        """True if unsupported answers are replaced."""
        return self.firewall.lifecycle.enforces_answers()

    def log_once(self, reason: str) -> None:
        """Log why an answer is not checked, once for each reason."""
        if reason not in self._notes:  # once, or a busy route would fill the log
            self._notes.add(reason)
            logger.warning("abs_shield does not check an answer: %s", reason)

    async def settle(self, answers: Sequence[AnswerText], session: Session) -> list[str]:
        """
        Return the texts to send instead of the answers of one response.

        In a session without any events, an answer is recorded and sent unchanged.
        """
        has_events = bool(record_of(session).log.version)
        return [
            await self._settle_one(answer, session, has_events=has_events) for answer in answers
        ]

    async def _settle_one(self, answer: AnswerText, session: Session, *, has_events: bool) -> str:
        config = self.firewall.policy.answer
        assert isinstance(config, AnswerConfig)
        try:
            if not has_events:
                await self.firewall.acheck_answer(answer.text, session=session)
                return answer.text
            write = self.write
            if write is None:
                # without a writer, a revision would only repeat the same answer
                config = config.model_copy(update={"revisions": 0})
            settled = await self.firewall.asettle_answer(
                answer.text,
                write=lambda feedback: None if write is None else write(feedback, session),
                session=session,
                config=config,
            )
        except Exception as error:
            return self.text_after_error(answer.text, error)
        return settled.text

    def text_after_error(self, answer: str, error: Exception) -> str:
        """Return the text to send after an error, according to the policy's `on_error`."""
        logger.error("abs_shield could not settle an answer: %s", type(error).__name__)
        return answer if self.allows_errors else self._refusal

    @property
    def allows_errors(self) -> bool:
        """True if an answer is sent although an internal error prevented its check."""
        policy = self.firewall.policy
        return not isinstance(policy.answer, AnswerConfig) or policy.on_error == "allow"

    @property
    def _refusal(self) -> str:
        config = self.firewall.policy.answer
        return config.refusal.format(reason=_REASON) if isinstance(config, AnswerConfig) else ""

    def error_response(self, error: Exception) -> tuple[Message, bytes]:
        """Return the start and the body of a response whose answer could not be replaced."""
        logger.error("abs_shield could not replace an answer: %s", type(error).__name__)
        body = self._refusal.encode("utf-8", "replace")
        headers = with_content_length([(b"content-type", b"text/plain; charset=utf-8")], len(body))
        return {"type": "http.response.start", "status": 500, "headers": headers}, body


class _Request:
    """The request of one connection, with a copy of the body that was read so far."""

    def __init__(self, receive: Receive, session: Session, *, max_bytes: int) -> None:
        self._receive = receive
        self._session = session
        self._turns = session.turns
        self._max_bytes = max_bytes
        self._parts: list[bytes] | None = []
        self._size = 0

    async def receive(self) -> Message:
        """Return the next event of the connection."""
        event = await self._receive()
        if event["type"] == "http.request" and self._parts is not None:
            part = event.get("body") or b""
            self._size += len(part)
            # beyond the limit nothing is stored, because a part of a request cannot be parsed
            self._parts = [*self._parts, part] if self._size <= self._max_bytes else None
        return event

    def messages(self, pointers: Sequence[str], *, whole: bool) -> list[Mapping[str, Any]]:
        """Return the user's messages, unless the application has recorded some itself."""
        if self._session.turns != self._turns or not self._parts:
            return []
        return [*request_messages(b"".join(self._parts), pointers, whole=whole)]


class _AnswerResponse(Collector):
    """
    Collects the response of one connection, and settles its answers.

    In strict mode nothing is sent before the answers are settled; in audit mode, and for a
    stream, every part is sent as it arrives.
    """

    def __init__(
        self, owner: AnswerMiddleware, session: Session, request: _Request, send: Send
    ) -> None:
        super().__init__(send, max_bytes=owner.max_bytes, hold_streams=owner.hold_streams)
        self._owner = owner
        self._session = session
        self._request = request

    @property
    def enforced(self) -> bool:
        """True if unsupported answers are replaced."""
        return self._owner.enforced

    def is_candidate(self, event: Message) -> bool:
        """Return whether a response may contain an answer that can be read."""
        headers = event.get("headers", ())
        kind, _ = media_type(headers)
        # error pages are not answers; the end of a body with trailers is not known here
        if not 200 <= event["status"] < 300 or event.get("trailers"):
            return False
        if kind == "text/event-stream":
            self._owner.log_once(
                "a response is `text/event-stream`, whose parts are sent as they come"
            )
            return False
        if not (is_json(kind) or kind == "text/plain"):
            return False
        encoding = header(headers, b"content-encoding").lower()
        if encoding not in ("", "identity"):
            self._owner.log_once(
                f"a response is encoded as {shown(encoding)}; compress outside of it"
            )
            return False
        if event["status"] == PARTIAL or header(headers, b"content-range"):
            self._owner.log_once("a response is partial content")
            return False
        return not self.declares_too_large(event)

    def is_too_large(self, size: int) -> bool:
        """Return whether a body of this many bytes is too large to check, and log it."""
        if super().is_too_large(size):
            self._owner.log_once(f"a response has more than `max_bytes`, {self._owner.max_bytes}")
            return True
        return False

    async def check(self, body: bytes) -> None:
        """Check the answers that have been sent."""
        for answer in self._read_answers(body).answers:
            try:
                await self._owner.firewall.acheck_answer(answer.text, session=self._session)
            except Exception as error:
                logger.error("abs_shield could not check an answer: %s", type(error).__name__)

    async def settle(self, start: Message, body: bytes) -> tuple[Message, bytes]:
        """Return the response with its answers settled."""
        parsed = self._read_answers(body)
        texts = await self._owner.settle(parsed.answers, self._session)
        # the original bytes, because encoding the JSON again would change spaces and escapes
        if texts == [answer.text for answer in parsed.answers]:
            return start, body
        return self._with_answers(start, body, parsed, texts)

    def _with_answers(
        self, start: Message, body: bytes, parsed: ResponseBody, texts: Sequence[str]
    ) -> tuple[Message, bytes]:
        """Return the start and the body of the response with other answers."""
        try:
            new = parsed.with_texts(texts)
        except Exception as error:
            error_response = self._owner.error_response(error)
            return (start, body) if self._owner.allows_errors else error_response
        return {**start, "headers": with_content_length(self._headers, len(new))}, new

    def _read_answers(self, body: bytes) -> ResponseBody:
        """Return the answers of the body, after recording the request in the session."""
        owner = self._owner
        try:
            parsed = parse_response_body(body, self._headers, owner.answers)
            messages = self._request.messages(owner.questions, whole=owner.trust_messages)
            if parsed.answers:
                self._session.add(messages, tolerant=True)
            elif parsed.problem and body and self._is_from_agent(parsed, messages):
                owner.log_once(parsed.problem)
        except Exception as error:
            logger.error("abs_shield could not read an answer: %s", type(error).__name__)
            return ResponseBody()
        return parsed

    def _is_from_agent(self, parsed: ResponseBody, messages: Sequence[Any]) -> bool:
        """Return whether a body without a text may come from an agent; others are not reported."""
        has_events = bool(record_of(self._session).log.version)
        return parsed.problem != NO_ANSWER or bool(messages) or has_events
