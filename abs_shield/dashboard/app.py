"""The dashboard as an ASGI application: served by itself, or mounted in another one."""

from __future__ import annotations

import secrets
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from jinja2 import Environment, PackageLoader, StrictUndefined
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.sessions import SessionMiddleware
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from abs_shield.dashboard.access import COOKIE, SESSION_S, RequireSession, SecurityHeaders
from abs_shield.dashboard.cells import row_title
from abs_shield.dashboard.details import time_of
from abs_shield.dashboard.figures import Figures
from abs_shield.dashboard.filters import BadFilter
from abs_shield.dashboard.live import Live
from abs_shield.dashboard.views import Views
from abs_shield.errors import ShieldError, StoreError
from abs_shield.replay.report import Readiness, percent
from abs_shield.stores.durable import DurableStore
from abs_shield.stores.places import open_store

_STATIC = Path(__file__).parent / "static"


def dashboard(
    log: str | DurableStore | None = None,
    *,
    token: str = "",
    secret: str = "",
    show_values: bool = False,
    trace_url: str = "",
    rule: Readiness | None = None,
    title: str = "abs_shield",
) -> Starlette:
    """
    Return the dashboard of a decision log as an application for Starlette, FastAPI or a server.

    Args:
        log: A SQLite file, a ``postgresql://`` address, or an open store; the usual log by default.
            It is only read, but for labels.
        token: Who gives it once may see the pages; empty where somebody else guards them.
        secret: Signs the session cookies; by default it is made anew, and a restart ends sessions.
        show_values: Whether values of arguments and results are shown; else each is masked.
        trace_url: Where a trace is shown, with ``{trace_id}`` or ``{session_id}`` in it.
        rule: When a check is safe to enforce; as in ``abs-shield report`` by default.
        title: Stands at the head of each page.

    Raises:
        ShieldError: *trace_url* is not an http address.
        StoreError: The log cannot be opened.
    """
    if trace_url and not trace_url.startswith(("https://", "http://")):
        raise ShieldError("`trace_url` begins with https:// or http://")
    store = log if isinstance(log, DurableStore) else open_store(log, existing=True)
    live = Live(store)
    views = Views(
        figures=Figures(store),
        templates=_templates(title),
        rule=rule or Readiness(),
        show_values=show_values,
        token=token,
        trace_url=trace_url,
    )

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        yield
        if store is not log:
            store.close()

    app = Starlette(
        routes=[
            Route("/", views.heatmap, name="heatmap"),
            Route("/cell", views.cell, name="cell"),
            Route("/decisions/{decision_id}", views.decision, name="decision"),
            Route("/decisions/{decision_id}/label", views.label, methods=["POST"], name="label"),
            Route("/rollout", views.rollout, name="rollout"),
            Route("/trends", views.trends, name="trends"),
            Route("/trends.json", views.trends_data, name="trends_data"),
            Route("/events", live.events, name="events"),
            Route("/login", views.login, methods=["GET", "POST"], name="login"),
            Route("/logout", views.logout, methods=["POST"], name="logout"),
            Mount("/static", StaticFiles(directory=_STATIC), name="static"),
        ],
        middleware=[
            Middleware(SecurityHeaders),
            Middleware(
                SessionMiddleware,
                secret_key=secret or secrets.token_urlsafe(32),
                session_cookie=COOKIE,
                max_age=SESSION_S,
                same_site="strict",
            ),
            Middleware(RequireSession, token=token),
        ],
        exception_handlers={
            404: views.not_found,
            BadFilter: views.bad_filter,
            StoreError: views.unreadable,
            Exception: views.failed,
        },
        lifespan=lifespan,
    )
    app.state.store = store
    return app


def _templates(title: str) -> Environment:
    templates = Environment(
        loader=PackageLoader("abs_shield.dashboard"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    templates.globals["site"] = title
    templates.filters["percent"] = percent
    templates.filters["time"] = time_of
    templates.filters["row_title"] = row_title
    return templates
