"""The alert rules: valid for promtool, when they fire, and evaluated on a real run."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from abs_shield.telemetry.grafana import read_alerts
from abs_shield.telemetry.grafana.alert_rules import ALERTS, RECORDINGS, rules_text
from tests.prometheus import needs_prometheus, needs_promtool, query, wait_for

CASES = Path(__file__).with_name("alert_cases.yaml")


@pytest.fixture
def promtool(tmp_path: Path) -> Any:
    """Return a function that runs promtool on the rules of the package and the cases."""
    (tmp_path / "alerts.yaml").write_text(read_alerts())
    shutil.copy(CASES, tmp_path)

    def run(*words: str) -> subprocess.CompletedProcess[str]:
        command = ["promtool", *words]
        return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)

    return run


def test_the_file_is_what_the_generator_makes() -> None:
    """`python -m abs_shield.telemetry.grafana` writes it anew."""
    assert rules_text() == read_alerts()


@needs_promtool
def test_promtool_accepts_the_rules(promtool: Any) -> None:
    """Each of them parses, and none is a duplicate."""
    done = promtool("check", "rules", "alerts.yaml")

    assert 0 == done.returncode, done.stdout + done.stderr
    assert f"SUCCESS: {len(ALERTS) + len(RECORDINGS)} rules found" in done.stdout


@pytest.mark.release
@pytest.mark.slow
@needs_promtool
def test_alerts_fire_when_they_should(promtool: Any) -> None:
    """The cases that fire do, with their texts; the others do not."""
    done = promtool("test", "rules", CASES.name)

    assert 0 == done.returncode, done.stdout + done.stderr


@pytest.mark.parametrize("name", [alert.name for alert in ALERTS])
def test_an_alert_has_both_kinds_of_cases(name: str) -> None:
    """Some that fire, and some that do not."""
    cases = re.findall(rf"alertname: {name}\n +exp_alerts:( \[\])?", CASES.read_text())

    assert {"", " []"} == set(cases)


@pytest.mark.slow
@needs_prometheus
def test_prometheus_evaluates_every_rule(client: Any) -> None:
    """No rule fails, and each one that needs no earlier day has values."""
    (group,) = client.get("/rules").json()["data"]["groups"]
    states = {rule["name"]: (rule["health"], rule.get("lastError", "")) for rule in group["rules"]}
    now = [name for name in RECORDINGS if not name.endswith("day_before")]

    assert dict.fromkeys([*RECORDINGS, *(one.name for one in ALERTS)], ("ok", "")) == states
    assert [] == [name for name in now if not query(client, name)]


@pytest.mark.slow
@needs_prometheus
@pytest.mark.parametrize("alert", ALERTS, ids=lambda alert: alert.name)
def test_an_expression_runs(client: Any, alert: Any) -> None:
    """Only the checks that failed in the run are reported: there were too few calls, no loss."""
    results = query(client, alert.expression)

    errors = {("impossible_state", "refund"): 2, ("terms",): 2}
    assert (errors if alert.name == "AbsShieldCheckErrors" else {}) == results


@pytest.mark.slow
@needs_prometheus
def test_an_alert_fires_in_a_real_run(client: Any) -> None:
    """With the names of the check and the tool filled in."""
    expected = [
        "Internal errors of the check impossible_state: 2",
        "Internal errors of the check terms: 2",
    ]
    firing: list[str] = []

    def read() -> bool:
        alerts = client.get("/alerts").json()["data"]["alerts"]
        firing[:] = sorted(one["annotations"]["summary"] for one in alerts)
        # the text is the one of the last evaluation, which may have seen the first round alone
        return firing == expected

    wait_for(read, "no alert fired with these texts")
    assert expected == firing


@pytest.mark.parametrize("alert", ALERTS, ids=lambda alert: alert.name)
def test_an_alert_has_its_row_in_the_docs(alert: Any) -> None:
    """With its severity."""
    page = (Path(__file__).parents[3] / "docs" / "grafana.md").read_text(encoding="utf-8")

    assert re.search(rf"^\| `{alert.name}` \| .* \| {alert.severity} \|$", page, re.MULTILINE)
