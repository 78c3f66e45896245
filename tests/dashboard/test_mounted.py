"""The dashboard inside another application, and behind a reverse proxy."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest
from starlette.applications import Starlette
from starlette.routing import Mount
from starlette.types import ASGIApp

from abs_shield.core.label import Truth
from abs_shield.dashboard import dashboard
from abs_shield.stores.sqlite_store import SqliteStore
from tests.dashboard.decision_samples import decision, finding
from tests.dashboard.serving import serve
from tests.dashboard.visiting import Client

PREFIX = "/ops/shield"
VIEWS = ["/", "/cell?row=refund&check=phantom_target", "/rollout", "/trends", "/decisions/d-1"]
LINK = re.compile(r'\s(?:href|src|action|hx-post)="([^"]*)"')


def mounted_client(app: ASGIApp) -> Client:
    """Return a client of an application that mounts the dashboard under a prefix."""
    whole = Starlette(routes=[Mount(PREFIX, app)])
    return Client(whole, base_url="http://127.0.0.1", follow_redirects=False)


def proxied_client(app: ASGIApp) -> Client:
    """Return a client of a server behind a proxy that removes the prefix."""
    return Client(app, base_url="http://127.0.0.1", root_path=PREFIX, follow_redirects=False)


@pytest.mark.parametrize("way", [mounted_client, proxied_client])
@pytest.mark.parametrize("view", VIEWS)
def test_each_link_stays_below_the_prefix(
    way: Callable[[ASGIApp], Client], view: str, store: SqliteStore, keep: Callable[..., None]
) -> None:
    """Links, forms and files of each view are below the prefix, and are there."""
    keep(decision(finding(), id="d-1"), decision(id="d-2"))
    client = way(dashboard(store))
    links = LINK.findall(client.get(PREFIX + view).text)
    local = {link for link in links if not link.startswith(("?", "#"))}
    pages = [link for link in local if not link.endswith("/label")]

    assert [] == [link for link in local if not link.startswith(f"{PREFIX}/")]
    assert {200} == {client.get(page.replace("&amp;", "&")).status_code for page in pages}


@pytest.mark.parametrize("way", [mounted_client, proxied_client])
def test_forms_work_below_the_prefix(
    way: Callable[[ASGIApp], Client], store: SqliteStore, keep: Callable[..., None]
) -> None:
    """Signing in, labelling and signing out work below the prefix."""
    keep(decision(finding(), id="d-1"))
    client = way(dashboard(store, token="t-42"))
    login = client.get(f"{PREFIX}/decisions/d-1").headers["location"]
    entered = client.post(login, data={"token": "t-42"}).headers["location"]
    key = re.findall(r'name="key" value="([^"]+)"', client.get(entered).text)[0]
    label = f"{PREFIX}/decisions/d-1/label"
    back = client.post(label, data={"key": key, "truth": "ok"}).headers["location"]
    left = client.post(f"{PREFIX}/logout", data={"key": key}).headers["location"]

    assert (f"{PREFIX}/decisions/d-1", f"{PREFIX}/decisions/d-1") == (entered, back)
    assert f"{PREFIX}/login" == left
    assert Truth.OK is store.labels()["d-1"].truth


def test_the_link_of_the_present_view_is_marked(store: SqliteStore) -> None:
    """Below a prefix, too."""
    text = mounted_client(dashboard(store)).get(f"{PREFIX}/trends").text

    assert f'href="{PREFIX}/trends" aria-current="page"' in text


def page_block(first: str) -> str:
    """The block of docs/dashboard.md that begins with a line."""
    page = Path(__file__).parents[2] / "docs" / "dashboard.md"
    blocks = re.findall(r"^```python\n(.*?)^```$", page.read_text(encoding="utf-8"), re.M | re.S)
    (result,) = (block for block in blocks if block.startswith(first))
    return str(result)


def test_fastapi_mounts_it_as_the_page_says(
    store: SqliteStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The block of docs/dashboard.md runs, and its application asks for the token."""
    pytest.importorskip("fastapi", reason="needs `pip install fastapi`")
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    exec(page_block("from fastapi"), names)
    client = Client(names["app"], base_url="http://ops.example", follow_redirects=False)
    login = client.get("/ops/shield/rollout").headers["location"]
    entered = client.post(login, data={"token": "a long secret"}).headers["location"]

    assert ("/ops/shield/rollout", 200) == (entered, client.get(entered).status_code)


@pytest.mark.slow
def test_uvicorn_serves_it_below_the_prefix_of_a_proxy(
    store: SqliteStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The other block runs; a proxy takes the prefix off, and the links have it."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ABS_SHIELD_DASHBOARD_TOKEN", "t-42")
    monkeypatch.setenv("ABS_SHIELD_DASHBOARD_SECRET", "s-42")
    names: dict[str, Any] = {}
    exec(page_block("# ops.py"), names)
    with serve(names["app"], root_path=PREFIX) as address:
        request = httpx.get(f"{address}/trends")
        answer = httpx.post(f"{address}/login?next={PREFIX}/trends", data={"token": "t-42"})

    assert f"{PREFIX}/login?next=%2Fops%2Fshield%2Ftrends" == request.headers["location"]
    assert (f"{PREFIX}/trends", True) == (
        answer.headers["location"], "secure" in answer.headers["set-cookie"],
    )  # fmt: skip
