"""Decisions with odd ids have a view and a label; halves of characters in names break no page."""

from __future__ import annotations

import html
import re
from collections.abc import Callable

import pytest

from abs_shield.core.label import Truth
from abs_shield.stores.sqlite_store import SqliteStore
from tests.dashboard.decision_samples import AT, decision, finding
from tests.dashboard.visiting import Visit

IDS = [
    "a/b", "a/../b", "..", ".", "/x", "x/", "a//b", "%2f", "100%", "ü ñ 漢", "a?b=c#d", "a\nb",
    "x/label", "label", "a b+c", "a&id=b", "<b>", "x" * 300 + "/1",
]  # fmt: skip
HALF = "a\ud800"
CELL = "/cell?row=refund&check=phantom_target"


@pytest.mark.parametrize("name", IDS)
def test_a_decision_with_an_odd_id_is_found_and_labelled(
    name: str, visit: Visit, store: SqliteStore, keep: Callable[..., None]
) -> None:
    """The link of a list leads to it, its form records a label, and leads back to it."""
    keep(decision(finding(), id="other"), decision(finding(), id=name, agent="ops"))
    client = visit()
    (link,) = re.findall(
        r'class="time"[^>]*><a href="([^"]+)"', client.get(CELL + "&agent=ops").text
    )
    text = client.get(html.unescape(link)).text
    key = re.findall(r'name="key" value="([^"]+)"', text)[0]
    action = html.unescape(re.findall(r'hx-post="([^"]+)"', text)[0])
    answer = client.post(action, data={"key": key, "truth": "ok"})

    assert (303, html.unescape(link)) == (answer.status_code, answer.headers["location"])
    assert {name: Truth.OK} == {one: label.truth for one, label in store.labels().items()}


@pytest.mark.parametrize("path", ["/decision", "/decision?id=", "/decision?id=none"])
def test_an_id_that_the_log_does_not_have_is_404(path: str, visit: Visit) -> None:
    """So is an address without an id."""

    assert 404 == visit().get(path).status_code


@pytest.mark.parametrize("field", ["tool", "agent", "model", "session_id", "run_id"])
def test_half_a_character_in_a_name_closes_no_view(
    field: str, visit: Visit, store: SqliteStore, keep: Callable[..., None]
) -> None:
    """UTF-8 cannot hold it; each view has it as an escape, and its links work."""
    keep(decision(finding(), id="d-1", **{field: HALF}), decision(id="d-2"))
    store.append_score(score=70, at=AT, agent=HALF, task_type=HALF, model=HALF)
    client = visit(trace_url="https://traces.example/{run_id}")
    heatmap = client.get("/")
    links = re.findall(r'href="(/[^"]+)"', heatmap.text + client.get("/decisions/d-1").text)
    views = ["/", "/rollout", "/trends", "/trends.json", *map(html.unescape, links)]

    assert {200} == {client.get(view).status_code for view in views}


@pytest.mark.parametrize(
    ("field", "name"), [("agent", "agent"), ("model", "model"), ("session_id", "session")]
)
@pytest.mark.parametrize("value", [HALF, "long" * 200])
def test_odd_names_are_filters(
    field: str, name: str, value: str, visit: Visit, keep: Callable[..., None]
) -> None:
    """A link or an option of the page selects the decision, however long its name is."""
    keep(decision(finding(), **{field: value}), decision(tool="other"))
    shown = value.encode("utf-8", "backslashreplace").decode()
    text = visit().get("/", params={name: shown}).text

    assert ("<dt>Calls</dt><dd>1</dd>" in text, ">other<" in text) == (True, False)
