"""A log of 100,000 decisions in a real browser."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from abs_shield.dashboard import dashboard
from abs_shield.stores.sqlite_store import SqliteStore
from tests.dashboard.company import fill
from tests.dashboard.serving import serve
from tests.dashboard.visiting import Tabs

pytestmark = pytest.mark.slow

DECISIONS = 100_000


@pytest.mark.release
def test_a_hundred_thousand_decisions_are_browsed(
    store: SqliteStore, tabs: Callable[..., Tabs]
) -> None:
    """The heatmap has all of them; pages stay small, a filter and a cell are a click away."""
    count = len(fill(store, scale=7.0))
    visitor = tabs()
    with serve(dashboard(store)) as address:
        page = visitor.open(address)
        tiles = page.locator(".tiles dd").all_inner_texts()
        elements = [page.evaluate("document.querySelectorAll('*').length")]
        page.get_by_label("Agent").select_option("travel")
        page.wait_for_url("**agent=travel")
        page.locator(".heat tr", has_text="book_flight").locator("a").nth(1).click()
        page.locator(".decisions a").first.wait_for()
        rows = page.locator(".decisions tbody tr").count()
        page.get_by_role("link", name="Older decisions").click()
        page.wait_for_url("**before=**")
        elements.append(page.evaluate("document.querySelectorAll('*').length"))
        page.goto(f"{address}/trends")
        page.locator(".plot canvas").first.wait_for()
        elements.append(page.evaluate("document.querySelectorAll('*').length"))
    whole = int(tiles[0].replace(",", "")) + int(tiles[-1].replace(",", ""))

    assert (True, count, 50) == (count >= DECISIONS, whole, rows)
    assert max(elements) < 20_000
    assert [] == visitor.complaints
