"""A real Prometheus scrapes the metrics of a pipeline, under the seed's names."""

from __future__ import annotations

import contextlib
import shutil
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import httpx
import pytest

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        shutil.which("prometheus") is None,
        reason="there is no `prometheus` (Debian: apt install prometheus)",
    ),
]
SERVER = Path(__file__).with_name("metrics_server.py")
CONFIG = """
global: {{scrape_interval: 200ms, scrape_timeout: 200ms}}
scrape_configs:
  - job_name: service
    static_configs: [{{targets: ["127.0.0.1:{port}"]}}]
"""


def free_port() -> int:
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        port: int = bound.getsockname()[1]
        return port


@contextlib.contextmanager
def scraped(folder: Path, *words: str) -> Any:
    """A service and the Prometheus that scrapes it; a client of the latter's API."""
    with contextlib.ExitStack() as stack:
        service = stack.enter_context(
            subprocess.Popen([sys.executable, SERVER, *words], stdin=-1, stdout=-1, text=True)
        )
        stack.callback(service.kill)
        assert service.stdout is not None
        port = int(service.stdout.readline())
        (folder / "prometheus.yml").write_text(CONFIG.format(port=port))
        address = f"127.0.0.1:{free_port()}"
        prometheus = stack.enter_context(
            subprocess.Popen(
                ["prometheus", f"--web.listen-address={address}", "--log.level=error",
                 f"--config.file={folder / 'prometheus.yml'}",
                 f"--storage.tsdb.path={folder / 'data'}"],
            )
        )  # fmt: skip
        stack.callback(prometheus.kill)
        client = stack.enter_context(httpx.Client(base_url=f"http://{address}/api/v1"))
        until = time.monotonic() + 60
        while not any(query(client, "up").values()):
            assert time.monotonic() < until, "Prometheus scraped nothing in a minute"
            time.sleep(0.1)
        yield client


def query(client: httpx.Client, text: str) -> dict[tuple[str, ...], float]:
    """The values of a query by their labels; nothing while Prometheus starts."""
    with contextlib.suppress(httpx.HTTPError):
        reply = client.get("/query", params={"query": text})
        if reply.status_code == httpx.codes.SERVICE_UNAVAILABLE:
            return {}
        found = reply.json()["data"]["result"]
        left = ("__name__", "job", "instance", "otel_scope_name", "otel_scope_version",
                "otel_scope_schema_url")  # fmt: skip
        return {
            tuple(value for name, value in sorted(one["metric"].items()) if name not in left):
                float(one["value"][1])
            for one in found
        }  # fmt: skip
    return {}


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


def test_a_rate_without_labels_is_absent(tmp_path: Path) -> None:
    """It is no zero."""
    with scraped(tmp_path) as client:
        assert {} == query(client, "false_positive_rate")
        assert query(client, "quality_pipeline_blocks_total")
