"""A watchdog: a hostile case that hangs fails instead of holding everything up."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator

import pytest

SECONDS = 1_800 if os.environ.get("HYPOTHESIS_PROFILE") == "long" else 60


@pytest.fixture(autouse=True)
def watchdog() -> Iterator[None]:
    """End a test that takes far longer than any bound allows; where there are no signals, none."""
    if not hasattr(signal, "SIGALRM"):
        yield
        return

    def bark(*_: object) -> None:
        pytest.fail(f"not done after {SECONDS} seconds", pytrace=True)

    before = signal.signal(signal.SIGALRM, bark)
    signal.alarm(SECONDS)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)
