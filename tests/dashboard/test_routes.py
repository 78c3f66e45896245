"""The response of each address of the dashboard."""

from __future__ import annotations

import html
import re
from collections.abc import Callable

import pytest

from abs_shield.core import Subject, Verdict
from abs_shield.core.label import Label, Truth
from abs_shield.dashboard.view_filters import Filters
from abs_shield.stores.sqlite_store import SqliteStore
from tests.dashboard.decision_samples import AT, decision, finding
from tests.dashboard.visiting import Visit

VIEWS = ["/", "/cell?row=refund&check=phantom_target", "/rollout", "/trends", "/decisions/d-x"]
BAD = {
    "/?range=1y": "`range` is `1y`; choose one of 24h, 7d, 30d, all",
    "/?mode=loud": "`mode` is `loud`; choose one of audit, strict",
    "/?since=soon": "`since` is `soon`; use a time such as 2026-01-31T12:00",
    "/?since=2026-02-01&until=2026-01-01": "`until` is not after `since`",
    "/?sort=luck": "`sort` is `luck`; choose one of worst, name, calls",
    "/?rows=some": "`rows` is `some`; choose one of first, all",
    "/cell?show=none": "`show` is `none`; choose one of findings, unlabelled, all",
    "/cell?verdict=BAD": "`verdict` is `BAD`",
    "/rollout?range=x": "`range` is `x`",
    "/trends.json?mode=%3Cb%3E": "`mode` is `&lt;b&gt;`",
}


@pytest.mark.parametrize("path", VIEWS)
@pytest.mark.parametrize("values", [False, True])
def test_each_view_answers(
    path: str, values: bool, visit: Visit, keep: Callable[..., None]
) -> None:
    """Each view is a page, with values and without."""
    keep(decision(finding(), id="d-x"), decision())
    answer = visit(show_values=values).get(path)

    assert (200, "text/html; charset=utf-8") == (answer.status_code, answer.headers["content-type"])


@pytest.mark.parametrize("path", VIEWS[:-1])
def test_each_view_of_an_empty_log_answers(path: str, visit: Visit) -> None:
    """An empty log has the same views."""

    assert 200 == visit().get(path).status_code


def test_an_empty_log_says_what_to_do_next(visit: Visit) -> None:
    """The page of an empty log has three commands."""
    text = visit().get("/").text

    assert 3 == text.count("<pre><code>")
    assert "abs-shield dashboard --demo" in text


@pytest.mark.parametrize("path", BAD)
def test_a_bad_filter_is_named_in_one_line(path: str, visit: Visit) -> None:
    """An invalid filter is answered with 400 and a line that names it."""
    answer = visit().get(path)
    (line,) = re.findall(r"<p data-problem>(.*?)</p>", answer.text)

    assert (400, True) == (answer.status_code, line.startswith(BAD[path]))


@pytest.mark.parametrize("path", ["/decisions/none", "/nothing", "/static/none.js"])
def test_what_is_not_there_is_404(path: str, visit: Visit) -> None:
    """An unknown decision and an unknown page say so."""

    assert 404 == visit().get(path).status_code


def test_an_address_with_another_method_is_405(visit: Visit) -> None:
    """A view takes no form."""

    assert 405 == visit().post("/rollout").status_code


def test_the_heatmap_has_the_counts_of_the_log(visit: Visit, keep: Callable[..., None]) -> None:
    """A cell has the rate, its counts and what strict mode would block."""
    keep(decision(finding(Verdict.HALLUCINATED)), decision(), decision(), decision())
    text = visit().get("/").text

    assert "25 %" in text
    assert "<small>1 of 4</small>" in text
    assert "strict blocks 1" in text


def test_answers_and_outputs_have_a_separate_table(visit: Visit, keep: Callable[..., None]) -> None:
    """Their checks are not columns of the table of tools."""
    answer = {
        "subject": Subject.ANSWER,
        "tool": "",
        "coverage": {"answer": decision().coverage["phantom_tool"]},
    }
    keep(decision(), decision(**answer))
    text = visit().get("/").text
    tools, texts = text.split("Answers and outputs: heatmap")

    assert (False, True) == (">answer</th>" in tools, ">answer</th>" in texts)


def test_older_decisions_are_a_page_away(visit: Visit, keep: Callable[..., None]) -> None:
    """Fifty decisions are on a page; the link at its end leads to the others."""
    keep(*(decision(finding(), id=f"p-{n}") for n in range(60)))
    client, results = visit(), []
    path: str | None = "/cell?row=refund&check=phantom_target"
    while path:
        text = client.get(path).text
        results.append(set(re.findall(r"/decisions/(p-\d+)", text)))
        link = re.search(r'rel="next" href="([^"]+)"', text)
        path = f"/cell{link[1].replace('&amp;', '&')}" if link else None

    assert [50, 10] == [len(names) for names in results]
    assert 60 == len(set.union(*results))


def test_neighbours_are_shown_in_order(visit: Visit, keep: Callable[..., None]) -> None:
    """A decision shows five of its session before it, and five behind it."""
    keep(*(decision(id=f"n-{n}", at=1_793_700_000.0 + n) for n in range(20)))
    text = visit().get("/decisions/n-10").text
    shown = [int(n) for n in re.findall(r'href="/decisions/n-(\d+)"', text)]

    assert [5, 6, 7, 8, 9, 11, 12, 13, 14, 15] == shown


def test_a_trace_is_linked_if_an_address_is_declared(
    visit: Visit, keep: Callable[..., None]
) -> None:
    """The link contains the escaped ids of the decision."""
    keep(decision(id="d-t", session_id="s/1"))
    text = visit(trace_url="https://traces.example/{session_id}").get("/decisions/d-t").text

    assert 'href="https://traces.example/s%2F1"' in text


def test_the_figures_of_charts_are_json(visit: Visit, keep: Callable[..., None]) -> None:
    """Each check has its series."""
    keep(decision(finding()), decision())
    charts = visit().get("/trends.json").json()["charts"]
    (chart,) = (one for one in charts if one["check"] == "phantom_target")

    assert ([1], [2]) == (chart["hits"], chart["of"])


def test_quality_scores_have_charts(
    visit: Visit, keep: Callable[..., None], store: SqliteStore
) -> None:
    """Each agent, task and model has the mean and the range of its scores."""
    for score in (70.0, 90.0):
        store.append_score(score=score, at=AT, agent="ops", task_type="reply", model="m")
    keep(decision())
    (chart,) = visit().get("/trends.json").json()["scores"]
    text = visit().get("/trends").text

    assert ("ops, reply, m", [80.0], [2]) == (chart["series"], chart["mean"], chart["scores"])
    assert "<td>80.0</td><td>70 to 90</td><td>2</td>" in text


def test_an_unknown_store_is_named_at_the_start(store: SqliteStore) -> None:
    """A log that is not there is an error of the call, in one line."""
    from abs_shield.dashboard import dashboard
    from abs_shield.errors import ShieldError

    with pytest.raises(ShieldError, match=r"none\.db"):
        dashboard("none.db")


def test_what_is_to_be_labelled_is_a_link_away(
    visit: Visit, keep: Callable[..., None], store: SqliteStore
) -> None:
    """Rollout counts decisions without a label; the link lists these, of a check on all tools."""
    blocks = finding(Verdict.HALLUCINATED)
    keep(
        decision(finding(), id="flag"), decision(id="clean"),
        *(decision(blocks, id=f"b-{n}", tool=f"tool_{n % 2}") for n in range(4)),
    )  # fmt: skip
    store.label(Label(decision_id="b-1", truth=Truth.OK, at=AT))
    client = visit()
    text = client.get("/rollout").text
    (link,) = re.findall(r'href="([^"]+)">3 to label', text)
    listed = client.get(html.unescape(link)).text

    assert ["b-3", "b-2", "b-0"] == re.findall(r"/decisions/([a-z0-9-]+)", listed)
    assert "on everything" in listed


@pytest.mark.parametrize("session", ["", "&session=s-1"])
def test_a_long_list_without_labels_is_paged(
    session: str, visit: Visit, keep: Callable[..., None], store: SqliteStore
) -> None:
    """Labelled decisions between them leave no page short, and none is lost."""
    keep(*(decision(finding(Verdict.HALLUCINATED), id=f"p-{n}") for n in range(130)))
    for number in (*range(60, 120), 5):
        store.label(Label(decision_id=f"p-{number}", truth=Truth.OK, at=AT))
    client, results = visit(), []
    path: str | None = f"/cell?row=refund&check=phantom_target&show=unlabelled{session}"
    while path:
        text = client.get(path).text
        results.append(re.findall(r"/decisions/(p-\d+)", text))
        link = re.search(r'rel="next" href="([^"]+)"', text)
        path = f"/cell{html.unescape(link[1])}" if link else None

    wanted = [f"p-{n}" for n in reversed(range(130)) if n != 5 and not 60 <= n < 120]
    assert (wanted[:50], wanted[50:]) == (results[0], [one for page in results[1:] for one in page])


def test_the_row_of_other_tools_lists_their_decisions(
    visit: Visit, keep: Callable[..., None]
) -> None:
    """Tools beyond the first thousand are one row, whose cells have links."""
    keep(*(decision(tool=f"tool_{n}", at=AT + n) for n in range(1_000)))
    keep(decision(finding(), tool="late", id="d-late", at=AT + 2_000))
    client = visit()
    text = client.get("/cell?row=_others&check=phantom_target").text

    assert "<dt>Flagged</dt><dd>1</dd>" in text
    assert ["d-late"] == re.findall(r"/decisions/([a-z-]+)", text)


def test_a_table_of_many_tools_is_cut(visit: Visit, keep: Callable[..., None]) -> None:
    """A hundred rows are shown, the worst first, and a link shows all of them in the same order."""
    keep(*(decision(tool=f"tool_{n}") for n in range(150)), decision(finding(), tool="worst"))
    client = visit()
    text = client.get("/?sort=worst").text
    (link,) = re.findall(r'51 more tools are not shown. <a href="([^"]+)"', text)
    rows = r"<bdi>([a-z]+)"
    whole = client.get("/" + html.unescape(link)).text

    assert (100, 151) == (len(re.findall(rows, text)), len(re.findall(rows, whole)))
    assert "worst" == re.findall(rows, text)[0]
    assert "not shown" not in whole


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize(
    "time", ["until=9999-12-31T23:30", "since=0001-01-01T00:00+14:00", "since=9999-12-31T23:30"]
)
def test_a_time_at_the_end_of_the_calendar_is_shown(
    time: str, view: str, visit: Visit, keep: Callable[..., None]
) -> None:
    """A time that cannot be shifted by an hour is limited to the calendar."""
    keep(decision(finding(), id="d-x"))

    assert 200 == visit().get(view, params=dict([time.split("=")])).status_code


def test_the_period_before_has_whole_hours_and_the_same_length() -> None:
    """The hour that has begun is shown as a whole, and so one more is compared."""
    shown = Filters.of({"since": "2026-11-03T10:00"}, now=AT + 2.5 * 3_600)
    before = shown.before(now=AT + 2.5 * 3_600)

    assert before is not None
    assert (AT - 3 * 3_600, AT) == (before.since, before.until)


@pytest.mark.parametrize("narrow", ["verdict=CLEAN", "mode=audit", "session=s-1"])
def test_a_filter_that_hides_findings_has_no_readiness(
    narrow: str, visit: Visit, keep: Callable[..., None]
) -> None:
    """With a filter by verdict, mode or session no layer is called safe; by agent it may be."""
    keep(*(decision(session_id=f"s-{n}") for n in range(500)))
    client = visit()
    text, of_agent = (client.get(f"/rollout?{one}").text for one in (narrow, "agent=billing"))

    assert ("modes={" in text, "every verdict, mode and session" in text) == (False, True)
    assert ("modes={" in of_agent, "match the filters alone" in of_agent) == (True, True)


def test_the_change_of_the_policy_is_python(visit: Visit, keep: Callable[..., None]) -> None:
    """The proposed change is valid Python for any quotes in a tool's name."""
    tool = 'it\'s "odd" \\'
    keep(*(decision(session_id=f"s-{n}", tool=tool) for n in range(500)))
    keep(*(decision(finding(Verdict.HALLUCINATED), tool="late", id=f"l-{n}") for n in range(30)))
    text = visit().get("/rollout").text
    (change,) = re.findall(r'<code id="change">(.*?)</code>', text, re.S)
    proposed_modes = eval(f"dict({html.unescape(change)})")["modes"]

    assert "strict" == proposed_modes[tool, "phantom_target"]


def test_trends_of_a_session_are_of_that_session(visit: Visit, keep: Callable[..., None]) -> None:
    """Only decisions of the session are drawn, and none for an unknown session."""
    keep(decision(finding(), session_id="one"), *(decision(session_id="two") for _ in range(5)))
    client = visit()
    charts = client.get("/trends.json?session=one").json()["charts"]
    (chart,) = (one for one in charts if one["check"] == "phantom_target")

    assert ([1], [1]) == (chart["hits"], chart["of"])
    assert {"charts": [], "scores": []} == client.get("/trends.json?session=none").json()
