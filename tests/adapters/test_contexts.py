"""The context that a framework passes to a tool is not an argument of the model."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import Any

import pytest

from abs_shield import Shield, shield, shielded
from abs_shield.shield.function_hints import CONTEXTS

PLACES = {
    "agents": "agents.tool_context:ToolContext",  # derived from `RunContextWrapper`
    "fastmcp": "fastmcp:Context",
    "langgraph": "langchain.tools:ToolRuntime",
    "mcp": "mcp.server.mcpserver:Context",
    "pydantic_ai": "pydantic_ai:RunContext",
}


@pytest.mark.parametrize("package", PLACES)
def test_a_parameter_with_a_context_type_is_not_offered_to_the_model(package):
    """The type alone is enough: neither a mark nor a certain name is needed."""
    if find_spec(package) is None:
        pytest.skip(f"`{package}` is missing; docs/adapters.md names its extra")
    module, _, name = PLACES[package].partition(":")
    context = getattr(import_module(module), name)
    firewall = Shield(shield.configure(mode="strict"))

    def look(ctx: Any, order_id: str) -> str:
        return order_id

    look.__annotations__["ctx"] = context
    shielded(firewall)(look)
    (tool,) = firewall.tool_schemas("openai")

    assert ["order_id"] == [*tool["function"]["parameters"]["properties"]]


def test_every_framework_of_the_table_is_tested():
    """The table has no package that these tests do not import."""
    assert {package for package, _ in CONTEXTS} == PLACES.keys()
