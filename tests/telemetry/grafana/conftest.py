"""A real run of a Shield, scraped by a real Prometheus with the alert rules of the package."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.resources import as_file, files
from pathlib import Path

import httpx
import pytest

from tests.prometheus import query, run_prometheus, serve_metrics, wait_for

HELD = "sum(quality_pipeline_blocks_total{reason='pii'})"
"""One more for each round."""
ERRORS = ("abs_shield:check_errors:10m", "abs_shield:stage_errors:10m")
"""Recorded by rules, so later than what they count; one more of each for each round."""
SERVER = Path(__file__).with_name("shield_server.py")


@pytest.fixture(scope="session")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx.Client]:
    """A client of a Prometheus that has seen two rounds of work, one after the other."""
    folder = tmp_path_factory.mktemp("grafana")
    with (
        as_file(files("abs_shield.telemetry.grafana") / "alerts.yaml") as rules,
        serve_metrics(SERVER, str(folder)) as service,
        run_prometheus(folder, service.port, rules=rules) as client,
    ):
        wait_for(lambda: {(): 1.0} == query(client, HELD), "no metric was scraped")
        service.work()
        wait_for(lambda: {(): 2.0} == query(client, HELD), "no metric was scraped")
        wait_for(lambda: _errors(client) == {2.0}, "no rule was evaluated after the second round")
        yield client


def _errors(client: httpx.Client) -> set[float]:
    """Return the counts of errors that the rules recorded; a rule that has none adds a zero."""
    return {count for name in ERRORS for count in query(client, name).values() or [0.0]}
