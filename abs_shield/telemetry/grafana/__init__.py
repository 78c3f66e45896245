"""A Grafana dashboard and Prometheus alert rules for the metrics of abs_shield."""

from __future__ import annotations

from importlib.resources import files

DASHBOARD = "dashboard.json"
ALERTS = "alerts.yaml"


def read_dashboard() -> str:
    """Return the dashboard as JSON, ready for an import into Grafana."""
    return _read(DASHBOARD)


def read_alerts() -> str:
    """Return the alert rules as YAML, a rule file of Prometheus."""
    return _read(ALERTS)


def _read(name: str) -> str:
    return files(__name__).joinpath(name).read_text(encoding="utf-8")
