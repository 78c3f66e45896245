"""axe-core finds no serious fault on any view, and every text has the contrast of WCAG AA."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from typing import Any

import pytest

from abs_shield.dashboard import dashboard
from abs_shield.stores.sqlite_store import SqliteStore
from tests.dashboard.company import fill
from tests.dashboard.serving import serve
from tests.dashboard.visiting import Tabs

pytestmark = pytest.mark.slow

AXE = "axe-core@4"
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
RUN = """(rules) => axe.run(document, {runOnly: rules}).then(({violations}) => violations.map(
  ({id, impact, nodes}) => [impact, id, nodes.slice(0, 3).map((node) => node.html.slice(0, 150))]
))"""
VIEWS = {
    "heatmap": "/", "compared": "/?since=2026-11-10&until=2026-11-17&compare=1",
    "no_match": "/?session=none", "cell": "/cell?row=refund_payment&check=phantom_target",
    "failed": "/cell?row=charge_card&check=impossible_state", "decision": "/decisions/{id}",
    "to_label": "/cell?row=&check=impossible_state&show=unlabelled",
    "rollout": "/rollout", "trends": "/trends", "problem": "/?range=x",
}  # fmt: skip
EMPTY = {"heatmap": "/", "cell": "/cell", "rollout": "/rollout", "trends": "/trends"}


@pytest.fixture(scope="module")
def axe(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The script of axe-core, from npm."""
    npm = shutil.which("npm")
    if npm is None:
        pytest.skip("install npm to check the accessibility of the pages")
    folder = tmp_path_factory.mktemp("axe")
    command = [npm, "install", "--no-save", "--no-audit", "--no-fund", "--ignore-scripts", AXE]
    done = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, timeout=120, env={**os.environ}
    )
    if done.returncode:
        pytest.skip(f"npm cannot install {AXE}: {done.stderr.strip().splitlines()[-1:]}")
    return (folder / "node_modules" / "axe-core" / "axe.min.js").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def company(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, str]]:
    """The address of a log of two weeks, and the id of a decision with a finding."""
    log = SqliteStore(tmp_path_factory.mktemp("company") / "decisions.db")
    count = fill(log, scale=0.3)
    with serve(dashboard(log)) as address:
        yield address, next(one.id for one in count if one.findings and one.tool)
    log.close()


def grave(page: Any, axe: str) -> list[Any]:
    """Return what axe-core finds that is serious or critical."""
    page.evaluate(axe)
    return [one for one in page.evaluate(RUN, RULES) if one[0] in ("serious", "critical")]


@pytest.mark.parametrize(
    ("scheme", "width"),
    [
        ("light", 1440),
        pytest.param("dark", 360, marks=pytest.mark.release),
        pytest.param("light", 360, marks=pytest.mark.release),
        pytest.param("dark", 1440, marks=pytest.mark.release),
    ],
)
@pytest.mark.parametrize("view", VIEWS)
def test_no_view_has_a_serious_fault(
    view: str, scheme: str, width: int, axe: str, company: tuple[str, str],
    browser: Any,
) -> None:  # fmt: skip
    """With data, in both colours, on a small and a large screen."""
    address, results = company
    options = {"color_scheme": scheme, "viewport": {"width": width, "height": 900}}
    visitor = Tabs(browser, bypass_csp=True, **options)
    page = visitor.open(address + VIEWS[view].format(id=results))
    page.wait_for_load_state("load")
    page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    faults = grave(page, axe)
    visitor.context.close()

    assert [] == faults


@pytest.mark.release
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("view", [*EMPTY, "login"])
def test_no_empty_view_has_a_serious_fault(
    view: str, scheme: str, axe: str, store: SqliteStore, browser: Any
) -> None:
    """An empty log, and the sign-in after a wrong token."""
    visitor = Tabs(browser, bypass_csp=True, color_scheme=scheme)
    with serve(dashboard(store, token="t" if view == "login" else "")) as address:
        page = visitor.open(address + EMPTY.get(view, "/"))
        if view == "login":
            page.get_by_label("Token").fill("wrong")
            page.keyboard.press("Enter")
            page.locator("[role=alert]", has_text="not the token").wait_for()
        faults = grave(page, axe)
    visitor.context.close()

    assert [] == faults


def test_axe_would_notice_a_fault(axe: str, store: SqliteStore, browser: Any) -> None:
    """A button without a name and pale text are found."""
    visitor = Tabs(browser, bypass_csp=True)
    with serve(dashboard(store)) as address:
        page = visitor.open(address)
        page.evaluate(
            "const one = document.querySelector('.empty p'); one.style.color = '#eee';"
            "one.appendChild(document.createElement('button'))"
        )
        faults = {one[1] for one in grave(page, axe)}
    visitor.context.close()

    assert {"button-name", "color-contrast"} <= faults


PRINTED = """(() => {
  const all = (selector) => [...document.querySelectorAll(selector)];
  const controls = all("form, button, nav").filter((one) => one.checkVisibility());
  const cut = all(".scroll").filter((one) => one.scrollHeight > one.clientHeight + 2);
  return [controls.length, cut.length];
})()"""


def test_a_printed_page_has_no_controls(company: tuple[str, str], browser: Any) -> None:
    """A printed page has no form and no button, and nothing is cut off."""
    address, _ = company
    visitor = Tabs(browser, viewport={"width": 1_100, "height": 800})
    page = visitor.open(address)
    page.emulate_media(media="print")
    hidden, cut = page.evaluate(PRINTED)
    visitor.context.close()

    assert (0, 0) == (hidden, cut)
