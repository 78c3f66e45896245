"""A Shield of two refund tools that the helpers are tried on, and inner pytest runs."""

from __future__ import annotations

from importlib.metadata import entry_points
from pathlib import Path
from typing import Annotated

import pytest

import abs_shield
from abs_shield import Shield, Target, rule, shield, shielded
from abs_shield.shield.registry import SHARED

ROOT = Path(abs_shield.__file__).parents[1]


@rule(tool="refund")
def refund_is_small(amount: float) -> bool:
    """A refund is at most 500."""
    return amount <= 500


@pytest.fixture(autouse=True)
def no_shared_tools():
    """What one test decorates without a Shield is known to no other test."""
    before = dict(SHARED.bindings)
    SHARED.bindings.clear()
    yield
    SHARED.bindings.clear()
    SHARED.bindings.update(before)


@pytest.fixture
def desk():
    """Makes a Shield with `find_order` and `refund`; keywords go to its policy."""

    def make(**declared):
        firewall = Shield(shield.configure(**{"rules": [refund_is_small], **declared}), hooks=None)

        @shielded(firewall)
        def find_order(email: str) -> dict:
            """Find the last order of a customer."""
            return {"transaction_id": "tx_12345", "total": 20.0}

        @shielded(firewall)
        def refund(transaction_id: Annotated[str, Target()], amount: float) -> str:
            """Refund a transaction."""
            return f"refunded {amount}"

        return firewall

    return make


@pytest.fixture
def firewall(desk):
    """A strict Shield with both tools."""
    return desk()


@pytest.fixture
def inner(pytester, monkeypatch):
    """Runs pytest on the source of one test file, in a process of its own, warnings as errors."""
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    installed = {point.name for point in entry_points(group="pytest11")}
    plugin = () if "abs_shield" in installed else ("-p", "abs_shield.testing.plugin")

    def run(source, *options):
        pytester.makepyfile(test_inner=source)
        return pytester.runpytest_subprocess(
            "-W", "error", "--strict-markers", "-p", "no:cacheprovider", *plugin, *options
        )

    return run
