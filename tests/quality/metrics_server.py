"""Runs a pipeline whose metrics Prometheus scrapes, until its standard input ends."""

from __future__ import annotations

import sys
from typing import Any

from opentelemetry import metrics
from opentelemetry.exporter.prometheus import PrometheusMetricReader
from opentelemetry.sdk.metrics import MeterProvider
from prometheus_client import start_http_server

from abs_shield import Shield, shield
from abs_shield.core.label import Label, Truth
from abs_shield.quality import AgentOutput, QualityConfig, QualityPipeline, Task
from abs_shield.quality.facts import Fact, FactTable

CARD = "Her card is 4111 1111 1111 1111."
FACT = Fact(subject="Acme", attribute="revenue", value="$50M")


def judge(messages: Any, schema: Any) -> dict[str, Any]:
    return {"approved": True, "reason": "", "readability": 80, "completeness": 80, "tone": 80}


def main() -> None:
    metrics.set_meter_provider(MeterProvider([PrometheusMetricReader()]))
    server, _ = start_http_server(0, addr="127.0.0.1")
    firewall = Shield(shield.configure(), hooks=None)
    config = QualityConfig(sample_rate=1, facts=FactTable([FACT]), judge=judge)
    pipeline = QualityPipeline(config, shield=firewall)
    for n in range(40):
        pipeline.run(AgentOutput(text=f"Part {n} is ready.", agent_id="writer", model="m-1"))
    held = [pipeline.run(AgentOutput(text=CARD)) for _ in range(4)]
    pipeline.run(AgentOutput(text="Acme's revenue was $58M."))
    pipeline.run(
        AgentOutput(text="Acme's revenue was $50M.", task=Task(estimated_impact_value=1e6))
    )
    pipeline.flush(30)
    if "labels" in sys.argv:
        truths = [Truth.HALLUCINATED] * 3 + [Truth.OK]
        for result, truth in zip(held, truths, strict=True):
            firewall.store.label(Label(decision_id=result.decision_id, truth=truth, at=1.0))
    print(server.server_port, flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    main()
