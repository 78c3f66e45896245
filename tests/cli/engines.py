"""The engines that have to give what one process gives: two workers, three, and Ray."""

from __future__ import annotations

import importlib.util

import pytest

ENGINES = [
    pytest.param(("--workers", "2"), id="two"),
    pytest.param(("--engine", "processes", "--workers", "3"), id="three"),
    pytest.param(
        ("--engine", "ray", "--workers", "2"),
        id="ray",
        marks=pytest.mark.skipif(
            importlib.util.find_spec("ray") is None, reason="Ray is not installed: the extra `ray`"
        ),
    ),
]
