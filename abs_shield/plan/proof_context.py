"""A policy and its tools as a proof looks at them: compiled, sampled, nothing registered."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any

from abs_shield.plan.compile import compile_tool, rejects_name
from abs_shield.plan.tool_plan import ToolPlan
from abs_shield.policy import Policy, Tool
from abs_shield.policy.place import Place
from abs_shield.schema import CompiledSchema
from abs_shield.schema.samples import Pool, Samples
from abs_shield.text.nearest import nearest
from abs_shield.text.show import escaped

Arguments = dict[str, Any]


class ProofContext:
    """
    What every check of a proof is given.

    Args:
        policy: What is to be proved.
        tools: The tools there are, by name, with the policy's own words about them.
        at: The moment for which it is proved, in seconds since the epoch.
    """

    def __init__(self, policy: Policy, tools: Mapping[str, Tool], *, at: float) -> None:
        self.policy = policy
        self.tools = tools
        self.at = at
        self.asked = 0
        self._said = {tool.name: tool for tool in policy.tools}

    @cached_property
    def plans(self) -> Mapping[str, ToolPlan]:
        """Every tool compiled; a schema that cannot be is kept as its fault."""
        return {name: self._compiled(tool) for name, tool in self.tools.items()}

    def _compiled(self, tool: Tool) -> ToolPlan:
        try:
            return compile_tool(tool, self.policy, tolerant=True)
        except Exception as error:  # whatever stands for a schema, its fault is told
            bare = compile_tool(Tool(name=tool.name), self.policy, tolerant=True)
            what = f"tool `{tool.name}`: {type(error).__name__}: {error}"
            return replace(bare, broken=escaped(what, limit=300))

    def runs(self, *layers: str) -> bool:
        """Whether one of these layers runs, or one of the user's own, which may stand for it."""
        names = self.policy.layer_names
        own = any(callable(layer) for layer in self.policy.layers or ())
        return own or any(layer in names for layer in layers)

    def place(self, tool: str, field: str = "") -> Place:
        """Where a tool was declared; where the policy says *field* of it, if it does."""
        said = self._said.get(tool)
        if said is not None and (field in said.model_fields_set or tool not in self.tools):
            return said.place
        return self.tools[tool].place

    def judged_tools(self, names: Iterable[str]) -> list[str]:
        """Give those of the tools there are that *names* name; ``*`` names all."""
        named = set(names)
        return [name for name in self.tools if name in named or "*" in named]

    def samples(
        self, tool: str, *, pool: Pool | None = None, focus: Iterable[str] | None = None
    ) -> Iterator[Arguments]:
        """Give arguments that the tool's schema accepts; none where it has no schema."""
        schema = self.plans[tool].schema
        if schema is not None:
            yield from Samples(self.tools[tool].parameters, schema, pool=pool, focus=focus)

    def is_open(self, tool: str) -> bool:
        """Whether a call of the tool may have parameters that nobody declared."""
        schema: CompiledSchema | None = self.plans[tool].schema
        return schema is None or not rejects_name(schema, _NOBODYS)


_NOBODYS = "\x00a name that nobody declares"


def nearest_name_hint(name: str, known: Iterable[str], *, what: str) -> str:
    """Give the nearest name there is, or some of those there are."""
    names = sorted(set(known))
    near = nearest(name, names)
    if near:
        return f"did you mean `{escaped(near[0])}`?"
    if not names:
        return f"no {what} is known"
    return f"there {'is' if len(names) == 1 else 'are'} {listed(names)}"


def listed(names: list[str], *, most: int = 8) -> str:
    """Name the first few of *names*, and how many there are besides."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(f"`{escaped(name)}`" for name in names[:most]) + more


def without_repetitions(values: Iterable[str]) -> Iterator[str]:
    """Give *values* without repetitions, in their order."""
    return iter(dict.fromkeys(values))
