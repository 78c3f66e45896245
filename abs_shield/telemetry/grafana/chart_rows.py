"""All panels of the dashboard, by the row that they stand in."""

from __future__ import annotations

from abs_shield.telemetry.grafana.decision_charts import CHECKS, LOG, OVERVIEW, RISK, VERDICTS
from abs_shield.telemetry.grafana.output_charts import OUTPUTS

ROWS = {
    "Overview": OVERVIEW,
    "Where the agents hallucinate": RISK,
    "Verdicts": VERDICTS,
    "Checks": CHECKS,
    "Outputs: the quality cascade": OUTPUTS,
    "Decision log": LOG,
}
"""The panels by the row that they stand in."""
