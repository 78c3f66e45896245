"""Middleware in pure ASGI: one session a request, and the answer of the response settled."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Mapping, MutableMapping, Sequence
from typing import Any

from abs_shield.adapters.asgi.body import (
    Answer,
    Headers,
    answer_in,
    header,
    is_json,
    media_type,
    messages_in,
    with_length,
)
from abs_shield.errors import ShieldError
from abs_shield.policy import AnswerConfig
from abs_shield.session import Session
from abs_shield.shield import Shield
from abs_shield.text.show import shown

logger = logging.getLogger("abs_shield")

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]
Write = Callable[[str, Session], Any]
"""Writes an answer again, given the feedback and the session of the request; sync or async."""

ANSWERS = ("/choices/0/message/content", "/answer")
"""Where an answer stands by default: in a chat completion of OpenAI's shape, or plainly."""
QUESTIONS = ("/messages", "/question", "/input")
"""Where the words of the user stand by default in a request."""
_REASON = "it could not be checked"


class AnswerMiddleware:
    """
    Opens a session for each request, and settles the answer in its response.

    ``app = AnswerMiddleware(app, firewall)``, or ``app.add_middleware(AnswerMiddleware,
    firewall=firewall)`` in Starlette and FastAPI. In strict mode an answer that does not hold is
    replaced by the refusal, or by what *write* makes of it; in audit mode the response passes as
    it is, and the answer is checked when it has been sent. Other responses pass as they are.

    Args:
        app: The application.
        firewall: The Shield.
        answers: JSON pointers of the answer in a JSON response; the first that leads to text.
        questions: JSON pointers of the user's words in a JSON request: a text, or a list of
            messages. They are heard where the application itself told the session of no user.
        trust_messages: Whether messages of all roles in a request are heard, as where the client
            is an agent that runs the tools; otherwise only those of the user.
        session_header: Header with the session's id; None opens a session of its own for each
            request. Whoever sets the header joins that session: let a proxy set it.
        write: Writes an answer again; None refuses the first draft that does not hold.
        hold_streams: Whether a response in parts without a Content-Length is held back until its
            answer is settled; otherwise it passes, and is checked at its end.
        max_bytes: Largest body that is read; a larger one passes unchecked.

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
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        name = self.session_header
        session_id = header(scope["headers"], name) if name is not None else ""
        with self.firewall.session(session_id or None) as session:
            if self.firewall.policy.answer is False or scope["method"] == "HEAD":
                await self.app(scope, receive, send)
                return
            request = _Request(receive, session, most=self.max_bytes)
            response = _Response(self, session, request, send)
            await self.app(scope, request.receive, response.send)
            await response.release()  # where the application ended before its body did

    @property
    def enforced(self) -> bool:
        """Whether an answer that does not hold is replaced."""
        return self.firewall.desk.enforces_answers()

    def note(self, reason: str) -> None:
        """Log, once, why an answer is not checked."""
        if reason not in self._notes:
            self._notes.add(reason)
            logger.warning("abs_shield does not check an answer: %s", reason)

    async def settle(self, answer: Answer, session: Session) -> str:
        """
        Return the text that may be sent in place of an answer.

        In a session that heard nothing an answer is recorded, and sent as it is.
        """
        config = self.firewall.policy.answer
        assert isinstance(config, AnswerConfig)
        if not session.log.version:
            await self.firewall.acheck_answer(answer.text, session=session)
            return answer.text
        write = self.write
        if write is None:
            config = config.model_copy(update={"revisions": 0})
        settled = await self.firewall.asettle_answer(
            answer.text,
            write=lambda feedback: None if write is None else write(feedback, session),
            session=session,
            config=config,
        )
        return settled.text

    def failed(self, answer: Answer, error: Exception) -> str:
        """Return the text to send where settling failed, as the policy's `on_error` says."""
        logger.error("abs_shield could not settle an answer: %s", type(error).__name__)
        config, policy = self.firewall.policy.answer, self.firewall.policy
        if not isinstance(config, AnswerConfig) or policy.on_error == "allow":
            return answer.text
        return config.refusal.format(reason=_REASON)


class _Request:
    """The request of one connection; a copy of its body is kept, as far as it was read."""

    def __init__(self, receive: Receive, session: Session, *, most: int) -> None:
        self._receive = receive
        self._session = session
        self._turns = session.turns
        self._most = most
        self._parts: list[bytes] | None = []
        self._size = 0

    async def receive(self) -> Message:
        """Return the next event of the connection."""
        event = await self._receive()
        if event["type"] == "http.request" and self._parts is not None:
            part = event.get("body") or b""
            self._size += len(part)
            self._parts = [*self._parts, part] if self._size <= self._most else None
        return event

    def hear(self, pointers: Sequence[str], *, whole: bool) -> None:
        """Tell the session of the user's words, where the application told it of none."""
        if self._session.turns == self._turns and self._parts:
            found = messages_in(b"".join(self._parts), pointers, whole=whole)
            self._session.add([*found], tolerant=True)


class _Response:
    """
    The response of one connection.

    A response that may hold an answer is collected. In strict mode nothing of it is sent before
    its answer is settled; in audit mode, and of a stream, every part is sent as it comes.
    """

    def __init__(
        self, owner: AnswerMiddleware, session: Session, request: _Request, send: Send
    ) -> None:
        self._owner = owner
        self._session = session
        self._request = request
        self._send = send
        self._start: Message | None = None
        self._headers: Headers = ()
        self._parts: list[bytes] | None = None
        self._size = 0

    async def send(self, event: Message) -> None:
        """Send one event of the application's, or hold it back."""
        match event["type"]:
            case "http.response.start" if self._is_candidate(event):
                self._headers, self._parts = [*event.get("headers", ())], []
                if self._owner.enforced:
                    self._start = event
                    return
            case "http.response.body" if self._parts is not None:
                await self._take(event)
                return
            case _:
                await self.release()
        await self._send(event)

    async def release(self) -> None:
        """Send what is held back, unchanged, and hold nothing any more."""
        start, self._start = self._start, None
        parts, self._parts = self._parts, None
        if start is not None:
            await self._send(start)
            if parts:
                body = b"".join(parts)
                await self._send({"type": "http.response.body", "body": body, "more_body": True})

    def _is_candidate(self, event: Mapping[str, Any]) -> bool:
        """Return whether a response may hold an answer that can be read."""
        headers = event.get("headers", ())
        kind, _ = media_type(headers)
        if not 200 <= event["status"] < 300 or event.get("trailers"):
            return False
        if kind == "text/event-stream":
            self._owner.note("a response is `text/event-stream`, whose parts are sent as they come")
            return False
        if not (is_json(kind) or kind == "text/plain"):
            return False
        encoding = header(headers, b"content-encoding").lower()
        if encoding not in ("", "identity"):
            self._owner.note(f"a response is encoded as {shown(encoding)}; compress outside of it")
            return False
        length = header(headers, b"content-length")
        return not (length.isdecimal() and self._is_too_large(int(length)))

    def _is_too_large(self, size: int) -> bool:
        if size > self._owner.max_bytes:
            self._owner.note(f"a response has more than `max_bytes`, {self._owner.max_bytes}")
            return True
        return False

    async def _take(self, event: Message) -> None:
        """Collect one part of the body, and settle the answer at the last one."""
        assert self._parts is not None
        more = event.get("more_body", False)
        if self._start is not None and more and self._is_stream():
            await self._pass_on()
        part = event.get("body") or b""
        self._size += len(part)
        if self._is_too_large(self._size):
            await self.release()
            await self._send(event)
            return
        self._parts.append(part)
        if self._start is None:
            await self._send(event)
            if not more:
                await self._check()
        elif not more:
            await self._finish()

    def _is_stream(self) -> bool:
        return not self._owner.hold_streams and not header(self._headers, b"content-length")

    async def _pass_on(self) -> None:
        """Send the start of a stream, whose answer can only be checked at its end."""
        start, self._start = self._start, None
        if start is not None:
            await self._send(start)

    async def _check(self) -> None:
        """Check an answer that has been sent."""
        answer, _ = self._read()
        if answer is None:
            return
        try:
            await self._owner.firewall.acheck_answer(answer.text, session=self._session)
        except Exception as error:
            logger.error("abs_shield could not check an answer: %s", type(error).__name__)

    async def _finish(self) -> None:
        """Send the response with its answer settled."""
        start, self._start = self._start, None
        assert start is not None
        answer, body = self._read()
        if answer is not None:
            text = await self._settled(answer)
            if text != answer.text:
                body = answer.replaced(text)
                start = {**start, "headers": with_length(self._headers, len(body))}
        await self._send(start)
        await self._send({"type": "http.response.body", "body": body, "more_body": False})

    async def _settled(self, answer: Answer) -> str:
        try:
            return await self._owner.settle(answer, self._session)
        except Exception as error:
            return self._owner.failed(answer, error)

    def _read(self) -> tuple[Answer | None, bytes]:
        """Return the answer of the body, and the body; the session hears the request before."""
        parts, self._parts = self._parts or [], None
        body, owner = b"".join(parts), self._owner
        try:
            answer = answer_in(body, self._headers, owner.answers)
            if answer is not None:
                self._request.hear(owner.questions, whole=owner.trust_messages)
        except Exception as error:
            logger.error("abs_shield could not read an answer: %s", type(error).__name__)
            return None, body
        return answer, body
