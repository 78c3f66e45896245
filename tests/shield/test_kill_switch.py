"""The operator's kill switch can only stop enforcement."""

from __future__ import annotations

from time import monotonic, sleep

import pytest

from abs_shield import PolicyError, ToolCall
from abs_shield.shield.kill_switch import MODE, MODE_FILE

WRONG = ToolCall("refund", {"amount": "five"})


@pytest.fixture
def file(tmp_path, monkeypatch):
    """Set the environment variable, and return the file, which does not exist yet."""
    path = tmp_path / "mode"
    monkeypatch.setenv(MODE_FILE, str(path))
    return path


def blocks_within_a_second(firewall, wanted):
    """Return whether calls are blocked as *wanted* within little more than a second."""
    end = monotonic() + 1.2
    while monotonic() < end:
        if firewall.check_call(WRONG).blocked is wanted:
            return wanted
        sleep(0.05)
    return not wanted


@pytest.mark.parametrize(
    ("word", "blocked"), [("audit", False), (" Audit\n", False), ("strict", True), ("", True)]
)
def test_the_environment_stops_enforcement_at_start(make_shield, monkeypatch, word, blocked):
    """With ``ABS_SHIELD_MODE=audit`` nothing is blocked; the record has `would_block`."""
    monkeypatch.setenv(MODE, word)
    decision = make_shield().check_call(WRONG)

    assert (blocked, True) == (decision.blocked, decision.would_block)
    assert ("strict" if blocked else "audit") == decision.mode


def test_the_switch_cannot_restart_enforcement(make_shield, monkeypatch):
    """``strict`` does not change an audit policy."""
    monkeypatch.setenv(MODE, "strict")

    assert not make_shield(mode="audit").check_call(WRONG).blocked


@pytest.mark.parametrize(
    "modes", [{"refund": "strict"}, {("refund", "parameter_mismatch"): "strict"}]
)
def test_the_switch_overrides_every_mode(make_shield, monkeypatch, modes):
    """Strict tools and pairs are not enforced either."""
    monkeypatch.setenv(MODE, "audit")

    assert not make_shield(modes=modes).check_call(WRONG).blocked


def test_the_switch_overrides_an_approval(make_shield, suspect, monkeypatch):
    """No approval is requested while enforcement is off."""
    monkeypatch.setenv(MODE, "audit")
    requests = []
    firewall = make_shield(layers=[suspect], on_suspicious="approve", approver=requests.append)

    assert not firewall.check_call(ToolCall("refund", {"amount": -1})).blocked
    assert [] == requests


def test_a_clean_call_has_the_mode_audit_too(make_shield, monkeypatch):
    """Every record while enforcement is off has the mode audit."""
    monkeypatch.setenv(MODE, "audit")

    assert "audit" == make_shield().check_call(ToolCall("refund", {"amount": 5})).mode


@pytest.mark.parametrize("word", ["off", "audti", "1", "true"])
def test_an_invalid_word_is_an_error_at_start(make_shield, monkeypatch, word):
    """A misspelt word raises when the Shield is created."""
    monkeypatch.setenv(MODE, word)

    with pytest.raises(PolicyError, match=MODE):
        make_shield()


def test_an_invalid_file_is_an_error_at_start(make_shield, file):
    """A misspelt word in the file raises, too."""
    file.write_text("off")

    with pytest.raises(PolicyError, match=MODE_FILE):
        make_shield()


@pytest.mark.slow
def test_the_file_is_noticed_without_a_restart(make_shield, file):
    """The file stops enforcement within a second; without it, calls are blocked again."""
    firewall = make_shield()
    closed = firewall.check_call(WRONG).blocked
    file.write_text("audit\n")
    opened = blocks_within_a_second(firewall, False)
    file.unlink()

    assert (True, False, True) == (closed, opened, blocks_within_a_second(firewall, True))


def test_an_invalid_word_later_is_logged_and_ignored(make_shield, file, caplog):
    """A running Shield keeps its state, and logs the error once."""
    firewall = make_shield()
    file.write_text("off")
    sleep(0.55)
    blocked = [firewall.check_call(WRONG).blocked for _ in range(3)]
    messages = [record for record in caplog.records if MODE_FILE in record.getMessage()]

    assert ([True] * 3, ["ERROR"]) == (blocked, [record.levelname for record in messages])


def test_an_invalid_word_later_does_not_restart_enforcement(make_shield, file):
    """A partly written file does not restart enforcement."""
    file.write_text("audit")
    firewall = make_shield()
    file.write_text("aud")
    sleep(0.55)

    assert not firewall.check_call(WRONG).blocked
