"""
The pytest plugin: the `decisions` fixture and the `no_shield` marker.

pytest loads it by its entry point; the shield is imported only when a test uses it.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import nullcontext
from typing import TYPE_CHECKING

import pytest

from abs_shield import testing

if TYPE_CHECKING:
    from abs_shield.testing.decision_list import CapturedDecisions

_MARKER = (
    "no_shield: run the body of this test with every abs_shield Shield off: tools run unjudged, "
    "and their decisions say so. Fixtures run as usual."
)


def pytest_configure(config: pytest.Config) -> None:
    """Register the marker for ``--markers`` and ``--strict-markers``."""
    config.addinivalue_line("markers", _MARKER)


@pytest.fixture
def decisions() -> Iterator[CapturedDecisions]:
    """Every decision that any Shield records during this test; ``results`` about results."""
    with testing.capture_decisions() as captured:
        yield captured


@pytest.hookimpl(hookwrapper=True)  # the old form: a host's pytest may be older than ours
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    """Run the body of a test with the `no_shield` marker with the shield off."""
    marked = item.get_closest_marker("no_shield") is not None
    with testing.no_shield() if marked else nullcontext():
        yield
