"""What every miner is given: the tools, compiled, and what the runs show of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from abs_shield.plan import ToolPlan
from abs_shield.plan.compile import rejects_name
from abs_shield.plan.schema_lookup import schema_at
from abs_shield.plan.tool_parameters import Parameter
from abs_shield.policy import Tool
from abs_shield.replay.mining.run_evidence import ParameterEvidence, RunEvidence
from abs_shield.stats.wilson import wilson

LEAST = 5
"""Calls below which nothing is proposed from what was seen."""
SURE = 0.8
"""Lower end of the interval of a share from which it is acted upon."""
LIKELY = 0.5
"""The same, from which it is worth a comment."""
NO_LAW = "what was seen so far is no law; take it where it is one"
"""Why what values were is never declared: an ordinary call that is blocked costs more."""
_MOST_PARAMETERS = 256
_NUMBERS = frozenset({"number", "integer", "null"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Study:
    """
    Tools and evidence.

    Attributes:
        plans: Every tool by name, compiled without a policy's words.
        evidence: What the runs show; empty without runs.
        reasons: Tool to why its author calls it destructive or read-only.
    """

    plans: Mapping[str, ToolPlan]
    evidence: RunEvidence = field(default_factory=RunEvidence)
    reasons: Mapping[str, str] = field(default_factory=dict)

    def tool(self, name: str) -> Tool:
        """Return a tool as it was described."""
        return self.plans[name].tool

    def parameters(self, name: str) -> Iterator[ParameterStudy]:
        """Return the parameters of a tool at the top level that a call may have, sorted."""
        plan = self.plans[name]
        seen = self.evidence.tools.get(name)
        given = seen.parameters if seen is not None else {}
        declared = plan.schema.known if plan.schema is not None else frozenset()
        for parameter in sorted(declared | given.keys())[:_MOST_PARAMETERS]:
            if plan.schema is None or not rejects_name(plan.schema, parameter):
                yield ParameterStudy(
                    tool=name,
                    name=parameter,
                    schema=schema_at(plan.tool.parameters, (parameter,)),
                    read=plan.targets.parameters.at((parameter,)),
                    seen=given.get(parameter, _UNSEEN),
                )


_UNSEEN = ParameterEvidence()
"""What is known of a parameter that no recorded call had; nobody writes to it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ParameterStudy:
    """
    One parameter of one tool.

    Attributes:
        schema: Its own schema.
        read: What its name and schema say of it.
        seen: What the runs show of it.
    """

    tool: str
    name: str
    schema: Mapping[str, Any]
    read: Parameter
    seen: ParameterEvidence

    @property
    def is_listed(self) -> bool:
        """True if its schema lists its values."""
        return "enum" in self.schema or "const" in self.schema

    @property
    def is_number(self) -> bool:
        """True if its values can be nothing but numbers and null."""
        return _types(self.schema) <= _NUMBERS

    @property
    def is_nested(self) -> bool:
        """True if its values are objects or lists."""
        said = self.schema.get("type")
        types = said if isinstance(said, list) else [said]
        return "object" in types or "array" in types or "properties" in self.schema


def _types(schema: Any) -> frozenset[Any]:
    """The types that a schema names itself, or in each of its alternatives."""
    if not isinstance(schema, Mapping):
        return frozenset({"any"})
    if isinstance(said := schema.get("type"), (str, list)):
        return frozenset([said] if isinstance(said, str) else map(str, said))
    either = schema.get("anyOf", schema.get("oneOf"))
    if isinstance(either, list) and either:
        return frozenset().union(*map(_types, either))
    return frozenset({"any"})


def least(successes: int, n: int) -> float:
    """Return the lower end of the interval in which a share lies."""
    return wilson(successes, n)[0]


def times(count: int) -> str:
    """
    Say how often.

    >>> times(1), times(1200)
    ('once', '1,200 times')
    """
    return "once" if count == 1 else f"{count:,} times"


def share(count: int, whole: int, what: str) -> str:
    """
    Say how many of how many.

    >>> share(41, 42, "had a source"), share(1, 1, "worked")
    ('41 of 42 calls had a source', '1 of 1 call worked')
    """
    return f"{count:,} of {whole:,} {'call' if whole == 1 else 'calls'} {what}"
