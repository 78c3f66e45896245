"""Regenerate the dashboard and the alert rules: `python -m abs_shield.telemetry.grafana`."""

from __future__ import annotations

from pathlib import Path

from abs_shield.telemetry.grafana import ALERTS, DASHBOARD
from abs_shield.telemetry.grafana.alert_rules import rules_text
from abs_shield.telemetry.grafana.grafana_dashboard import dashboard_text


def main() -> None:
    """Write both files of the package."""
    folder = Path(__file__).parent
    (folder / DASHBOARD).write_text(dashboard_text(), encoding="utf-8")
    (folder / ALERTS).write_text(rules_text(), encoding="utf-8")


if __name__ == "__main__":
    main()
