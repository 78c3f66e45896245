"""All panels of the dashboard, by row."""

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
"""Title of a row to its panels."""
