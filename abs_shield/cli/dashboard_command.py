"""`abs-shield dashboard`: serve the risk heatmap of a decision log as a live page."""

from __future__ import annotations

import os
import socket
import sys
import webbrowser
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Timer
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import Progress

from abs_shield.cli.flywheel.book_option import require_book
from abs_shield.cli.shared_options import Database, open_log
from abs_shield.cli.usage_errors import BadInput
from abs_shield.errors import StoreError
from abs_shield.flywheel.status import status
from abs_shield.stores.durable_store import DurableStore
from abs_shield.stores.sqlite_store import SqliteStore

app = typer.Typer(add_completion=False, rich_markup_mode=None)
TOKEN = "ABS_SHIELD_DASHBOARD_TOKEN"
"""The environment variable with the token; an option would be visible to all users."""
_LOOPBACK = ("127.0.0.1", "localhost", "::1")
_OPEN_BROWSER_AFTER_S = 0.7  # the server listens by then; earlier, the browser shows an error
_SHUTDOWN_S = 2  # open pages hold a stream that never ends by itself


@app.command(epilog="Example: abs-shield dashboard decisions.db --port 8321")
def dashboard(
    db: Database = None,
    demo: Annotated[
        bool, typer.Option("--demo", help="Show recorded example runs instead of a log.")
    ] = False,
    host: Annotated[
        str, typer.Option(metavar="HOST", help="Where to listen; another host needs a token.")
    ] = "127.0.0.1",
    port: Annotated[
        int, typer.Option(metavar="PORT", min=0, max=65_535, help="The port; 0 selects a free one.")
    ] = 8321,
    show_values: Annotated[
        bool,
        typer.Option("--show-values", help="Show argument values, which are masked by default."),
    ] = False,
    trace_url: Annotated[
        str,
        typer.Option(
            metavar="URL", help="URL of a session in your tracing tool, with {session_id}."
        ),
    ] = "",
    flywheel: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="The flywheel's file: show its gaps next to the trends."),
    ] = None,
    open_page: Annotated[
        bool, typer.Option("--open/--no-open", help="Open the page in the browser.")
    ] = True,
) -> None:
    """
    Serve the risk heatmap of a decision log, live, until you press Ctrl-C.

    The log is read-only except for labels. Visitors need the token in ABS_SHIELD_DASHBOARD_TOKEN;
    without a token, only this machine is served.
    """
    token = os.environ.get(TOKEN, "")
    # the page shows decisions and takes labels: never for others without a token
    if host not in _LOOPBACK and not token:
        raise BadInput(f"`--host {host}` can be reached by others; set {TOKEN} to a secret token")
    if demo and db is not None:
        raise BadInput("give a log or `--demo`, not both")
    book = "" if flywheel is None else _require_flywheel_file(flywheel)
    build_dashboard = _import_dashboard()  # before the port is bound and the log opened
    with _listen(host, port) as listening, _demo_log() if demo else open_log(db) as store:
        _count_older(store)
        site = build_dashboard(
            store, token=token, show_values=show_values, trace_url=trace_url, flywheel=book
        )
        address = _address(host, listening)
        print(
            f"abs-shield: {store.name} at {address} (Ctrl-C ends it)", file=sys.stderr, flush=True
        )
        if open_page and sys.stdout.isatty():
            opening = Timer(_OPEN_BROWSER_AFTER_S, webbrowser.open, [address])
            opening.daemon = True
            opening.start()
        _serve(site, listening)


def _require_flywheel_file(flywheel: str) -> str:
    """Return the path of a flywheel's file; raise if it cannot be read."""
    book = require_book(flywheel, option="--flywheel")
    try:
        status(book)
    except StoreError as error:
        raise BadInput(f"`--flywheel`: {error}; give a file of `abs-shield flywheel`") from None
    return book


def _import_dashboard() -> Any:
    try:
        import uvicorn  # noqa: F401  to report early that it is missing

        from abs_shield.dashboard import dashboard as make
    except ModuleNotFoundError:
        raise BadInput(
            "the dashboard needs Starlette, Jinja2 and uvicorn;"
            " run `pip install 'abs-shield[dashboard]'`"
        ) from None
    return make


@contextmanager
def _listen(host: str, port: int) -> Iterator[socket.socket]:
    """Bind the port first, so that a port in use is reported before any work."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listening = socket.socket(family)
    try:
        # or a restart fails for a minute, while old connections end
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listening.bind((host, port))
        except OSError as error:
            why = error.strerror or error
            raise BadInput(
                f"cannot listen at {host}:{port}: {why}; choose another `--port`"
            ) from None
        yield listening
    finally:
        listening.close()


def _address(host: str, listening: socket.socket) -> str:
    port = listening.getsockname()[1]
    return f"http://[{host}]:{port}/" if ":" in host else f"http://{host}:{port}/"


@contextmanager
def _demo_log() -> Iterator[DurableStore]:
    from abs_shield.dashboard.demo_log import fill

    with TemporaryDirectory(prefix="abs-shield-demo-") as folder:
        store = SqliteStore(Path(folder) / "demo.db")
        try:
            fill(store)
            yield store
        finally:
            store.close()


def _count_older(store: DurableStore) -> None:
    """Count the decisions that an older version wrote, so that the page includes them."""
    if not (waiting := store.uncounted()):
        return
    console = Console(stderr=True)
    with Progress(console=console, disable=not console.is_terminal, transient=True) as progress:
        task = progress.add_task("counting decisions of an older version", total=waiting)
        for counted in store.count_uncounted():
            progress.advance(task, counted)


def _serve(site: Any, listening: socket.socket) -> None:
    import uvicorn

    config = uvicorn.Config(
        site, log_level="warning", timeout_graceful_shutdown=_SHUTDOWN_S, lifespan="on"
    )
    uvicorn.Server(config).run(sockets=[listening])
