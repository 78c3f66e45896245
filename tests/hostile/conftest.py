"""A watchdog: a hostile case that hangs fails instead of holding everything up."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator

import pytest

SECONDS = 1_800 if os.environ.get("HYPOTHESIS_PROFILE") == "long" else 60


@pytest.fixture(autouse=True)
def watchdog() -> Iterator[None]:
    """Fail a test that takes too long; do nothing on systems without signals."""
    if not hasattr(signal, "SIGALRM"):
        yield
        return

    def fail(*_: object) -> None:
        pytest.fail(f"not done after {SECONDS} seconds", pytrace=True)

    before = signal.signal(signal.SIGALRM, fail)
    signal.alarm(SECONDS)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)
