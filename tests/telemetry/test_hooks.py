"""Every hook hears of every decision, and none can break a call."""

from __future__ import annotations

import logging
import subprocess
import sys

import pytest

from abs_shield.telemetry import emit


def broken(decision: object) -> None:
    raise ValueError("no")


def test_a_hook_that_raises_does_not_silence_the_next(decide):
    """The second hook hears the decision although the first raised."""
    messages = []

    emit(decide(), [broken, messages.append])

    assert [d.id for d in messages] == ["d-1"]


def test_a_hook_that_raises_is_reported_once(decide, caplog):
    """One log record stands for many failures of one kind, with the traceback."""

    def fails(decision: object) -> None:
        raise KeyError("no")

    with caplog.at_level(logging.ERROR, "abs_shield"):
        for _ in range(3):
            emit(decide(), [fails])

    assert [(r.name, r.exc_info[0]) for r in caplog.records] == [("abs_shield", KeyError)]


def test_another_kind_of_failure_is_reported_too(decide, caplog):
    """A hook that fails in two ways is reported twice."""
    kinds = [TypeError, OSError, TypeError]

    def fails(decision: object) -> None:
        raise kinds.pop()

    with caplog.at_level(logging.ERROR, "abs_shield"):
        for _ in range(3):
            emit(decide(), [fails])

    assert [r.exc_info[0] for r in caplog.records] == [TypeError, OSError]


def test_an_interrupt_passes(decide):
    """KeyboardInterrupt is not ours to swallow."""

    def interrupted(decision: object) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        emit(decide(), [interrupted])


def test_the_room_imports_no_back_end():
    """Importing the room loads neither OpenTelemetry nor structlog."""
    code = (
        "import sys, abs_shield.telemetry;"
        "print([m for m in sys.modules if m.split('.')[0] in ('opentelemetry', 'structlog')])"
    )

    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert out.stdout.strip() == "[]"


def test_an_unknown_name_says_so():
    """The lazy room raises AttributeError as any module does."""
    import abs_shield.telemetry as room

    with pytest.raises(AttributeError, match="has no attribute 'Otell'"):
        _ = room.Otell
