"""`abs-shield grafana` prints the dashboard and the alert rules of the package."""

from __future__ import annotations

import json
import subprocess
import sys

from abs_shield.telemetry.grafana import read_alerts, read_dashboard


def test_the_dashboard(command):
    """Without an option the dashboard is printed as JSON."""
    done = command("grafana")

    assert (0, read_dashboard(), "") == done
    assert "abs-shield" == json.loads(done.out)["uid"]


def test_the_alerts(command, tmp_path):
    """`--alerts` prints the alert rules, or writes them to a file with `-o`."""
    done = command("grafana", "--alerts")
    command("grafana", "--alerts", "-o", tmp_path / "alerts.yaml")

    assert (0, read_alerts(), "") == done
    assert read_alerts() == (tmp_path / "alerts.yaml").read_text()


def test_the_command_needs_no_extra():
    """The command reads the shipped files and does not import the library that builds them."""
    code = (
        "import sys; from abs_shield.cli import main; main(['grafana'])\n"
        "sys.exit('grafana_foundation_sdk' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], stdout=-1, text=True)

    assert (0, read_dashboard()) == (done.returncode, done.stdout)
