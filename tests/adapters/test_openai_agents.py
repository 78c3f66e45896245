"""The OpenAI Agents SDK: the common scenes, and what is special to it."""

from __future__ import annotations

import pytest

pytest.importorskip("agents", reason="the extra `openai-agents` is not installed")

from tests.adapters.conformance import conforms
from tests.adapters.openai_agents_driver import DRIVER

TestConformance = conforms(DRIVER)
