"""The OpenAI SDK's chat completions."""

from __future__ import annotations

import pytest

pytest.importorskip("openai", reason="the extra `openai` is not installed")

from tests.adapters.conformance import conforms
from tests.adapters.openai_driver import DRIVER

TestConformance = conforms(DRIVER)
