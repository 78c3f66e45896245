"""Every hook is called with every decision, and none can break a call."""

from __future__ import annotations

import logging

import pytest

from abs_shield.telemetry import emit
from tests.processes import run_python


def broken(decision: object) -> None:
    raise ValueError("no")


def test_a_hook_that_raises_does_not_stop_the_next(decide):
    """The second hook is called although the first one raised."""
    messages = []

    emit(decide(), [broken, messages.append])

    assert [d.id for d in messages] == ["d-1"]


def test_a_hook_that_raises_is_reported_once(decide, caplog):
    """Repeated failures of one kind are one log record with a traceback."""

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
    """KeyboardInterrupt is not caught."""

    def interrupted(decision: object) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        emit(decide(), [interrupted])


def test_the_package_imports_no_back_end():
    """Importing `abs_shield.telemetry` loads neither OpenTelemetry nor structlog."""
    code = (
        "import sys, abs_shield.telemetry;"
        "print([m for m in sys.modules if m.split('.')[0] in ('opentelemetry', 'structlog')])"
    )

    out = run_python("-c", code)

    assert out.stdout.strip() == "[]"


def test_an_unknown_name_is_an_attribute_error():
    """The package resolves its names lazily, and raises as any module does."""
    import abs_shield.telemetry as room

    with pytest.raises(AttributeError, match="has no attribute 'Otell'"):
        _ = room.Otell
