"""HTTP headers of requests to a server behind a URL: the client's, and the configured ones."""

from __future__ import annotations

import os
import re
from collections.abc import Generator, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar

import httpx2
from fastmcp.server.dependencies import get_http_headers

from abs_shield.errors import ShieldError
from abs_shield.text.show import escaped

_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_FROM_ENVIRONMENT = "env:"
_TRANSPORT = ("content-type", "content-length", "host", "connection", "transfer-encoding")
_REPEATED = ("accept-encoding", "last-event-id")  # each connection negotiates its own
_REFUSED: ContextVar[list[int] | None] = ContextVar("abs_shield_mcp_refused", default=None)


@contextmanager
def refused_posts() -> Iterator[list[int]]:
    """
    Collect the statuses with which a server refuses what is sent from here, and nothing else.

    Other requests of the session go on meanwhile: its event stream, calls beside this one.
    """
    statuses: list[int] = []
    token = _REFUSED.set(statuses)
    try:
        yield statuses
    finally:
        _REFUSED.reset(token)


class ClientHeaders(httpx2.Auth):
    """
    Sets the headers of the client's own request, and the configured ones that it does not set.

    Read at every request, so that a token which the client renews is used from then on.
    """

    def __init__(self, configured: Mapping[str, str]) -> None:
        self._configured = {name.lower(): value for name, value in configured.items()}
        self.refused: int | None = None
        """The newest status that was an error."""

    def auth_flow(self, request: httpx2.Request) -> Generator[httpx2.Request, httpx2.Response]:
        """Set the headers."""
        for name, value in (self._configured | _of_client()).items():
            request.headers[name] = value
        response = yield request
        if response.is_error:
            self.refused = response.status_code
            statuses = _REFUSED.get()
            if statuses is not None and request.method == "POST":
                statuses.append(response.status_code)


def parse_headers(options: Iterable[str]) -> dict[str, str]:
    """
    Parse ``NAME=VALUE`` and ``NAME=env:VARIABLE``; no message contains a value.

    Raises:
        ShieldError: It has another form, or the variable is not set.
    """
    headers: dict[str, str] = {}
    for number, option in enumerate(options, 1):
        name, equals, value = option.partition("=")
        if not equals or not _NAME.fullmatch(name) or name.lower() in _TRANSPORT:
            hint = "write `NAME=VALUE` or `NAME=env:VARIABLE`"
            raise ShieldError(f"`--header` number {number} is not valid; {hint}")
        if value.startswith(_FROM_ENVIRONMENT):
            value = _variable(name, value.removeprefix(_FROM_ENVIRONMENT))
        if not value.isprintable() or not value.isascii():
            raise ShieldError(f"the value of `--header {name}` must be printable ASCII")
        headers[name.lower()] = value.strip()
    return headers


def _variable(name: str, variable: str) -> str:
    value = os.environ.get(variable)
    if not value:
        variable = escaped(variable, limit=60)
        raise ShieldError(f"`--header {name}`: the environment variable `{variable}` is not set")
    return value


def _of_client() -> dict[str, str]:
    """Headers of the client's request, without those of one connection."""
    headers = get_http_headers(include={"authorization"})
    return {
        name: value
        for name, value in headers.items()
        if not name.startswith("mcp-") and name not in _REPEATED
    }
