"""`abs-shield grafana`: the dashboard and the alert rules, as they are in the package."""

from __future__ import annotations

import json
import subprocess
import sys

from abs_shield.telemetry.grafana import read_alerts, read_dashboard


def test_the_dashboard(command):
    """It is printed as JSON."""
    done = command("grafana")

    assert (0, read_dashboard(), "") == done
    assert "abs-shield" == json.loads(done.out)["uid"]


def test_the_alerts(command, tmp_path):
    """They are printed, or written to a file."""
    done = command("grafana", "--alerts")
    command("grafana", "--alerts", "-o", tmp_path / "alerts.yaml")

    assert (0, read_alerts(), "") == done
    assert read_alerts() == (tmp_path / "alerts.yaml").read_text()


def test_it_needs_no_extra():
    """The files are in the package; the library that makes them is not imported."""
    code = (
        "import sys; from abs_shield.cli import main; main(['grafana'])\n"
        "sys.exit('grafana_foundation_sdk' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], stdout=-1, text=True)

    assert (0, read_dashboard()) == (done.returncode, done.stdout)
