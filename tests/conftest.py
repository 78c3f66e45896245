"""Hypothesis profiles (`fast` by default, `ci`, `long`), plugins, and the order of the tests."""

from __future__ import annotations

import atexit
import gc
import os
import shutil
import tempfile
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

pytest_plugins = ("pytester", "tests.postgres", "tests.run_files")

os.environ["XDG_STATE_HOME"] = tempfile.mkdtemp(
    prefix="abs_shield-state"
)  # not the tester's own log
atexit.register(shutil.rmtree, os.environ["XDG_STATE_HOME"], ignore_errors=True)

for name, examples in (("fast", 15), ("ci", 60)):
    settings.register_profile(
        name, deadline=None, max_examples=examples, derandomize=True,
        suppress_health_check=[HealthCheck.too_slow],
    )  # fmt: skip
settings.register_profile(
    "long", deadline=None, max_examples=1_000, derandomize=False,
    suppress_health_check=[HealthCheck.too_slow],
)  # fmt: skip
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "fast"))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Schedule neighbouring tests in one process: what a file sets up once serves more of them."""
    from xdist.scheduler import WorkStealingScheduling

    return WorkStealingScheduling(config, log) if config.getoption("dist") == "load" else None


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """
    Keep modules and collected tests, of which nothing becomes garbage, out of garbage collections.

    They are most of the objects of the process: to traverse them takes half a second each time.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()
