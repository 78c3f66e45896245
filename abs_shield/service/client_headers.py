"""HTTP headers of requests to an upstream URL: the client's own, and configured ones."""

from __future__ import annotations

import os
import re
from collections.abc import Generator, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar

import httpx2
from fastmcp.server.dependencies import get_http_headers

from abs_shield.errors import ShieldError
from abs_shield.text.safe_display import escaped

_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_FROM_ENVIRONMENT = "env:"
# set by the HTTP client itself: another value would break or redirect the request
_TRANSPORT_HEADERS = ("content-type", "content-length", "host", "connection", "transfer-encoding")
_CONNECTION_HEADERS = ("accept-encoding", "last-event-id")  # each connection negotiates its own
# a context variable, because concurrent requests share one HTTP client
_ERROR_STATUSES: ContextVar[list[int] | None] = ContextVar("abs_shield_mcp_refused", default=None)


@contextmanager
def collect_post_errors() -> Iterator[list[int]]:
    """
    Collect the error statuses of POST requests sent from this context.

    Concurrent requests of the session are not included: its event stream, other calls.
    """
    statuses: list[int] = []
    token = _ERROR_STATUSES.set(statuses)
    try:
        yield statuses
    finally:
        _ERROR_STATUSES.reset(token)


class ClientHeaders(httpx2.Auth):
    """
    Sets the headers of the client's own request, and configured ones that it does not set.

    They are read for each request, so a renewed token of the client takes effect immediately.
    """

    def __init__(self, configured: Mapping[str, str]) -> None:
        self._configured = {name.lower(): value for name, value in configured.items()}
        self.last_error_status: int | None = None
        """The newest status that was an error."""

    def auth_flow(self, request: httpx2.Request) -> Generator[httpx2.Request, httpx2.Response]:
        """Set the headers of a request."""
        # the client's own headers win: its token says who calls
        for name, value in (self._configured | _client_request_headers()).items():
            request.headers[name] = value
        response = yield request
        if response.is_error:
            self.last_error_status = response.status_code
            statuses = _ERROR_STATUSES.get()
            if statuses is not None and request.method == "POST":
                statuses.append(response.status_code)


def parse_headers(options: Iterable[str]) -> dict[str, str]:
    """
    Parse ``NAME=VALUE`` and ``NAME=env:VARIABLE``; error messages contain no value.

    Raises:
        ShieldError: An option has another form, or its variable is not set.
    """
    headers: dict[str, str] = {}
    for number, option in enumerate(options, 1):
        name, equals, value = option.partition("=")
        if not equals or not _NAME.fullmatch(name) or name.lower() in _TRANSPORT_HEADERS:
            hint = "write `NAME=VALUE` or `NAME=env:VARIABLE`"
            # by number, because a mistyped option may contain a secret anywhere
            raise ShieldError(f"`--header` number {number} is not valid; {hint}")
        if value.startswith(_FROM_ENVIRONMENT):
            value = _environment_value(name, value.removeprefix(_FROM_ENVIRONMENT))
        # a line break in a value would add a header of its own
        if not value.isprintable() or not value.isascii():
            raise ShieldError(f"the value of `--header {name}` must be printable ASCII")
        headers[name.lower()] = value.strip()
    return headers


def _environment_value(name: str, variable: str) -> str:
    value = os.environ.get(variable)
    if not value:
        variable = escaped(variable, limit=60)
        raise ShieldError(f"`--header {name}`: the environment variable `{variable}` is not set")
    return value


def _client_request_headers() -> dict[str, str]:
    """Return the headers of the client's request, without those of its connection."""
    headers = get_http_headers(include={"authorization"})
    return {
        name: value
        for name, value in headers.items()
        if not name.startswith("mcp-") and name not in _CONNECTION_HEADERS
    }
