"""An adapter whose framework is not installed names its extra."""

from __future__ import annotations

import importlib
import sys

import pytest

from abs_shield.core.optional_extras import requires_extra

FRAMEWORKS = {
    "anthropic": "anthropic",
    "fastmcp": "fastmcp",
    "langgraph": "langchain",
    "openai_agents": "agents",
    "pydantic_ai": "pydantic_ai",
}


@pytest.mark.parametrize(("adapter", "module"), FRAMEWORKS.items())
def test_the_message_names_the_extra(
    adapter: str, module: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is still a `ModuleNotFoundError`, so that a fallback of the host works."""
    for name in [*sys.modules]:
        if name.partition(".")[0] == module or name.startswith(f"abs_shield.adapters.{adapter}"):
            monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, module, None)  # as if it were not installed
    extra = adapter.replace("_", "-")

    with pytest.raises(ModuleNotFoundError) as caught:
        importlib.import_module(f"abs_shield.adapters.{adapter}")

    assert f'run `pip install "abs-shield[{extra}]"`' in str(caught.value)
    assert str(caught.value.name).partition(".")[0] == module


def test_a_missing_module_of_the_package_is_shown_as_it_is() -> None:
    """An extra would not install it."""
    with pytest.raises(ModuleNotFoundError) as caught, requires_extra("openai"):
        importlib.import_module("abs_shield.nothing")

    assert "No module named 'abs_shield.nothing'" == str(caught.value)
