"""The dashboard in a real browser: filters, drill-down, labels, live updates, colours, two tabs."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pytest

from abs_shield.core import Verdict
from abs_shield.core.label import Truth
from abs_shield.dashboard import dashboard
from abs_shield.stores.sqlite_store import SqliteStore
from tests.dashboard.decision_samples import AT, decision, finding
from tests.dashboard.serving import serve
from tests.dashboard.visiting import Tabs

pytestmark = pytest.mark.slow

Keep = Callable[..., None]
NewTabs = Callable[..., Tabs]
CELL = "/cell?row=refund&check=phantom_target"
LABELLED = "[data-labelled]"


def wait_for_text(page: Any, selector: str, text: str) -> None:
    """Wait until an element contains a text."""
    page.locator(selector, has_text=text).first.wait_for()


def test_an_empty_log_explains_what_to_do(store: SqliteStore, tabs: NewTabs) -> None:
    """Three commands, and the page fills once there is a decision, without a reload."""
    visitor = tabs()
    with serve(dashboard(store)) as address:
        page = visitor.open(address)
        commands = page.locator(".empty code").all_inner_texts()
        wait_for_text(page, "[data-live]", "live")
        store.append(decision(finding()))
        wait_for_text(page, ".heat", "refund")

    assert [True, False, True] == [text.startswith("abs-shield dashboard") for text in commands]
    assert [] == visitor.complaints


def test_the_address_reproduces_a_filter(store: SqliteStore, keep: Keep, tabs: NewTabs) -> None:
    """The address contains only the fields that were filled in, and a second tab shows the same."""
    keep(decision(finding(), agent="ops"), *(decision(agent="billing") for _ in range(3)))
    visitor = tabs()
    with serve(dashboard(store)) as address:
        page = visitor.open(address)
        page.get_by_label("Agent").select_option("ops")
        page.wait_for_url("**agent=ops")
        first = page.locator(".tiles").inner_text()
        other = visitor.open(page.url)
        second = other.locator(".tiles").inner_text()
        page.get_by_role("link", name="Clear").click()
        page.wait_for_url(f"{address}/")

    assert "/?agent=ops" == other.url.removeprefix(address)
    assert (True, True) == (first == second, "Calls\n1\n" in first)
    assert [] == visitor.complaints


def test_a_time_between_is_a_filter(store: SqliteStore, keep: Keep, tabs: NewTabs) -> None:
    """From and to are whole hours; a range chosen afterwards takes their place."""
    keep(decision(at=AT), decision(at=AT + 7_200))
    visitor = tabs()
    with serve(dashboard(store)) as address:
        page = visitor.open(address)
        page.get_by_text("From and to").click()
        page.get_by_label("From", exact=True).fill("2026-11-03T11:00")
        page.get_by_role("button", name="Show").click()
        page.wait_for_url("**since=2026-11-03T11**")
        tiles = page.locator(".tiles").inner_text()
        page.locator(".choices label", has_text="30d").click()
        page.wait_for_url("**range=30d")

    assert ("Calls\n1\n" in tiles, "since" in page.url) == (True, False)


def test_from_a_cell_to_a_decision_to_its_neighbours_and_back(
    store: SqliteStore, keep: Keep, tabs: NewTabs
) -> None:
    """Each step is a link, keeps the filters, and the back button returns."""
    keep(
        decision(id="d-1", tool="find_order", at=AT),
        decision(finding(), id="d-2", at=AT + 1),
        decision(id="d-3", tool="send_email", at=AT + 2),
    )
    visitor = tabs()
    with serve(dashboard(store)) as address:
        page = visitor.open(f"{address}/?agent=billing")
        page.locator(".heat a", has_text="100 %").click()
        page.wait_for_url("**/cell?agent=billing&row=refund&check=phantom_target")
        page.locator(".decisions a").click()
        page.wait_for_url("**/decisions/d-2?agent=billing")
        page.get_by_role("link", name="call of find_order").click()
        page.wait_for_url("**/decisions/d-1?agent=billing")
        visited = []
        for _ in range(3):
            page.go_back()
            visited.append(page.url.removeprefix(address).partition("?")[0])

    assert ["/decisions/d-2", "/cell", "/"] == visited
    assert [] == visitor.complaints


@pytest.mark.parametrize("way", ["key", "mouse", "keyboard"])
def test_a_label_takes_one_key_and_the_precision_follows(
    way: str, store: SqliteStore, keep: Keep, tabs: NewTabs
) -> None:
    """The page stays where it is, the button is pressed, and the focus stays on it."""
    keep(decision(finding(), id="d-1"))
    visitor = tabs()
    with serve(dashboard(store)) as address:
        page = visitor.open(f"{address}/decisions/d-1")
        button = page.get_by_role("button", name="Yes, it is a hallucination")
        if way == "key":
            page.keyboard.press("h")
        elif way == "mouse":
            button.click()
        else:
            button.focus()
            page.keyboard.press("Enter")
        wait_for_text(page, LABELLED, "1 of 1 labelled are right")
        pressed = button.get_attribute("aria-pressed")
        focused = page.evaluate("document.activeElement.id")
        first = store.labels()["d-1"].truth
        page.keyboard.press("o")
        wait_for_text(page, LABELLED, "0 of 1 labelled are right")

    assert ("true", Truth.HALLUCINATED, Truth.OK) == (pressed, first, store.labels()["d-1"].truth)
    assert way == "key" or focused == "label-h"
    assert [] == visitor.complaints


def test_typing_in_a_field_does_not_label(store: SqliteStore, keep: Keep, tabs: NewTabs) -> None:
    """Keys typed in a field, and keys with Ctrl, do not label a decision."""
    keep(decision(finding(), id="d-1"))
    with serve(dashboard(store)) as address:
        page = tabs().open(f"{address}/decisions/d-1")
        page.keyboard.press("Control+h")
        page.evaluate("document.body.appendChild(document.createElement('input')).focus()")
        page.keyboard.type("ho")
        page.wait_for_timeout(300)

    assert {} == store.labels()


def test_the_keys_can_be_switched_off(store: SqliteStore, keep: Keep, tabs: NewTabs) -> None:
    """Off, no single key labels, also after a reload and in another tab; a click still does."""
    keep(decision(finding(), id="d-1"))
    visitor = tabs()
    with serve(dashboard(store)) as address:
        page = visitor.open(f"{address}/decisions/d-1")
        other = visitor.open(f"{address}/decisions/d-1")
        page.get_by_label("Keys h and o label").uncheck()
        other.wait_for_function("document.documentElement.dataset.keys === 'off'")
        page.reload()
        for tab in (page, other):
            tab.keyboard.press("h")
        page.wait_for_timeout(300)
        pressed = store.labels()
        page.get_by_role("button", name="No, a false alarm").click()
        wait_for_text(page, LABELLED, "0 of 1 labelled are right")
        checked = page.get_by_label("Keys h and o label").is_checked()
        page.get_by_label("Keys h and o label").check()
        page.keyboard.press("h")
        wait_for_text(page, LABELLED, "1 of 1 labelled are right")

    assert ({}, False, []) == (pressed, checked, visitor.complaints)


@pytest.mark.release
def test_figures_change_while_the_page_is_open(
    store: SqliteStore, keep: Keep, tabs: NewTabs
) -> None:
    """No reload: a mark in the page, the focus and both scroll positions stay."""
    keep(*(decision(finding(), tool=f"tool_{n:02d}") for n in range(40)))
    visitor = tabs(viewport={"width": 700, "height": 500})
    with serve(dashboard(store)) as address:
        page = visitor.open(address)
        wait_for_text(page, "[data-live]", "live")
        page.evaluate("window.mark = 1")
        link = page.locator(".heat tr", has_text="tool_20").locator("a").nth(1)
        link.focus()
        page.evaluate("document.querySelector('.heat-scroll').scrollLeft = 90")
        state = "[scrollY, document.querySelector('.heat-scroll').scrollLeft, window.mark]"
        before = page.evaluate(state)
        store.append(decision(finding(), tool="tool_20"))
        wait_for_text(page, ".heat tr:has-text('tool_20')", "2 of 2")
        after = page.evaluate(state)
        focused = page.evaluate("document.activeElement.getAttribute('href')")

    assert (before, True) == (after, "row=tool_20" in focused)
    assert [] == visitor.complaints


STARTS = """performance.getEntriesByType("resource")
  .filter((one) => one.initiatorType === "xmlhttprequest").map((one) => one.startTime)"""


@pytest.mark.release
def test_many_decisions_cause_few_reloads(store: SqliteStore, keep: Keep, tabs: NewTabs) -> None:
    """A busy log loads the view again at most once in three seconds, by the browser's clock."""
    keep(decision())
    with serve(dashboard(store)) as address:
        page = tabs().open(address)
        wait_for_text(page, "[data-live]", "live")
        for _ in range(80):
            store.append(decision(finding()))
            page.wait_for_timeout(100)
        wait_for_text(page, ".tiles", "81")
        starts = page.evaluate(STARTS)
    gaps = [later - earlier for earlier, later in pairwise(starts)]

    assert (True, []) == (len(starts) >= 2, [gap for gap in gaps if gap < 2_900])


@pytest.mark.release
def test_nothing_is_loaded_while_a_filter_is_filled_in(
    store: SqliteStore, keep: Keep, tabs: NewTabs
) -> None:
    """An update does not remove typed text."""
    keep(decision())
    with serve(dashboard(store)) as address:
        page = tabs().open(address)
        wait_for_text(page, "[data-live]", "live")
        page.get_by_label("Session").fill("s-")
        store.append(decision(finding()))
        page.wait_for_timeout(3_500)
        typed = page.get_by_label("Session").input_value()
        page.get_by_label("Session").fill("")
        page.locator("h1").click()
        page.evaluate("document.activeElement.blur()")
        wait_for_text(page, ".tiles", "2")

    assert "s-" == typed


@pytest.mark.release
def test_two_tabs_follow_each_other(store: SqliteStore, keep: Keep, tabs: NewTabs) -> None:
    """A label of one tab is in the other's list; the colours are switched in both."""
    keep(decision(finding(), id="d-1"))
    visitor = tabs()
    with serve(dashboard(store)) as address:
        cell = visitor.open(address + CELL)
        wait_for_text(cell, "[data-live]", "live")
        page = visitor.open(f"{address}/decisions/d-1")
        page.keyboard.press("o")
        wait_for_text(page, LABELLED, "Labelled ok")
        cell.bring_to_front()
        wait_for_text(cell, ".decisions", "false alarm")
        wait_for_text(cell, ".tiles", "0 of 1 labelled are right")
        page.locator("[data-theme-switch]").click()
        cell.wait_for_function("document.documentElement.dataset.theme === 'dark'")

    assert [] == visitor.complaints


BACKGROUND = "getComputedStyle(document.body).backgroundColor"
LIGHT, DARK = "rgb(247, 248, 249)", "rgb(17, 20, 25)"


def test_the_colours_follow_the_system_and_the_switch(store: SqliteStore, tabs: NewTabs) -> None:
    """The colours are those of the system until the switch is used, which survives a reload."""
    visitor = tabs(color_scheme="dark")
    with serve(dashboard(store)) as address:
        page = visitor.open(address)
        evaluation = [page.evaluate(BACKGROUND)]
        page.emulate_media(color_scheme="light")
        evaluation.append(page.evaluate(BACKGROUND))
        page.locator("[data-theme-switch]").click()
        evaluation.append(page.evaluate(BACKGROUND))
        page.reload()
        evaluation.append(page.evaluate(BACKGROUND))

    assert [DARK, LIGHT, DARK, DARK] == evaluation


def test_charts_are_drawn(store: SqliteStore, keep: Keep, tabs: NewTabs) -> None:
    """Each check has a canvas, and the time under the pointer is described in words."""
    keep(*(decision(*([finding()] if n % 9 == 0 else []), at=AT + 3_600 * n) for n in range(60)))
    visitor = tabs()
    with serve(dashboard(store)) as address:
        page = visitor.open(f"{address}/trends")
        page.locator(".plot canvas").first.wait_for()
        drawn, checks = page.locator(".plot canvas").count(), page.locator(".chart").count()
        page.locator(".u-over").nth(1).hover()
        wait_for_text(page, "[data-readout]", "of 1), limit")

    assert (6, 6) == (drawn, checks)
    assert [] == visitor.complaints


def test_one_signs_in_and_out(store: SqliteStore, keep: Keep, tabs: NewTabs) -> None:
    """A wrong token is refused, the right one leads to the view, and a sign-out ends it."""
    keep(decision(finding(), id="d-1"))
    visitor = tabs()
    with serve(dashboard(store, token="open-sesame")) as address:
        page = visitor.open(f"{address}/decisions/d-1")
        page.get_by_label("Token").fill("wrong")
        page.get_by_role("button", name="Sign in").click()
        wait_for_text(page, "[role=alert]", "This is not the token.")
        page.get_by_label("Token").fill("open-sesame")
        page.keyboard.press("Enter")
        page.wait_for_url(f"{address}/decisions/d-1")
        page.keyboard.press("h")
        wait_for_text(page, LABELLED, "1 of 1")
        page.get_by_role("button", name="Sign out").click()
        page.wait_for_url("**/login")
        page.goto(f"{address}/rollout")
        out = page.url.removeprefix(address)
        page.goto(f"{address}/trends?token=open-sesame")
        inside = page.url.removeprefix(address)

    assert ("/login?next=%2Frollout", "/trends") == (out, inside)
    # the browser itself reports the 403 of the wrong token
    assert ["403"] == re.findall(r"\d{3}", " ".join(visitor.complaints))


def test_a_session_that_ended_is_noticed(store: SqliteStore, keep: Keep, tabs: NewTabs) -> None:
    """A label without a session leads to the sign-in, and records nothing."""
    keep(decision(finding(), id="d-1"))
    visitor = tabs()
    with serve(dashboard(store, token="open-sesame")) as address:
        page = visitor.open(f"{address}/decisions/d-1?token=open-sesame")
        visitor.context.clear_cookies()
        page.keyboard.press("h")
        page.wait_for_url("**/login")

    assert {} == store.labels()


def test_a_form_of_another_origin_is_refused(store: SqliteStore, keep: Keep, tabs: NewTabs) -> None:
    """A page of another origin that knows the address labels nothing."""
    keep(decision(finding(), id="d-1"))
    visitor = tabs()
    with serve(dashboard(store)) as address, serve(_page_with_form(address)) as other:
        page = visitor.open(f"{address}/decisions/d-1")
        key = page.locator("[name=key]").first.get_attribute("value")
        page.goto(f"{other.replace('127.0.0.1', 'localhost')}/?{key}")
        page.locator("button").click()
        page.wait_for_url("**/label")
        text = page.locator("[data-problem]").inner_text()

    assert ("this form is from another session; load the page again", {}) == (text, store.labels())


def _page_with_form(address: str) -> Any:
    async def app(scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "http":
            return
        key = scope["query_string"].decode()
        body = (
            f'<form method="post" action="{address}/decisions/d-1/label">'
            f'<input name="key" value="{key}"><button name="truth" value="ok">x</button></form>'
        )
        headers = [(b"content-type", b"text/html")]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": body.encode()})

    return app


@pytest.mark.release
def test_a_server_that_stops_is_noticed(store: SqliteStore, keep: Keep, tabs: NewTabs) -> None:
    """The page shows that it is not connected and that a label was not saved."""
    keep(decision(finding(), id="d-1"))
    visitor = tabs()
    with serve(dashboard(store)) as address:
        page = visitor.open(f"{address}/decisions/d-1")
        wait_for_text(page, "[data-live]", "live")
    wait_for_text(page, "[data-live]", "not connected")
    page.keyboard.press("h")
    wait_for_text(page, "[role=alert]", "The server does not answer; nothing was saved.")
    heading = page.locator("h1").inner_text()
    port = int(address.rpartition(":")[2])
    with serve(dashboard(store), port=port):
        wait_for_text(page, "[data-live]", "live")
        store.append(decision(finding(Verdict.HALLUCINATED), session_id="s-1", tool="later"))
        wait_for_text(page, ".run", "later")

    assert heading.startswith("Call of refund")


def test_an_unreadable_log_leaves_the_page_and_says_so(
    store: SqliteStore, keep: Keep, tabs: NewTabs
) -> None:
    """An update that fails takes nothing away."""
    keep(decision(finding(), id="d-1"))
    with serve(dashboard(store)) as address:
        page = tabs().open(f"{address}/decisions/d-1")
        page.route(
            "**/label",
            lambda route: route.fulfill(status=503, body="<p data-problem>cannot read</p>"),
        )
        page.keyboard.press("h")
        wait_for_text(page, "[role=alert]", "cannot read")

        assert 1 == page.locator("#view h1").count()


def test_a_label_that_was_not_saved_stays_announced(
    store: SqliteStore, keep: Keep, tabs: NewTabs
) -> None:
    """A live update of the page does not take the warning away; a label that is saved does."""
    keep(decision(finding(), id="d-1"))
    with serve(dashboard(store)) as address:
        page = tabs().open(f"{address}/decisions/d-1")
        wait_for_text(page, "[data-live]", "live")
        page.route(
            "**/label",
            lambda route: route.fulfill(status=503, body="<p data-problem>cannot read</p>"),
        )
        page.keyboard.press("h")
        wait_for_text(page, "[role=alert]", "cannot read")
        place = page.locator("#view").get_attribute("data-place")
        store.append(decision(finding(), id="d-2"))
        page.locator(f"#view:not([data-place='{place}'])").wait_for()

        assert "cannot read" == page.locator("[role=alert]").inner_text()

        page.unroute("**/label")
        page.keyboard.press("h")
        page.locator("[role=alert]").wait_for(state="hidden")


def test_a_policy_change_is_copied(store: SqliteStore, keep: Keep, tabs: NewTabs) -> None:
    """The button puts the change into the clipboard."""
    keep(*(decision(session_id=f"s-{n}") for n in range(500)))
    visitor = tabs(permissions=["clipboard-read", "clipboard-write"])
    with serve(dashboard(store)) as address:
        page = visitor.open(f"{address}/rollout")
        page.get_by_role("button", name="Copy").click()
        wait_for_text(page, ".copy", "Copied")
        copied = page.evaluate("navigator.clipboard.readText()")

    assert ('modes={\n    "', True) == (copied[:13], '"phantom_target": "strict",' in copied)


REACHED = """[...document.querySelectorAll(
  'a, button, input:not([type=hidden]), select, summary, [tabindex="0"]'
)].filter((one) => one.checkVisibility() || one.type === "radio").length"""
FOCUS = """(() => {
  const one = document.activeElement;
  const ring = one.type === "radio" ? one.nextElementSibling : one;
  return [one.tagName, getComputedStyle(ring).outlineStyle];
})()"""


def test_the_keyboard_reaches_everything(store: SqliteStore, keep: Keep, tabs: NewTabs) -> None:
    """Tab goes from the skip link to each link, field and button, each with a visible focus."""
    keep(decision(finding(), tool="a"), decision(tool="b"))
    with serve(dashboard(store)) as address:
        page = tabs().open(address)
        want = page.evaluate(REACHED)
        count, rings = 0, []
        for _ in range(want + 3):
            page.keyboard.press("Tab")
            tag, ring = page.evaluate(FOCUS)
            if tag == "BODY":
                break
            count += 1
            rings.append(ring)

    # of the four radio buttons of the time one is in the order; arrows move between them; the
    # two fields of "From and to" are closed
    assert want - 3 == count
    assert {"solid"} == set(rings)


def test_without_scripts_pages_and_forms_work(
    store: SqliteStore, keep: Keep, tabs: NewTabs
) -> None:
    """Filters and labels are forms; the answer to a label is the decision's page."""
    keep(decision(finding(), id="d-1", agent="ops"), decision(agent="billing"))
    visitor = tabs(java_script_enabled=False)
    with serve(dashboard(store)) as address:
        page = visitor.open(address)
        page.get_by_label("Agent").select_option("ops")
        page.get_by_role("button", name="Show").click()
        page.locator(".heat a", has_text="100 %").click()
        page.locator(".decisions a").click()
        page.get_by_role("button", name="No, a false alarm").click()
        wait_for_text(page, LABELLED, "0 of 1 labelled are right")

    assert Truth.OK is store.labels()["d-1"].truth
    assert page.url.endswith("/decisions/d-1?agent=ops")
