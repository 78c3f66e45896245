"""Rendering of pages and error pages from templates."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlencode

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from abs_shield.dashboard.access_control import HEADERS, form_key
from abs_shield.dashboard.finding_texts import time_of
from abs_shield.dashboard.heatmap_cells import row_title
from abs_shield.dashboard.view_filters import Filters
from abs_shield.report import percent
from abs_shield.text.safe_display import encodable, escaped

# no dot in front: browsers remove the segments `.` and `..` from a path
_PLAIN_ID = re.compile(r"[A-Za-z0-9_~-][A-Za-z0-9_~.-]*")
LONGEST_NAME = 120
"""Maximum length of a name on a page, in characters: one line of a wide screen."""
LONGEST_TEXT = 1_000
"""Maximum length of a sentence on a page, in characters: a reason may quote a document."""


class Renderer:
    """
    Renders pages.

    Args:
        title: The title of each page.
        has_token: Whether visitors log in, and so may log out.
    """

    def __init__(self, *, title: str, has_token: bool) -> None:
        self._has_token = has_token
        self._templates = Environment(
            loader=PackageLoader("abs_shield.dashboard"),
            # names, arguments and reasons may be a model's text
            autoescape=True,
            undefined=StrictUndefined,  # a misspelt name must fail, not render as nothing
            trim_blocks=True,
            lstrip_blocks=True,
        )
        self._templates.globals |= {
            "site": title,
            "decision_path": decision_path,
            "everything": Filters(),
        }
        self._templates.filters |= {
            "percent": percent,
            "time": time_of,
            "row_title": row_title,
            "words": words,
            "name": name,
            "text": text,
            "breakable": breakable,
            "count": count,
            "iso": iso,
        }

    def render(
        self, request: Request, template: str, *, status: int = 200, **shown: Any
    ) -> HTMLResponse:
        """Render a template."""
        page = self._templates.get_template(template).render(
            base=request.scope.get("root_path", ""),
            here=request.url.path,
            has_token=self._has_token,
            key=form_key(request),
            **shown,
        )
        return HTMLResponse(encodable(page), status_code=status)  # a lone surrogate cannot be sent

    def problem(self, request: Request, status: int, message: str) -> HTMLResponse:
        """Render an error page with one line of text."""
        line = text(message)
        return self.render(request, "problem.html", status=status, code=status, message=line)

    # Exception handlers --------------------------------------------------------------------------

    async def http_error(self, request: Request, error: Exception) -> Response:
        """Render the page for a missing address or a rejected request."""
        status, detail = getattr(error, "status_code", 500), getattr(error, "detail", "")
        messages = {404: "page not found", 405: "method not allowed on this page"}
        page = self.problem(request, status, messages.get(status, detail))
        page.headers.update(getattr(error, "headers", None) or {})
        return page

    async def bad_filter(self, request: Request, error: Exception) -> Response:
        """Render the page about an invalid parameter."""
        return self.problem(request, 400, str(error))

    async def unreadable(self, request: Request, error: Exception) -> Response:
        """Render the page about a log that cannot be read or written."""
        return self.problem(request, 503, str(error))

    async def failed(self, request: Request, error: Exception) -> Response:
        """Render the page about an internal error of the dashboard, which the server logs."""
        page = self.problem(
            request, 500, "the dashboard failed to show this page; the server's log has the error"
        )
        page.headers.update(HEADERS)  # this response does not pass through the middleware
        return page


def decision_path(decision_id: str, query: str = "", *, action: str = "") -> str:
    """
    Return the path of a decision, or of an action on it, relative to the dashboard.

    Browsers and proxies rewrite paths with slashes, dots or escapes, so an id with other than
    plain characters is a query parameter.

    Args:
        decision_id: The id.
        query: The query of the filters; empty without any.
        action: ``label``, or empty for the view.

    >>> decision_path("d-1", "agent=ops", action="label"), decision_path("a/../b", "agent=ops")
    ('/decisions/d-1/label?agent=ops', '/decision?id=a%2F..%2Fb&agent=ops')
    """
    if _PLAIN_ID.fullmatch(decision_id):
        path = f"/decisions/{decision_id}" + (f"/{action}" if action else "")
        return f"{path}?{query}" if query else path
    id_query = urlencode({"id": decision_id}, errors="backslashreplace")
    path = f"/decision/{action}" if action else "/decision"
    return f"{path}?{id_query}&{query}" if query else f"{path}?{id_query}"


def words(identifier: str) -> str:
    """Return a check's name as words."""
    return name(identifier.replace("_", " "))


def name(value: object) -> str:
    r"""
    Return a name, which may be a model's text, on one line, truncated and escaped.

    >>> name("refund\u202e")
    'refund\\u202e'
    """
    return escaped(str(value), limit=LONGEST_NAME)


def breakable(value: object) -> Markup:
    """Return a name as HTML that may wrap after each underscore."""
    return Markup("_<wbr>").join(name(value).split("_"))


def text(value: object) -> str:
    """Return a sentence on one line, truncated and escaped."""
    return escaped(str(value), limit=LONGEST_TEXT)


def count(number: int) -> str:
    """Return a number with thousands separators."""
    return f"{number:,}"


def iso(at: float) -> str:
    """Return a time for the HTML attribute ``datetime``; empty if it is out of range."""
    try:
        return datetime.fromtimestamp(at, UTC).isoformat(timespec="seconds")
    except (OverflowError, OSError, ValueError):
        return ""
