"""The dashboard as an ASGI application, standalone or mounted in another one, with its login."""

from __future__ import annotations

import secrets
from collections.abc import AsyncIterator, Awaitable, Callable, Collection
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from os import PathLike, fspath
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.sessions import SessionMiddleware
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles

from abs_shield.core.digest import digest
from abs_shield.dashboard.access_control import (
    COOKIE,
    LOOPBACK,
    SESSION_S,
    RequireHost,
    RequireSession,
    SecurityHeaders,
    SignIn,
    is_own_form,
    local_path,
    read_form,
)
from abs_shield.dashboard.live_updates import LiveUpdates
from abs_shield.dashboard.log_figures import LogFigures
from abs_shield.dashboard.page_rendering import Renderer
from abs_shield.dashboard.page_views import Views
from abs_shield.dashboard.view_filters import BadFilter
from abs_shield.errors import ShieldError, StoreError
from abs_shield.report import Readiness
from abs_shield.stores.durable_store import DurableStore
from abs_shield.stores.store_address import open_store


@dataclass(frozen=True, kw_only=True)
class Login:
    """
    Endpoints of login and logout.

    Attributes:
        renderer: Renders the pages.
        access: Verifies the token.
    """

    renderer: Renderer
    access: SignIn

    async def login(self, request: Request) -> Response:
        """Return the login form; a right token starts a session."""
        root = request.scope.get("root_path", "")
        target = local_path(request.query_params.get("next", ""), root=root)
        if not self.access.token:
            return RedirectResponse(root + "/", status_code=303)
        wrong = False
        if request.method == "POST":
            form = await read_form(request)
            if self.access.begin(request, form.get("token", "")):
                return RedirectResponse(target, status_code=303)
            wrong = True
        return self.renderer.render(
            request, "login.html", status=403 if wrong else 200, wrong=wrong, target=target
        )

    async def logout(self, request: Request) -> Response:
        """End the session."""
        form = await read_form(request)
        # another site must not be able to end a session
        if is_own_form(request, form.get("key", "")):
            request.session.clear()
        return RedirectResponse(request.scope.get("root_path", "") + "/login", status_code=303)


_STATIC = Path(__file__).parent / "static"


def dashboard(
    log: str | DurableStore | None = None,
    *,
    token: str = "",
    secret: str = "",
    show_values: bool = False,
    trace_url: str = "",
    flywheel: str | PathLike[str] = "",
    rule: Readiness | None = None,
    title: str = "abs_shield",
    allowed_hosts: Collection[str] = (),
    https_only: bool = False,
) -> Starlette:
    """
    Return the dashboard of a decision log as an ASGI application.

    Args:
        log: A SQLite file, a ``postgresql://`` address, or an open store; by default the default
            log. The dashboard writes only labels to it.
        token: The token for the login; empty if something else protects the pages.
        secret: Signs the session cookies; random by default, so that a restart ends sessions.
        show_values: Whether values of arguments and results are shown; otherwise they are masked.
        trace_url: The address of a trace, with ``{session_id}`` or ``{run_id}`` in it.
        flywheel: The file of ``abs-shield flywheel``, whose gaps are shown with the trends; empty
            for none.
        rule: When a check is safe to enforce; by default as in ``abs-shield report``.
        title: The title of each page.
        allowed_hosts: Host names, without a port, that are allowed without a token in addition to
            127.0.0.1, localhost and [::1]; ``"*"`` allows any. With a token any is allowed.
        https_only: Whether the session cookie is sent over https only.

    Raises:
        ShieldError: *trace_url* is not an http address, *token* is not printable, or
            *allowed_hosts* is a string.
        StoreError: The log cannot be opened.
    """
    _require_valid(token=token, trace_url=trace_url, allowed_hosts=allowed_hosts)
    store = log if isinstance(log, DurableStore) else open_store(log, existing=True)
    renderer, access = Renderer(title=title, has_token=bool(token)), SignIn(token)
    views = Views(
        figures=LogFigures(store), renderer=renderer, rule=rule or Readiness(),
        show_values=show_values, trace_url=trace_url, flywheel=fspath(flywheel),
    )  # fmt: skip
    app = Starlette(
        routes=_routes(views, LiveUpdates(store), Login(renderer=renderer, access=access)),
        middleware=[
            Middleware(SecurityHeaders),
            Middleware(RequireHost, hosts=["*"] if token else _hosts(allowed_hosts)),
            _sessions(store, token=token, secret=secret, https_only=https_only),
            Middleware(RequireSession, access=access),
        ],
        exception_handlers=_error_pages(renderer),
        # a store that the host opened is the host's to close
        lifespan=None if store is log else partial(_close_at_shutdown, store),
    )
    app.state.store = store
    return app


@asynccontextmanager
async def _close_at_shutdown(store: DurableStore, app: Starlette) -> AsyncIterator[None]:
    yield
    store.close()


def _sessions(store: DurableStore, *, token: str, secret: str, https_only: bool) -> Middleware:
    """Return the middleware that signs the session cookies."""
    return Middleware(
        SessionMiddleware,
        # includes the token, so that a new token ends existing sessions
        secret_key=(secret or secrets.token_urlsafe(32)) + token,
        session_cookie=_cookie(store),
        max_age=SESSION_S,
        # lax, so that links from a chat open the view; forms have a CSRF key as well
        same_site="lax",
        https_only=https_only,
    )


def _error_pages(
    renderer: Renderer,
) -> dict[Any, Callable[[Request, Exception], Awaitable[Response]]]:
    """Return the handler that renders the page of each kind of error."""
    return {
        HTTPException: renderer.http_error,
        BadFilter: renderer.bad_filter,
        StoreError: renderer.unreadable,
        Exception: renderer.failed,
    }


def _require_valid(*, token: str, trace_url: str, allowed_hosts: Collection[str]) -> None:
    """Raise ShieldError if an option cannot work."""
    if trace_url and not trace_url.startswith(("https://", "http://")):
        raise ShieldError("`trace_url` must begin with https:// or http://")
    if not token.isprintable() or token.strip() != token:
        raise ShieldError("`token` must be printable, without spaces around it")
    # a string is a collection, too: each of its letters would be a host
    if isinstance(allowed_hosts, str):
        raise ShieldError(f"`allowed_hosts` must be a list; use [{allowed_hosts!r}]")


def _routes(views: Views, live: LiveUpdates, login: Login) -> list[BaseRoute]:
    return [
        Route("/", views.heatmap, name="heatmap"),
        Route("/cell", views.cell, name="cell"),
        Route("/decisions/{decision_id}", views.decision, name="decision"),
        Route("/decisions/{decision_id}/label", views.label, methods=["POST"], name="label"),
        # ids that are no safe path; see `decision_path`
        Route("/decision", views.decision, name="odd_decision"),
        Route("/decision/label", views.label, methods=["POST"], name="odd_label"),
        Route("/rollout", views.rollout, name="rollout"),
        Route("/trends", views.trends, name="trends"),
        Route("/trends.json", views.trends_data, name="trends_data"),
        Route("/events", live.events, name="events"),
        Route("/login", login.login, methods=["GET", "POST"], name="login"),
        Route("/logout", login.logout, methods=["POST"], name="logout"),
        Mount("/static", StaticFiles(directory=_STATIC), name="static"),
    ]


def _hosts(allowed: Collection[str]) -> list[str]:
    return [*LOOPBACK, *(host.lower() for host in allowed)]


def _cookie(store: DurableStore) -> str:
    """Return a cookie name per log, because browsers share cookies between ports of a host."""
    return f"{COOKIE}_{digest(store.name, size=4).hex()}"
