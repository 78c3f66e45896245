"""The case-folded text of a run, which reads each event once."""

from __future__ import annotations

from abs_shield.core.events import MessageText, Returned
from abs_shield.session.event_log import APART, EventLog
from tests.hostile.steps import steps


def test_it_grows_with_the_log() -> None:
    """The text has new events, but no texts of the agent and no errors."""
    log = EventLog(1_000)
    log.append(MessageText("user", "Delete /Tmp/A."))
    assert "delete /tmp/a." == log.casefolded_text()

    log.append(MessageText("assistant", "Sure."))
    log.append(Returned(name="look", value={"Path": "/Tmp/B"}))
    log.append(Returned(name="look", value="/Tmp/C", error=True))

    assert APART.join(("delete /tmp/a.", "/tmp/b", "path")) == log.casefolded_text()
    assert log.casefolded_text() is log.casefolded_text()


def test_it_is_bounded_as_the_log_is() -> None:
    """The text is at most twice as long as the stored events."""
    log = EventLog(2_000)
    for n in range(200):
        log.append(MessageText("user", f"row {n} " + 100 * "x"))
        assert len(log.casefolded_text()) <= 4_200

    assert "row 199 " in log.casefolded_text()
    assert "row 100 " not in log.casefolded_text()


def test_each_text_is_read_once() -> None:
    """A query takes the same time in a long run as in a short one."""
    log = EventLog(1 << 20)

    def say() -> None:
        log.append(MessageText("user", "Delete /Tmp/A."))
        log.casefolded_text()

    first = steps(say)
    for _ in range(500):
        say()

    assert steps(say) <= first + 5
