"""`abs-shield grafana`: a dashboard for Grafana, and alert rules for Prometheus."""

from __future__ import annotations

from typing import Annotated

import typer

from abs_shield.telemetry.grafana import read_alerts, read_dashboard

app = typer.Typer(add_completion=False, rich_markup_mode=None)


@app.command(epilog="Example: abs-shield grafana -o dashboard.json")
def grafana(
    alerts: Annotated[
        bool, typer.Option("--alerts", help="Print Prometheus alert rules instead.")
    ] = False,
) -> None:
    """
    Print a Grafana dashboard for the metrics of abs_shield, as JSON to import.

    With --alerts it prints a Prometheus rule file, as YAML.
    """
    print(read_alerts() if alerts else read_dashboard(), end="")
