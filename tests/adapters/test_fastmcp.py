"""FastMCP's middleware: all scenes, and what only a server meets."""

from __future__ import annotations

import pytest

pytest.importorskip("fastmcp", reason="the extra `fastmcp` is not installed")

from tests.adapters.conformance import conforms
from tests.adapters.fastmcp_driver import DRIVER

TestConformance = conforms(DRIVER)
