"""A real Prometheus scrapes the metrics of a pipeline, under the seed's names."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Any

import pytest

from tests import prometheus
from tests.prometheus import needs_prometheus, query, serve_metrics

pytestmark = [pytest.mark.slow, needs_prometheus]
SERVER = Path(__file__).with_name("metrics_server.py")


@contextlib.contextmanager
def scraped(folder: Path, *words: str) -> Any:
    """A service and the Prometheus that scrapes it; a client of the latter's API."""
    with (
        serve_metrics(SERVER, *words) as service,
        prometheus.run_prometheus(folder, service.port) as client,
    ):
        yield client


def test_prometheus_has_every_metric(tmp_path: Path) -> None:
    """Durations by stage, blocks by reason, both scores, and the rate from labels."""
    with scraped(tmp_path, "labels") as client:
        durations = query(client, "quality_pipeline_stage_duration_seconds_count")
        blocks = query(client, "quality_pipeline_blocks_total")
        scores = query(client, "hallucination_score_distribution_bucket{le=~'1(.0)?'}")
        wrong = query(client, "hallucination_score_distribution_count")
        rate = query(client, "false_positive_rate")
        averages = query(client, "quality_score_average")
        cost = query(client, "quality_judge_cost_usd_total")
        slow = query(
            client, "histogram_quantile(.95, quality_pipeline_stage_duration_seconds_bucket)"
        )

    assert {("pii",): 46, ("hallucination",): 42, ("quality_score",): 42,
            ("judge",): 41} == durations  # fmt: skip
    assert {("pii",): 4, ("hallucination",): 1} == blocks
    assert [41.0] == [*scores.values()]
    assert [42.0] == [*wrong.values()]
    assert [0.25] == [*rate.values()]
    assert averages["writer", "m-1"] > 90
    assert all(value > 0 for value in cost.values())
    assert all(0 < value < 10 for value in slow.values())


@pytest.mark.release
def test_a_rate_without_labels_is_absent(tmp_path: Path) -> None:
    """A missing rate is not zero."""
    with scraped(tmp_path) as client:
        assert {} == query(client, "false_positive_rate")
        assert query(client, "quality_pipeline_blocks_total")
