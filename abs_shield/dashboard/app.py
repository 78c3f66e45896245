"""The dashboard as an ASGI application: served by itself, or mounted in another one."""

from __future__ import annotations

import secrets
from collections.abc import AsyncIterator, Collection
from contextlib import asynccontextmanager
from os import PathLike, fspath
from pathlib import Path

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.sessions import SessionMiddleware
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles

from abs_shield.core.digest import digest
from abs_shield.dashboard.access import (
    COOKIE,
    LOOPBACK,
    SESSION_S,
    RequireHost,
    RequireSession,
    SecurityHeaders,
    SignIn,
)
from abs_shield.dashboard.figures import LogFigures
from abs_shield.dashboard.filters import BadFilter
from abs_shield.dashboard.live import LiveUpdates
from abs_shield.dashboard.login import Login
from abs_shield.dashboard.rendering import Renderer
from abs_shield.dashboard.views import Views
from abs_shield.errors import ShieldError, StoreError
from abs_shield.replay.report import Readiness
from abs_shield.stores.durable import DurableStore
from abs_shield.stores.store_address import open_store

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
    Return the dashboard of a decision log as an application for Starlette, FastAPI or a server.

    Args:
        log: A SQLite file, a ``postgresql://`` address, or an open store; the usual log by default.
            It is only read, but for labels.
        token: Visitors sign in with it; empty where something else guards the pages.
        secret: Signs the session cookies; by default it is random, and a restart ends sessions.
        show_values: Whether values of arguments and results are shown; else each is masked.
        trace_url: Where a trace is shown, with ``{session_id}`` or ``{run_id}`` in it.
        flywheel: The file of ``abs-shield flywheel``, whose gaps are shown beside the trends; empty
            for none.
        rule: When a check is safe to enforce; as in ``abs-shield report`` by default.
        title: Stands at the head of each page.
        allowed_hosts: Host names, without a port, that are answered without a token beside
            127.0.0.1, localhost and [::1]; ``"*"`` allows any. With a token any is answered.
        https_only: Whether the session cookie is only sent over https.

    Raises:
        ShieldError: *trace_url* is not an http address, *token* cannot be typed, or *allowed_hosts*
            is a text.
        StoreError: The log cannot be opened.
    """
    _require_valid(token=token, trace_url=trace_url, allowed_hosts=allowed_hosts)
    store = log if isinstance(log, DurableStore) else open_store(log, existing=True)
    renderer, access = Renderer(title=title, has_token=bool(token)), SignIn(token)
    views = Views(
        figures=LogFigures(store),
        renderer=renderer,
        rule=rule or Readiness(),
        show_values=show_values,
        trace_url=trace_url,
        flywheel=fspath(flywheel),
    )

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        yield
        if store is not log:
            store.close()

    app = Starlette(
        routes=_routes(views, LiveUpdates(store), Login(renderer=renderer, access=access)),
        middleware=[
            Middleware(SecurityHeaders),
            Middleware(RequireHost, hosts=["*"] if token else _hosts(allowed_hosts)),
            Middleware(
                SessionMiddleware,
                # with another token, sessions of the one before end
                secret_key=(secret or secrets.token_urlsafe(32)) + token,
                session_cookie=_cookie(store),
                max_age=SESSION_S,
                # a link in a chat opens the view; forms have a key of their session beside
                same_site="lax",
                https_only=https_only,
            ),
            Middleware(RequireSession, access=access),
        ],
        exception_handlers={
            HTTPException: renderer.http_error,
            BadFilter: renderer.bad_filter,
            StoreError: renderer.unreadable,
            Exception: renderer.failed,
        },
        lifespan=lifespan,
    )
    app.state.store = store
    return app


def _require_valid(*, token: str, trace_url: str, allowed_hosts: Collection[str]) -> None:
    """Raise ShieldError if an option cannot work."""
    if trace_url and not trace_url.startswith(("https://", "http://")):
        raise ShieldError("`trace_url` must begin with https:// or http://")
    if not token.isprintable() or token.strip() != token:
        raise ShieldError("`token` must be printable, without blanks around it")
    if isinstance(allowed_hosts, str):
        raise ShieldError(f"`allowed_hosts` is a text; write [{allowed_hosts!r}]")


def _routes(views: Views, live: LiveUpdates, login: Login) -> list[BaseRoute]:
    return [
        Route("/", views.heatmap, name="heatmap"),
        Route("/cell", views.cell, name="cell"),
        Route("/decisions/{decision_id}", views.decision, name="decision"),
        Route("/decisions/{decision_id}/label", views.label, methods=["POST"], name="label"),
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
    """Return the name of the session cookie: browsers share cookies between ports of a host."""
    return f"{COOKIE}_{digest(store.name, size=4).hex()}"
