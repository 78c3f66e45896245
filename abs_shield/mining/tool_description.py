"""Prepare a tool's description for a policy module: a valid schema of bounded size and depth."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from abs_shield.errors import PolicyError
from abs_shield.plan import ToolPlan, compile_tool
from abs_shield.policy import Policy, Tool, configure
from abs_shield.text.show import escaped

LONGEST_DESCRIPTION = 1_000
"""Maximum length of a description: the text that a layer reads."""
_MOST_NODES = 5_000  # a module with more is not readable; the schema is then left out
_MOST_CHARACTERS = 400_000  # characters of one schema in the module
_DEEPEST = 40  # well below the 200 nested brackets that Python reads
_VALUES = frozenset({"enum", "const", "default", "examples", "example"})
_PLAIN: Policy = configure(mode="audit")


@dataclass(frozen=True, slots=True, kw_only=True)
class DescribedTool:
    """
    A tool as it is written to the module.

    Attributes:
        plan: The compiled tool, without settings of a policy.
        why: The reason if its schema is left out; else empty.
    """

    tool: Tool
    plan: ToolPlan
    why: str = ""


def describe_tool(tool: Tool) -> DescribedTool:
    """Return *tool* as it can be written to a module, compiled once."""
    why = _size_problem(tool)
    if not why:
        short = _with_short_descriptions(tool.parameters)
        about = tool.description[:LONGEST_DESCRIPTION]
        written = tool.model_copy(update={"description": about, "parameters": short})
        try:
            plan = compile_tool(written, _PLAIN, tolerant=True)
        # any of these for a schema from outside
        except (PolicyError, RecursionError, ValueError, TypeError) as error:
            why = f"{type(error).__name__}: {error}"
        else:
            why = plan.broken
            if not why:
                return DescribedTool(tool=written, plan=plan)
        why = f"it cannot be compiled: {escaped(why, limit=300)}"
    bare = tool.model_copy(
        update={"description": tool.description[:LONGEST_DESCRIPTION], "parameters": None}
    )
    plan = compile_tool(bare, _PLAIN, tolerant=True)  # without a schema it always compiles
    return DescribedTool(tool=bare, plan=plan, why=f"its schema is left out: {why}")


def _size_problem(tool: Tool) -> str:
    try:
        _Size().add(tool.parameters, 0)
    except OverflowError as error:
        return str(error)
    return ""


class _Size:
    """Counts the size of a schema in a module."""

    def __init__(self) -> None:
        self._nodes = self._characters = 0

    def add(self, value: Any, depth: int) -> None:
        """
        Count one value and its children.

        Raises:
            OverflowError: The schema is too large.
        """
        self._nodes += 1
        self._characters += len(value) if isinstance(value, str) else 0
        if depth > _DEEPEST:
            raise OverflowError(f"it is nested deeper than {_DEEPEST} levels")
        if self._nodes > _MOST_NODES or self._characters > _MOST_CHARACTERS:
            raise OverflowError(f"it holds more than {_MOST_NODES:,} values, or too much text")
        if isinstance(value, Mapping):
            for key, held in value.items():
                self._characters += len(str(key))
                self.add(held, depth + 1)
        elif isinstance(value, (list, tuple)):
            for held in value:
                self.add(held, depth + 1)


def _with_short_descriptions(schema: Any) -> Any:
    """Return the schema with truncated descriptions; values are not changed."""
    if isinstance(schema, list):
        return [_with_short_descriptions(each) for each in schema]
    if not isinstance(schema, Mapping):
        return schema
    result: dict[str, Any] = {}
    for key, held in schema.items():
        if key == "description" and isinstance(held, str):
            result[key] = held[:LONGEST_DESCRIPTION]
        else:
            # values that look like schemas are data
            result[key] = held if key in _VALUES else _with_short_descriptions(held)
    return result
