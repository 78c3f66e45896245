"""LangChain's agents and LangGraph's graphs."""

from __future__ import annotations

import pytest

pytest.importorskip("langgraph", reason="the extra `langgraph` is not installed")

from tests.adapters.conformance import conforms
from tests.adapters.langgraph_driver import AWAITED, DRIVER, GRAPH

TestConformance = conforms(DRIVER)
TestAwaited = conforms(AWAITED)
TestGraph = conforms(GRAPH)
