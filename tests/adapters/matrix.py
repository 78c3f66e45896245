"""
Print the matrix of `docs/adapters.md`, for the frameworks that are installed here.

    python -m tests.adapters.matrix
"""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec

from tests.adapters.conformance import cells

FRAMEWORKS = {
    "openai": "openai",
    "anthropic": "anthropic",
    "openai_agents": "agents",
    "langgraph": "langgraph",
    "pydantic_ai": "pydantic_ai",
    "fastmcp": "fastmcp",
}
"""Adapter to the module without which it cannot be played."""


def main() -> None:
    """Print one row a scene and adapter."""
    for adapter, module in FRAMEWORKS.items():
        if find_spec(module) is None:
            continue
        driver = import_module(f"tests.adapters.{adapter}_driver").DRIVER
        for scene, cell in cells(driver):
            print(f"| {adapter} | {scene} | {cell} |")


if __name__ == "__main__":
    main()
