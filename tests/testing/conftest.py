"""A Shield of two refund tools, and pytest runs inside pytest."""

from __future__ import annotations

from importlib.metadata import entry_points
from pathlib import Path
from typing import Annotated

import pytest

import abs_shield
from abs_shield import Shield, Target, rule, shield, shielded
from abs_shield.shield.shared_tools import SHARED

ROOT = Path(abs_shield.__file__).parents[1]
STRICT = ("-W", "error", "--strict-markers", "-p", "no:cacheprovider")


@rule(tool="refund")
def refund_is_small(amount: float) -> bool:
    """A refund is at most 500."""
    return amount <= 500


@pytest.fixture(autouse=True)
def no_shared_tools():
    """Remove the shared tools, and restore them after the test."""
    before = dict(SHARED.bindings)
    SHARED.bindings.clear()
    yield
    SHARED.bindings.clear()
    SHARED.bindings.update(before)


@pytest.fixture
def make_shield():
    """Return a function that creates a Shield with `find_order` and `refund`."""

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
def firewall(make_shield):
    """A strict Shield with both tools."""
    return make_shield()


@pytest.fixture
def inner(pytester):
    """Return a function that runs pytest on a source in this process, with warnings as errors."""
    installed = {point.name for point in entry_points(group="pytest11")}
    plugin = () if "abs_shield" in installed else ("-p", "abs_shield.testing.plugin")

    def run(source, *options):
        pytester.makepyfile(test_inner=source)
        return pytester.runpytest_inprocess(*STRICT, *plugin, *options)

    return run


@pytest.fixture
def alone(pytester, monkeypatch):
    """Return a function that runs pytest in its own process with only this plugin."""
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")

    def run(source, *options):
        pytester.makepyfile(test_inner=source)
        return pytester.runpytest_subprocess(*STRICT, "-p", "abs_shield.testing.plugin", *options)

    return run
