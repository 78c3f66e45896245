"""A log, a client without a browser, and pages in a real one."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("starlette", reason="needs `pip install abs-shield[dashboard]`")
pytest.importorskip("jinja2", reason="needs `pip install abs-shield[dashboard]`")

from abs_shield.core import Decision
from abs_shield.dashboard import dashboard
from abs_shield.stores.sqlite_store import SqliteStore
from tests.dashboard.visiting import Client, Tabs, Visit

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqliteStore]:
    """An empty log."""
    log = SqliteStore(tmp_path / "decisions.db")
    yield log
    log.close()


@pytest.fixture
def keep(store: SqliteStore) -> Callable[..., None]:
    """Write decisions into the log."""

    def write(*decisions: Decision) -> None:
        for decision in decisions:
            store.append(decision)
        assert store.flush(30)

    return write


@pytest.fixture
def visit(store: SqliteStore) -> Visit:
    """Open the dashboard of the log with options, without a browser."""

    def client(**options: Any) -> Client:
        return Client(
            dashboard(store, **options),
            base_url="http://127.0.0.1",
            raise_server_exceptions=False,
            follow_redirects=False,
        )

    return client


# A real browser ----------------------------------------------------------------------------------


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """Debian's chromium, driven by playwright."""
    playwright = pytest.importorskip("playwright.sync_api", reason="needs `pip install playwright`")
    if CHROMIUM is None:
        pytest.skip("install chromium to see the pages in a real browser")
    with playwright.sync_playwright() as driver:
        launched = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield launched
        launched.close()


@pytest.fixture
def tabs(browser: Any) -> Iterator[Callable[..., Tabs]]:
    """Open a visitor's tabs, which end with the test."""
    opened: list[Tabs] = []

    def visitor(**options: Any) -> Tabs:
        opened.append(Tabs(browser, **options))
        return opened[-1]

    yield visitor
    for one in opened:
        one.context.close()
