"""The Anthropic SDK's messages, and its tool runner."""

from __future__ import annotations

import pytest

pytest.importorskip("anthropic", reason="the extra `anthropic` is not installed")

from tests.adapters.anthropic_driver import ASYNC, DRIVER, LOOP
from tests.adapters.conformance import conforms

TestRunner = conforms(DRIVER)
TestAsyncRunner = conforms(ASYNC)
TestLoop = conforms(LOOP)
