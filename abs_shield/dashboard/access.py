"""Who may see the dashboard: a token opens a session, and labels need the session's own form."""

from __future__ import annotations

import hmac
import secrets
from typing import Any
from urllib.parse import parse_qsl

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

SIGNED_IN = "signed_in"
FORM_KEY = "form"
COOKIE = "abs_shield_dashboard"
SESSION_S = 7 * 24 * 3_600
"""How long a session lasts, in seconds."""
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:;"
    " connect-src 'self'; font-src 'self'; form-action 'self'; base-uri 'none';"
    " frame-ancestors 'none'"
)
"""Nothing inline, nothing from elsewhere: what a model made cannot run even where it is raw."""
_HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
}
_LONGEST_FORM = 10_000
"""Bytes of a form."""
_MOST_FIELDS = 20
_OPEN_PATHS = ("/login", "/static/")


class SecurityHeaders:
    """Adds headers that forbid inline scripts, frames and guesses at content types."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, and add the headers to its response."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in _HEADERS.items():
                    headers[name] = value
                if "cache-control" not in headers:
                    headers["cache-control"] = "no-store"
            await send(message)

        await self._app(scope, receive, with_headers)


class RequireSession:
    """Sends everybody without a session to the form that asks for the token."""

    def __init__(self, app: ASGIApp, *, token: str) -> None:
        self._app = app
        self._token = token

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on that has a session, or needs none."""
        if scope["type"] != "http" or not self._token or self._is_open(scope):
            await self._app(scope, receive, send)
            return
        request = Request(scope)
        if request.session.get(SIGNED_IN):
            await self._app(scope, receive, send)
            return
        given = request.query_params.get("token")
        if given is not None and same(given, self._token):
            # the token leaves the address, so that it is in no history and no referrer
            sign_in(request)
            left = request.url.remove_query_params("token")
            target = left.path + (f"?{left.query}" if left.query else "")
        else:
            target = scope.get("root_path", "") + "/login"
        await RedirectResponse(target, status_code=303)(scope, receive, send)

    def _is_open(self, scope: Scope) -> bool:
        path: str = scope["path"].removeprefix(scope.get("root_path", ""))
        return path == "/login" or path.startswith(_OPEN_PATHS)


def same(given: str, token: str) -> bool:
    """Compare a token in a time that does not depend on where it differs."""
    equal: bool = hmac.compare_digest(*(one.encode("utf-8", "replace") for one in (given, token)))
    return equal


def sign_in(request: Request) -> None:
    """Open a session; one from before is given up, so that nobody can have prepared it."""
    request.session.clear()
    request.session[SIGNED_IN] = True
    request.session[FORM_KEY] = secrets.token_urlsafe(24)


def form_key(request: Request) -> str:
    """Return the key that every form of this session carries."""
    if not isinstance(request.session.get(FORM_KEY), str):
        request.session[FORM_KEY] = secrets.token_urlsafe(24)
    return str(request.session[FORM_KEY])


def is_own_form(request: Request, given: object) -> bool:
    """Return whether a form was sent by a page of this session, and not by another site."""
    key: Any = request.session.get(FORM_KEY)
    origin = Headers(scope=request.scope).get("sec-fetch-site", "same-origin")
    known: bool = isinstance(key, str) and isinstance(given, str) and same(given, key)
    return known and origin in ("same-origin", "none")


async def read_form(request: Request) -> dict[str, str]:
    """
    Return the fields of a form; of a field that is there twice the last.

    Raises:
        HTTPException: The form is longer than any that a page sends.
    """
    body = b""
    async for chunk in request.stream():
        body += chunk
        if len(body) > _LONGEST_FORM:
            raise HTTPException(413)
    return dict(parse_qsl(body.decode("utf-8", "replace"), max_num_fields=_MOST_FIELDS))
