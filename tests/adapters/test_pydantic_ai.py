"""pydantic-ai's agents."""

from __future__ import annotations

import pytest

pytest.importorskip("pydantic_ai", reason="the extra `pydantic-ai` is not installed")

from tests.adapters.conformance import conforms
from tests.adapters.pydantic_ai_driver import DRIVER

TestConformance = conforms(DRIVER)
