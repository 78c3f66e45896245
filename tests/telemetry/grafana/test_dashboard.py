"""The dashboard equals its generator's output, and every query has data of a real run."""

from __future__ import annotations

import asyncio
import json
import math
import re
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path
from typing import Any

import httpx
import pytest

from abs_shield.telemetry import semconv
from abs_shield.telemetry.grafana import read_dashboard
from tests.cli.shop import fill_log, order, refund
from tests.prometheus import needs_prometheus, query

DASHBOARD = json.loads(read_dashboard())
PANELS = [panel for panel in DASHBOARD["panels"] if panel["type"] != "row"]
VARIABLES = {one["name"]: one for one in DASHBOARD["templating"]["list"]}
ALL = {"__rate_interval": "1m", "__range": "1h"} | dict.fromkeys(
    ("job", "tool", "mode", "agent"), ".*"
)
"""What Grafana puts in place of variables: all series, an hour."""


def expressions() -> Iterator[Any]:
    """Yield every query of the dashboard."""
    for panel in PANELS:
        for target in panel["targets"]:
            name = f"{panel['id']}-{panel['title']}-{target['refId']}"
            yield pytest.param(target["expr"], id=name)


def fill_expression(text: str, **chosen: str) -> str:
    """Return an expression as Grafana sends it."""
    values = ALL | chosen
    return re.sub(r"\$([a-z_]+)", lambda found: values[found[1]], text)


def panel(title: str, kind: str) -> str:
    """The first query of a panel."""
    (result,) = [one for one in PANELS if (one["title"], one["type"]) == (title, kind)]
    expression: str = result["targets"][0]["expr"]
    return expression


def test_the_file_is_what_the_generator_makes() -> None:
    """`python -m abs_shield.telemetry.grafana` writes it anew."""
    pytest.importorskip("grafana_foundation_sdk", reason="needs `pip install abs-shield[grafana]`")
    from abs_shield.telemetry.grafana.grafana_dashboard import dashboard_text

    assert dashboard_text() == read_dashboard()


def test_the_models_of_grafana_read_the_dashboard() -> None:
    """Grafana's models parse the dashboard and write it unchanged."""
    models = pytest.importorskip(
        "grafana_foundation_sdk.models.dashboard", reason="needs `pip install abs-shield[grafana]`"
    )
    from grafana_foundation_sdk.cog.encoder import JSONEncoder
    from grafana_foundation_sdk.cog.plugins import register_default_plugins

    register_default_plugins()
    again = JSONEncoder(sort_keys=True).encode(models.Dashboard.from_json(DASHBOARD))

    assert json.loads(again) == DASHBOARD


def test_every_metric_has_a_panel() -> None:
    """No name of `semconv` is left out."""
    text = read_dashboard()
    metrics = [value for name, value in vars(semconv).items() if name.startswith("METRIC_")]

    assert len(metrics) > 15
    assert [] == [name for name in metrics if name.replace(".", "_") not in text]


@pytest.mark.parametrize("shown", PANELS, ids=lambda one: f"{one['id']}-{one['title']}")
def test_a_panel_explains_itself(shown: Any) -> None:
    """A sentence or two, a unit, and the data source of the variable."""
    assert re.fullmatch(r"[A-Z].{20,}\.", shown["description"])
    assert shown["fieldConfig"]["defaults"]["unit"]
    assert {"type": "prometheus", "uid": "${datasource}"} == shown["datasource"]
    assert {"${datasource}"} == {one["datasource"]["uid"] for one in shown["targets"]}


def test_panels_do_not_overlap() -> None:
    """Each panel has its own id and area on the grid of 24 columns."""
    places = [one["gridPos"] for one in DASHBOARD["panels"]]
    overlapping = [
        (a, b)
        for a, b in combinations(places, 2)
        if a["x"] < b["x"] + b["w"]
        and b["x"] < a["x"] + a["w"]
        and a["y"] < b["y"] + b["h"]
        and b["y"] < a["y"] + a["h"]
    ]

    assert [] == overlapping
    assert max(one["x"] + one["w"] for one in places) == 24
    assert len({one["id"] for one in DASHBOARD["panels"]}) == len(places)


def test_variables() -> None:
    """The data source, filters, and the address of the page."""
    assert ["datasource", "job", "tool", "mode", "agent", "page"] == [*VARIABLES]
    used = set(re.findall(r"\$([a-z_]+)", " ".join(one.values[0] for one in expressions())))
    assert set(ALL) == used


@pytest.mark.release
@pytest.mark.slow
@needs_prometheus
@pytest.mark.parametrize("expression", [*expressions()])
def test_a_query_has_data(client: Any, expression: str) -> None:
    """Prometheus takes it, and a run with findings, blocks, errors and outputs has values."""
    results = query(client, fill_expression(expression))

    assert results
    assert all(math.isfinite(value) for value in results.values())


@pytest.mark.slow
@needs_prometheus
@pytest.mark.parametrize("name", ["job", "tool", "mode", "agent"])
def test_a_variable_has_values(client: Any, name: str) -> None:
    """The series and label of `label_values(series, label)` exist."""
    query_text = fill_expression(VARIABLES[name]["query"])
    series, label = re.fullmatch(r"label_values\((.+), (\w+)\)", query_text).groups()  # type: ignore[union-attr]
    reply = client.get(f"/label/{label}/values", params={"match[]": series})

    expected = {"job": "service", "tool": "refund", "mode": "audit", "agent": "writer"}
    assert expected[name] in reply.json()["data"]


@pytest.mark.slow
@needs_prometheus
def test_the_overview_counts_decisions(client: Any) -> None:
    """Two rounds have 99 decisions: about calls, results, answers and outputs."""
    decisions = query(client, fill_expression(panel("Decisions", "stat")))
    blocked = query(client, fill_expression(panel("Blocked", "stat")))
    would_block = query(client, fill_expression(panel("Strict would also block", "stat")))
    errors = query(client, fill_expression(panel("Check errors", "stat")))

    assert {(): 99} == decisions
    assert {(): pytest.approx(10 / 99)} == blocked
    assert {(): pytest.approx(2 / 99)} == would_block
    assert {(): 4} == errors


@pytest.mark.slow
@needs_prometheus
def test_the_risk_heatmap(client: Any) -> None:
    """Findings for each check that ran; what never ran is -1 and no 0."""
    cells = {
        (tool, check): value
        for (check, tool), value in query(
            client, fill_expression(panel("Risk heatmap", "table"))
        ).items()
    }

    assert pytest.approx(2 / 6) == cells["refund", "impossible_state"]
    assert pytest.approx(2 / 8) == cells["refund", "phantom_target"]
    assert 1 == cells["_unregistered", "phantom_tool"]
    assert pytest.approx(2 / 84) == cells["answers and outputs", "pii"]
    assert 0 == cells["refund", "parameter_mismatch"]
    assert -1 == cells["refund", "confidence_drop"]
    assert -1 == cells["_unregistered", "phantom_target"]
    assert -1 == cells["answers and outputs", "terms"]


async def read(site: Any, address: str) -> httpx.Response:
    """The answer of an application."""
    transport = httpx.ASGITransport(site)
    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as browser:
        return await browser.get(address)


def test_a_cell_links_to_its_decisions(tmp_path: Path) -> None:
    """The address of its link is one of the page of `abs-shield dashboard`."""
    pytest.importorskip("jinja2", reason="needs `pip install abs-shield[dashboard]`")
    from abs_shield.dashboard import dashboard

    (result,) = [one for one in PANELS if one["title"] == "Risk heatmap"]
    (link,) = result["fieldConfig"]["defaults"]["links"]
    options = {
        "page:raw": "",
        "__data.fields[0]:percentencode": "refund",
        "__field.name:percentencode": "impossible_state",
        "__from:date:iso": "2026-01-01T00:00:00.000Z",
        "__to:date:iso": "2100-01-01T00:00:00.000Z",
    }
    address = re.sub(r"\$\{([^}]+)\}", lambda name: options[name[1]], link["url"])
    fill_log(str(tmp_path / "log.db"), order(1), refund(1, 900))
    page = asyncio.run(read(dashboard(str(tmp_path / "log.db")), address))

    assert 200 == page.status_code
    assert "impossible state" in page.text
    assert 1 == len(set(re.findall(r"/decisions/([\w-]+)", page.text)))


@pytest.mark.parametrize("shown", [one for one in PANELS if one["type"] == "table"])
def test_an_empty_cell_has_no_colour(shown: Any) -> None:
    """Grafana gives no value the first colour: what was never asked must not look clean."""
    first, clean, *_ = shown["fieldConfig"]["defaults"]["thresholds"]["steps"]

    assert {"value": None, "color": "transparent"} == first
    assert 0 == clean["value"]


@pytest.mark.slow
@needs_prometheus
def test_filters(client: Any) -> None:
    """A tool and a mode narrow what is shown."""
    tools = query(client, fill_expression(panel("Risk heatmap", "table"), tool="refund"))
    modes = query(client, fill_expression(panel("Decisions", "stat"), mode="audit"))
    agents = query(client, fill_expression(panel("Quality score", "timeseries"), agent="nobody"))

    assert {"refund"} == {tool for _, tool in tools}
    assert {(): 2} == modes
    assert {} == agents


PAGE = (Path(__file__).parents[3] / "docs" / "grafana.md").read_text(encoding="utf-8")
NAMES = re.findall(r"^\| `(abs_shield\.[a-z.]+)` \| `([a-z_]+)`", PAGE, re.MULTILINE)


@pytest.mark.slow
@needs_prometheus
@pytest.mark.parametrize(("metric", "series"), NAMES, ids=[metric for metric, _ in NAMES])
def test_the_docs_name_series(client: Any, metric: str, series: str) -> None:
    """The metrics in docs/grafana.md exist."""
    assert query(client, series)


def test_the_docs_name_every_metric_of_a_shield() -> None:
    """Those of the cascade keep their names."""
    metrics = [value for name, value in vars(semconv).items() if name.startswith("METRIC_")]

    assert [name for name in metrics if "." in name] == [metric for metric, _ in NAMES]


def test_the_docs_name_every_row() -> None:
    """A row of panels has its line in docs/grafana.md."""
    rows = [one["title"] for one in DASHBOARD["panels"] if one["type"] == "row"]

    assert [] == [row for row in rows if f"\n| {row} | " not in PAGE]
