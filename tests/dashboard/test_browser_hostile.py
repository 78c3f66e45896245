"""Texts of a hostile model on every page of the dashboard, in a real browser."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from abs_shield.core import RAN, Coverage, Outcome, Verdict
from abs_shield.dashboard import dashboard
from abs_shield.stores.sqlite_store import SqliteStore
from tests.dashboard.decision_samples import decision, finding
from tests.dashboard.serving import serve
from tests.dashboard.visiting import Tabs

pytestmark = pytest.mark.slow

TEXTS = {
    "script": "<script>alert(1)</script>",
    "image": '"><img src=x onerror=alert(1)>',
    "quote": "' onmouseover='alert(1)' x='",
    "scheme": "javascript:alert(1)",
    "template": "{{ 7 * 7 }}{% raw %}${7*7}",
    "end": "</textarea></title></style>--><svg onload=alert(1)>",
    "bidi": "refund\u202egpj.exe\u2066\u200f",
    "control": "a\x00b\x1b[31mc\nd\re\u2028f",
    "wide": "x" * 5_000,
    "words": "very long words " * 320,
    "wide_script": "\u0645\ufdfd" * 2_000,
    "htmx": '<div hx-get="/logout" hx-trigger="load">',
    "path": "../../etc/passwd?a=b&c=d#e",
}


def hostile(text: str, number: int) -> Any:
    """A decision in which every free text is hostile."""
    findings = finding(
        Verdict.HALLUCINATED, code=text[:200], detail=text, hint=text, got=text, expected=text,
        nearest=text, where=f"/arguments/{text}", evidence={text: text, "rule": text},
    )  # fmt: skip
    return decision(
        findings,
        id=f"d-{number}", tool=text, agent=text, model=text, session_id=text, run_id=text,
        call_id=text, policy_revision=text, errors=(text,),
        coverage={
            "phantom_target": RAN, text[:200]: Coverage(Outcome.ERROR, text),
            "confidence_drop": Coverage(Outcome.UNAVAILABLE, text),
        },
    )  # fmt: skip


@pytest.mark.release
@pytest.mark.parametrize("values", [False, True])
@pytest.mark.parametrize("width", [360, 1440])
def test_hostile_texts_break_nothing(
    width: int, values: bool, store: SqliteStore, keep: Callable[..., None],
    tabs: Callable[..., Tabs],
) -> None:  # fmt: skip
    """No dialog, no error, no violation of the policy, and no page wider than the screen."""
    keep(*(hostile(text, n) for n, text in enumerate(TEXTS.values())))
    visitor = tabs(viewport={"width": width, "height": 900})
    wide, visited = [], 0
    with serve(dashboard(store, show_values=values, title=TEXTS["image"])) as address:
        page = visitor.open(address)
        links = page.locator(".heat a").evaluate_all("all => all.map(one => one.href)")
        views = [f"{address}/decisions/d-{n}" for n in range(len(TEXTS))]
        for view in [address, f"{address}/rollout", f"{address}/trends", *views, *links]:
            page.goto(view)
            visited += 1
            if page.evaluate("document.documentElement.scrollWidth") > width:
                wide.append(page.url[len(address) :][:60])

    assert ([], []) == (visitor.complaints, wide)
    assert visited > 3 * len(TEXTS)


@pytest.mark.release
@pytest.mark.parametrize("name", TEXTS)
def test_hostile_filters_reproduce_the_view(
    name: str, store: SqliteStore, keep: Callable[..., None], tabs: Callable[..., Tabs]
) -> None:
    """A hostile agent can be chosen, and its decisions are found behind its cell."""
    # a form sends each line break as two characters
    text = TEXTS[name][:250].replace("\x00", "").replace("\n", "").replace("\r", "")
    keep(decision(finding(), tool=text, agent=text), decision(agent="other", tool="other"))
    visitor = tabs()
    with serve(dashboard(store)) as address:
        page = visitor.open(address)
        page.get_by_label("Agent").select_option(index=2 if text > "other" else 1)
        page.wait_for_url("**agent=**")
        calls = page.locator(".tiles dd").first.inner_text()
        page.locator(".heat a", has_text="100 %").click()
        page.locator(".decisions a").click()
        page.locator("[data-live]", has_text="live").wait_for()
        page.keyboard.press("h")
        page.locator("[data-labelled]", has_text="1 of 1").wait_for()

    assert ("1", []) == (calls, visitor.complaints)


def test_what_does_not_print_is_escaped(
    store: SqliteStore, keep: Callable[..., None], tabs: Callable[..., Tabs]
) -> None:
    """A right-to-left mark in a name is shown as an escape, and turns nothing around."""
    keep(decision(finding(), tool=TEXTS["bidi"]))
    with serve(dashboard(store)) as address:
        page = tabs().open(address)
        name = page.locator(".heat tbody th bdi").first.inner_text()

    assert "refund\\u202egpj.exe\\u2066\\u200f" == name
