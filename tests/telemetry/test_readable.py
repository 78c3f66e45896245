"""The readable log line on a terminal, and the cases in which lines are JSON."""

from __future__ import annotations

import json
import logging
import os
import pty
import subprocess
import sys

import pytest
import structlog

from abs_shield import ShieldError
from abs_shield.telemetry import StructLog
from abs_shield.telemetry.readable_line import readable_line

CODE = """
import logging
from abs_shield import CallBlocked, Shield, shield, shielded
{before}
firewall = Shield(shield.configure(mode="strict"))
@shielded(firewall)
def refund(amount: float) -> str:
    "Refund."
    return "done"
try:
    firewall.dispatch("refund", {{"amount": "SECRET\\x1b[2J"}})
except CallBlocked:
    pass
"""


def output_of_block(before: str = "", **env: str) -> list[str]:
    """Block one call in a process whose stderr is a terminal, and return its output."""
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        [sys.executable, "-c", CODE.format(before=before)], stderr=theirs, env={**os.environ, **env}
    ) as process:
        os.close(theirs)
        text = b""
        try:
            while piece := os.read(ours, 4096):
                text += piece
        except OSError:  # what Linux raises where the other side is closed
            pass
        finally:
            os.close(ours)
    assert 0 == process.returncode, text.decode()
    return text.decode().splitlines()


def test_a_terminal_gets_a_readable_line():
    """The line has verdict, tool, action, reason and id, and no value of an argument."""
    (line,) = output_of_block()

    assert line.startswith("abs-shield: HALLUCINATED refund: blocked; parameter_mismatch (")
    assert "; decision " in line
    assert len(line) < 160
    assert "SECRET" not in line


def test_a_host_that_configured_structlog_gets_json():
    """If the host configured structlog, lines are JSON also on a terminal."""
    (line,) = output_of_block("import structlog; structlog.configure()")

    assert "HALLUCINATED" == json.loads(line)["verdict"]


BOTH = "logging.StreamHandler(), logging.FileHandler('calls.log')"


@pytest.mark.parametrize("handlers", ["logging.FileHandler('calls.log')", BOTH])
def test_a_file_gets_json(handlers, tmp_path, monkeypatch):
    """If some lines go to a file, all lines are JSON, so that programs can parse them."""
    monkeypatch.chdir(tmp_path)
    lines = output_of_block(f"logging.basicConfig(handlers=[{handlers}], format='%(message)s')")
    lines += (tmp_path / "calls.log").read_text().splitlines()

    assert {"HALLUCINATED"} == {json.loads(line)["verdict"] for line in lines}


@pytest.mark.parametrize(("word", "is_json"), [("json", True), ("LINE", False), ("", False)])
def test_an_environment_variable_sets_the_format(word, is_json):
    """`ABS_SHIELD_LOG_FORMAT` applies to every Shield of a process."""
    (line,) = output_of_block(ABS_SHIELD_LOG_FORMAT=word)

    assert is_json == line.startswith("{")


@pytest.mark.parametrize(("format", "is_json"), [("json", True), ("line", False), (None, True)])
def test_an_argument_sets_the_format(caplog, decide, format, is_json):
    """Without the argument, output that is not a terminal is JSON."""
    with caplog.at_level(logging.INFO, "abs_shield"):
        StructLog(format)(decide())

    assert [is_json] == [record.message.startswith("{") for record in caplog.records]


def test_an_unknown_format(monkeypatch):
    """An unknown format is a one-line error at startup."""
    monkeypatch.setenv("ABS_SHIELD_LOG_FORMAT", "jsno")
    with pytest.raises(ShieldError, match="`ABS_SHIELD_LOG_FORMAT` is `jsno`; use one of auto, l"):
        StructLog()
    with pytest.raises(ShieldError, match="`format` is `text`; use one of auto, line, json"):
        StructLog("text")


def test_a_readable_line_has_checks_and_internal_errors(decide, finding):
    """Each check is named once, and control characters in names are escaped."""
    decision = decide(finding(), finding(), errors=("phantom_tool: broke\x1b",), id="d\x1b")
    line = readable_line(decision)

    assert 1 == line.count(f"{finding().check} ({finding().code})")
    assert "error: phantom_tool: broke\\x1b" in line
    assert "\x1b" not in line
    assert line.startswith("abs-shield: SUSPICIOUS refund: runs, flagged; ")


def test_the_readable_format_does_not_configure_structlog():
    """Creating a `StructLog` leaves structlog unconfigured."""
    StructLog("line")

    assert not structlog.is_configured()
