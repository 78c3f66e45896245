"""Fixtures that declare a policy in one line and prove it against the tools that it declares."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from abs_shield import Tool
from abs_shield.plan.proof import Proof, prove
from abs_shield.policy import configure

AT = 1_800_000_000.0
"""In January 2027."""


@pytest.fixture
def tool() -> Callable[..., Tool]:
    """Return a function that makes a tool: `tool("pay", amount={"type": "number"})`."""

    def make(name: str, /, *, declared: Any = None, **properties: Any) -> Tool:
        parameters = {"type": "object", "properties": properties, "required": [*properties]}
        return Tool(name=name, parameters=parameters, **(declared or {}))

    return make


@pytest.fixture
def proof() -> Callable[..., Proof]:
    """Return a function that proves a policy; by default only the rules' layer runs."""

    def make(*tools: Tool, **declared: Any) -> Proof:
        declared.setdefault("layers", ["impossible_state"])
        return prove(configure(tools=tools, **declared), at=AT)

    return make


@pytest.fixture
def texts(proof: Callable[..., Proof]) -> Callable[..., list[str]]:
    """Return a function that proves a policy and returns the messages and hints with one code."""

    def make(code: str, /, *tools: Tool, **declared: Any) -> list[str]:
        proved = proof(*tools, **declared)
        results = [each for each in (*proved.problems, *proved.notes) if each.code == code]
        return [f"{each.message}; {each.hint}" for each in results]

    return make
