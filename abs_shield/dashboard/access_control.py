"""Access control: host names, sessions, forms, security headers, a limit on wrong tokens."""

from __future__ import annotations

import hmac
import math
import secrets
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

MOST_WRONG = 10  # room for typing errors
"""Allowed wrong tokens from one address within `WAIT_S` seconds."""
WAIT_S = 60.0  # 10 guesses a minute find no token of ten letters in a lifetime
"""Seconds that an address has to wait after the last of them."""
_MOST_ADDRESSES = 10_000
"""Maximum number of tracked addresses; the least recent one is evicted."""


class LoginAttempts:
    """
    Counts wrong tokens by the visitor's address.

    Args:
        now: Returns a monotonic time in seconds.
    """

    def __init__(self, *, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._wrong: OrderedDict[str, tuple[int, float]] = OrderedDict()

    def wait_s(self, address: str) -> int:
        """Return the seconds that an address has to wait before its next attempt; 0 for none."""
        wrong, last = self._wrong.get(address, (0, 0.0))
        remaining = last + WAIT_S - self._now()
        return max(0, math.ceil(remaining)) if wrong >= MOST_WRONG else 0

    def add_wrong(self, address: str) -> None:
        """Count a wrong token."""
        wrong, last = self._wrong.pop(address, (0, 0.0))
        # a typing error of an hour ago does not count
        wrong = wrong + 1 if self._now() - last < WAIT_S else 1
        self._wrong[address] = wrong, self._now()
        if len(self._wrong) > _MOST_ADDRESSES:
            self._wrong.popitem(last=False)

    def forget(self, address: str) -> None:
        """Reset the count after a right token."""
        self._wrong.pop(address, None)


SIGNED_IN = "signed_in"
FORM_KEY = "form"
COOKIE = "abs_shield_dashboard"
# shorter, and people store the token where it is quick to reach; longer, and a lost device stays
# signed in
SESSION_S = 7 * 24 * 3_600
"""Lifetime of a session, in seconds."""
LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
"""Host names of this machine."""
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:;"
    " connect-src 'self'; font-src 'self'; form-action 'self'; base-uri 'none';"
    " frame-ancestors 'none'"
)
"""No inline code and nothing from other sites, so that text of a model never runs as a script."""
HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "same-origin",  # an address may contain an id of a session
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
}
"""Headers of each response."""
_LONGEST_FORM = 10_000  # a token and an id are short; a larger body fills memory
"""Maximum size of a form, in bytes."""
_MOST_FIELDS = 20  # forms here have three; parsing thousands of fields would block the event loop
_OPEN_PATHS = ("/login", "/static/")  # the form itself, its style sheet and script
_OWN_SITES = ("same-origin", "none")
"""Accepted values of Sec-Fetch-Site: a page of this origin, or direct navigation."""


class SecurityHeaders:
    """Middleware that adds headers against inline scripts, framing and MIME sniffing."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle a request, and add the headers to its response."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers.update(HEADERS)
                # pages show decisions; static files may be cached
                headers.setdefault("cache-control", "no-store")
            await send(message)

        await self._app(scope, receive, with_headers)


class RequireHost:
    """
    Middleware that rejects requests for other host names, against DNS rebinding.

    Args:
        app: The wrapped application.
        hosts: Allowed names, in lower case, IPv6 addresses in brackets; ``*`` for any.
    """

    def __init__(self, app: ASGIApp, *, hosts: Iterable[str]) -> None:
        self._app = app
        self._hosts = frozenset(hosts)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle a request to an allowed host; else respond with 400."""
        if scope["type"] != "http" or "*" in self._hosts or host_of(scope) in self._hosts:
            await self._app(scope, receive, send)
            return
        refusal = PlainTextResponse(
            "This host name is not allowed: open http://127.0.0.1, set a token, or list the name"
            " in `allowed_hosts`.\n",
            status_code=400,
        )
        await refusal(scope, receive, send)


class SignIn:
    """
    Verifies tokens and starts sessions.

    Args:
        token: The token; empty if visitors need none.
        attempts: Limits wrong tokens.
    """

    def __init__(self, token: str, *, attempts: LoginAttempts | None = None) -> None:
        self.token = token
        self._attempts = attempts or LoginAttempts()

    def begin(self, request: Request, token: str) -> bool:
        """
        Start a session if the token is right; return whether it is.

        Raises:
            HTTPException: The visitor's address has sent too many wrong tokens and has to wait.
        """
        address = request.client.host if request.client else ""
        # before the comparison, so that guessing on is useless
        if wait_s := self._attempts.wait_s(address):
            raise HTTPException(
                429,
                f"too many wrong tokens; try again in {wait_s} seconds",
                headers={"retry-after": str(wait_s)},
            )
        if not is_same(token, self.token):
            self._attempts.add_wrong(address)
            return False
        self._attempts.forget(address)
        sign_in(request)
        return True


class RequireSession:
    """Middleware that redirects requests without a session to the login form."""

    def __init__(self, app: ASGIApp, *, access: SignIn) -> None:
        self._app = app
        self._access = access

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle a request that has a session or needs none; else redirect it."""
        # without a token there is no login: the server must listen on loopback, since `RequireHost`
        # checks only the Host header
        if scope["type"] != "http" or not self._access.token or _is_open(scope):
            await self._app(scope, receive, send)
            return
        request = Request(scope)
        if request.session.get(SIGNED_IN):
            await self._app(scope, receive, send)
            return
        await self._refusal(request)(scope, receive, send)

    def _refusal(self, request: Request) -> Response:
        token, view = request.query_params.get("token"), _view_of(request)
        if token is not None and self._begins(request, token):
            # removes the token from the address, so that it is not in histories and referrers
            return RedirectResponse(view, status_code=303)
        login = request.scope.get("root_path", "") + "/login"
        if request.method == "GET":
            login += f"?{urlencode({'next': view})}"
        if _is_page(request):
            # 303: the browser goes on with GET, also from a form
            return RedirectResponse(login, status_code=303)
        # a script that follows a redirect would take the login form for its response
        return Response(status_code=401, headers={"hx-redirect": login})

    def _begins(self, request: Request, token: str) -> bool:
        try:
            return self._access.begin(request, token)
        except HTTPException:  # a middleware has no exception handler; the form shows the wait
            return False


def host_of(scope: Scope) -> str:
    """Return the host name of a request in lower case, without its port; empty if missing."""
    host = Headers(scope=scope).get("host", "").lower()
    name, colon, port = host.rpartition(":")
    return name if colon and (port.isdigit() or not port) else host


def is_same(text: str, token: str) -> bool:
    """Compare a text with a token in constant time."""
    # as bytes: `compare_digest` accepts only ASCII strings
    equal: bool = hmac.compare_digest(text.encode("utf-8", "replace"), token.encode())
    return equal


def sign_in(request: Request) -> None:
    """Start a new session; the data of an earlier one is cleared."""
    # a new form key as well: one from before the login may be known to another site
    request.session.clear()
    request.session[SIGNED_IN] = True
    request.session[FORM_KEY] = secrets.token_urlsafe(24)


def form_key(request: Request) -> str:
    """Return the CSRF key of this session's forms."""
    if not isinstance(request.session.get(FORM_KEY), str):
        request.session[FORM_KEY] = secrets.token_urlsafe(24)
    return str(request.session[FORM_KEY])


def is_own_form(request: Request, key: str) -> bool:
    """Return whether a page of this session, and not another site, sent a form."""
    own: Any = request.session.get(FORM_KEY)
    return isinstance(own, str) and is_same(key, own) and _is_own_site(request.headers)


def _is_own_site(headers: Headers) -> bool:
    """Return whether the request's headers name this origin, or no origin."""
    if (site := headers.get("sec-fetch-site")) is not None:
        return site in _OWN_SITES
    origin = headers.get("origin")  # browsers send Sec-Fetch-Site only over https
    return origin is None or urlsplit(origin).netloc == headers.get("host")


def local_path(target: str, *, root: str) -> str:
    """
    Return the path to open after the login; the heatmap unless *target* is a view of this site.

    >>> local_path("/trends?agent=ops", root=""), local_path("//evil.example", root="")
    ('/trends?agent=ops', '/')
    """
    parts, home = urlsplit(target.replace("\\", "/")), root + "/"  # browsers read \ as /
    is_local = not parts.scheme and not parts.netloc and parts.path.startswith(home)
    if not is_local or target.startswith("//") or not target.isprintable():
        return home
    return target


async def read_form(request: Request) -> dict[str, str]:
    """
    Return the fields of a form; of a repeated field, the last value.

    Raises:
        HTTPException: The form is too long or has too many fields.
    """
    body = b""
    async for chunk in request.stream():
        body += chunk
        # while reading, because a sender may omit or falsify the content-length
        if len(body) > _LONGEST_FORM:
            raise HTTPException(413, "this form is too long")
    try:
        return dict(parse_qsl(body.decode("utf-8", "replace"), max_num_fields=_MOST_FIELDS))
    except ValueError:
        raise HTTPException(413, "this form has too many fields") from None


def _is_open(scope: Scope) -> bool:
    path: str = scope["path"].removeprefix(scope.get("root_path", ""))
    return path == "/login" or path.startswith(_OPEN_PATHS)


def _is_page(request: Request) -> bool:
    """Return whether a browser shows the response as a page, rather than a script reading it."""
    if "hx-request" in request.headers:
        return False
    return request.headers.get("sec-fetch-mode", "navigate") == "navigate"


def _view_of(request: Request) -> str:
    """Return the path and the query of an address, without a token."""
    url = request.url.remove_query_params("token")
    return url.path + (f"?{url.query}" if url.query else "")
