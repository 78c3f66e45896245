"""The input of a proof's checks: a policy, its compiled tools, and samples."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cached_property
from types import MappingProxyType
from typing import Any

from abs_shield.plan.compile import compile_tool, rejects_name
from abs_shield.plan.mark_places import Names
from abs_shield.plan.tool_plan import ToolPlan
from abs_shield.policy import Policy, Tool
from abs_shield.policy.declaration_base import SourceLocation
from abs_shield.schema import CompiledSchema
from abs_shield.schema.samples import Pool, Samples
from abs_shield.text.nearest import nearest
from abs_shield.text.safe_display import escaped

Arguments = dict[str, Any]


class ProofContext:
    """
    The input of every check of a proof.

    Args:
        policy: The policy to check.
        tools: The tools by name, combined with the policy's declarations.
        at: Time for which the policy is checked, in seconds since the epoch.
        names: For the tools of functions: returns all names of the fields of their models.

    Attributes:
        sample_count: Number of sampled calls that rules were run on so far.
    """

    def __init__(
        self,
        policy: Policy,
        tools: Mapping[str, Tool],
        *,
        at: float,
        names: Mapping[str, Names] = MappingProxyType({}),
    ) -> None:
        self.policy = policy
        self.tools = tools
        self.at = at
        self.names = names
        self.sample_count = 0
        self._declared = {tool.name: tool for tool in policy.tools}

    @cached_property
    def plans(self) -> Mapping[str, ToolPlan]:
        """The compiled tools by name; the plan of a schema that does not compile has its error."""
        return {name: self._compile(tool) for name, tool in self.tools.items()}

    def _compile(self, tool: Tool) -> ToolPlan:
        try:
            return compile_tool(tool, self.policy, tolerant=True)
        except Exception as error:  # any value may be declared as a schema; its error is reported
            bare = compile_tool(Tool(name=tool.name), self.policy, tolerant=True)
            what = f"tool `{tool.name}`: {type(error).__name__}: {error}"
            return replace(bare, broken=escaped(what, limit=300))

    def runs(self, *layers: str) -> bool:
        """Return whether one of these layers runs, or a custom layer, which may replace it."""
        names = self.policy.layer_names
        own = any(callable(layer) for layer in self.policy.layers or ())
        return own or any(layer in names for layer in layers)

    def declaration(self, tool: str) -> Tool | None:
        """Return the policy's own declaration of a tool; None if it has none."""
        return self._declared.get(tool)

    def place(self, tool: str, field: str = "") -> SourceLocation:
        """Return the place of a tool's declaration: the policy's if that sets *field*."""
        declared = self._declared.get(tool)
        if declared is not None and (field in declared.model_fields_set or tool not in self.tools):
            return declared.place
        return self.tools[tool].place

    def judged_tools(self, names: Iterable[str]) -> list[str]:
        """Return the existing tools among *names*; ``*`` is every tool."""
        wanted = set(names)
        return [name for name in self.tools if name in wanted or "*" in wanted]

    def samples(
        self, tool: str, *, pool: Pool | None = None, focus: Iterable[str] | None = None
    ) -> Iterator[Arguments]:
        """Yield arguments that the tool's schema accepts; none if it has no schema."""
        schema = self.plans[tool].schema
        if schema is not None:
            yield from Samples(self.tools[tool].parameters, schema, pool=pool, focus=focus)

    def is_open(self, tool: str) -> bool:
        """Return whether a call of the tool may have undeclared parameters."""
        schema: CompiledSchema | None = self.plans[tool].schema
        return schema is None or not rejects_name(schema, _UNDECLARED_NAME)


# The null character makes sure that no schema declares this name.
_UNDECLARED_NAME = "\x00an undeclared name"
_MOST_NAMES = 8  # of a message, which is one line


def nearest_name_hint(name: str, existing: Iterable[str], *, what: str) -> str:
    """
    Return a hint with the nearest existing name, or some of the existing names.

    Args:
        name: The unknown name.
        existing: All valid names.
        what: A noun for them, such as ``tool``.
    """
    names = sorted(set(existing))
    near = nearest(name, names)
    if near:
        return f"did you mean `{escaped(near[0])}`?"
    if not names:
        return f"no {what} is known"
    return f"there {'is' if len(names) == 1 else 'are'} {format_names(names)}"


def format_names(names: list[str]) -> str:
    """Return *names* as a list for a message: the first eight, and the number of the others."""
    more = f" and {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else ""
    return ", ".join(f"`{escaped(name)}`" for name in names[:_MOST_NAMES]) + more


def deduplicate(values: Iterable[str]) -> Iterator[str]:
    """Return *values* without duplicates, in their order."""
    return iter(dict.fromkeys(values))
