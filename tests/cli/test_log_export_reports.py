"""`abs-shield log export --reports` adds the report to each decision about an answer."""

from __future__ import annotations

import json

from typer.testing import CliRunner

from abs_shield import Shield, shield, shielded
from abs_shield.cli import app
from abs_shield.cli.usage_errors import BadInput
from abs_shield.stores import SqliteStore


def test_only_decisions_about_answers_have_a_report(tmp_path):
    """Lines of calls have no report; `--format parquet` with `--reports` is an error."""
    path = tmp_path / "log.db"
    store = SqliteStore(path)
    firewall = Shield(shield.configure(mode="audit"), store=store, hooks=None)

    @shielded(firewall)
    def find_booking(code: str) -> str:
        """Find a booking."""
        return f"Booking {code} costs 420.00 EUR."

    with firewall.session():
        find_booking("ABC123")
        firewall.check_answer("Booking ABC123 costs 420.00 EUR.")
    store.close()
    done = CliRunner().invoke(app, ["log", "export", str(path), "--reports"])
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    refused = CliRunner().invoke(
        app, ["log", "export", str(path), "--reports", "--format", "parquet", "-o", "x.parquet"]
    )

    assert [("answer", "emit")] == [
        (line["subject"], line["report"]["action"]) for line in lines if "report" in line
    ]
    assert len(lines) > 1
    assert isinstance(refused.exception, BadInput)
