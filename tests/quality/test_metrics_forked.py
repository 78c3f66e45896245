"""A forked worker exports the outputs that it judged itself."""

from __future__ import annotations

from pathlib import Path

from tests.processes import run_python
from tests.requirements import needs_fork

PROGRAM = """
import os
from opentelemetry import metrics
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from abs_shield.quality import AgentOutput, QualityConfig, QualityPipeline

reader = InMemoryMetricReader()
metrics.set_meter_provider(MeterProvider([reader], shutdown_on_exit=False))
pipeline = QualityPipeline(QualityConfig())


def judged():
    data = reader.get_metrics_data()
    return max(  # a stage that runs on a sample has fewer
        p.count
        for r in data.resource_metrics for s in r.scope_metrics for m in s.metrics
        if m.name == "quality_pipeline_stage_duration_seconds" for p in m.data.data_points
    )


for _ in range(3):
    pipeline.run(AgentOutput(text="All is well."))
child = os.fork()
if not child:
    pipeline.run(AgentOutput(text="All is well."))
    print(judged(), flush=True)
    os._exit(0)
os.waitpid(child, 0)
print(judged())
"""


@needs_fork
def test_a_child_exports_only_its_own_outputs() -> None:
    """The child's histogram has its one output; the parent's has three."""
    done = run_python("-W", "error", "-c", PROGRAM, check=False, cwd=Path(__file__).parents[2])

    assert ("1\n3\n", "") == (done.stdout, done.stderr)
