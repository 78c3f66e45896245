"""The input of every miner: the compiled tools, and the evidence from the runs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from abs_shield.mining.run_evidence import ParameterEvidence, RunEvidence
from abs_shield.plan import ToolPlan
from abs_shield.plan.compile import rejects_name
from abs_shield.plan.schema_lookup import schema_at
from abs_shield.plan.tool_parameters import Parameter
from abs_shield.policy import Tool
from abs_shield.stats.share_intervals import wilson

LEAST = 5
"""Minimum number of calls for a proposal; the interval of fewer is too wide to say anything."""
SURE = 0.8
"""Lower bound of a share's interval from which a suggestion is declared: at least 16 of 16."""
LIKELY = 0.5
"""Lower bound of a share's interval from which it is a comment: more often than not."""
OBSERVED_ONLY = "observed values only; adopt if it is a real constraint"
"""The reason why observed values are never declared: a blocked ordinary call costs more."""
# schemas of a few dozen parameters are usual; each becomes lines of the module
_MOST_PARAMETERS = 256
_NUMBERS = frozenset({"number", "integer", "null"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Study:
    """
    Tools and evidence.

    Attributes:
        plans: Every tool by name, compiled without settings of a policy.
        evidence: Evidence from the runs; empty without runs.
        reasons: The reason, by tool, why its author declares it destructive or read-only.
    """

    plans: Mapping[str, ToolPlan]
    evidence: RunEvidence = field(default_factory=RunEvidence)
    reasons: Mapping[str, str] = field(default_factory=dict)

    def tool(self, name: str) -> Tool:
        """Return a tool as described."""
        return self.plans[name].tool

    def parameters(self, name: str) -> Iterator[ParameterStudy]:
        """Yield the top-level parameters that a call may have, sorted."""
        plan = self.plans[name]
        counts = self.evidence.tools.get(name)
        by_name = counts.parameters if counts is not None else {}
        declared = plan.schema.declared_names if plan.schema is not None else frozenset()
        for parameter in sorted(declared | by_name.keys())[:_MOST_PARAMETERS]:
            # a name that the schema rejects was invented by the model
            if plan.schema is None or not rejects_name(plan.schema, parameter):
                yield ParameterStudy(
                    tool=name,
                    name=parameter,
                    schema=schema_at(plan.tool.parameters, (parameter,)),
                    read=plan.targets.parameters.at((parameter,)),
                    counts=by_name.get(parameter, _UNSEEN),
                )


_UNSEEN = ParameterEvidence()
"""The counts of a parameter that no recorded call had; never changed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ParameterStudy:
    """
    One parameter of one tool.

    Attributes:
        schema: Its own schema.
        read: Its properties, from its name and schema.
        counts: Its counts in the runs.
    """

    tool: str
    name: str
    schema: Mapping[str, Any]
    read: Parameter
    counts: ParameterEvidence

    @property
    def is_listed(self) -> bool:
        """True if its schema lists its values."""
        return "enum" in self.schema or "const" in self.schema

    @property
    def is_number(self) -> bool:
        """True if its values can only be numbers and null."""
        return _types(self.schema) <= _NUMBERS

    @property
    def is_nested(self) -> bool:
        """True if its values are objects or lists."""
        type_name = self.schema.get("type")
        types = type_name if isinstance(type_name, list) else [type_name]
        return "object" in types or "array" in types or "properties" in self.schema


def _types(schema: Any) -> frozenset[Any]:
    """Return the types of a schema, or of all its alternatives."""
    if not isinstance(schema, Mapping):
        return frozenset({"any"})
    if isinstance(type_name := schema.get("type"), (str, list)):
        return frozenset([type_name] if isinstance(type_name, str) else map(str, type_name))
    either = schema.get("anyOf", schema.get("oneOf"))
    if isinstance(either, list) and either:
        return frozenset().union(*map(_types, either))
    return frozenset({"any"})


def least(successes: int, n: int) -> float:
    """Return the lower end of a share's confidence interval."""
    return wilson(successes, n)[0]


def times(count: int) -> str:
    """
    Return a number of times as words.

    >>> times(1), times(1200)
    ('once', '1,200 times')
    """
    return "once" if count == 1 else f"{count:,} times"


def share(count: int, whole: int, what: str) -> str:
    """
    Return a share as words.

    >>> share(41, 42, "had a source"), share(1, 1, "worked")
    ('41 of 42 calls had a source', '1 of 1 call worked')
    """
    return f"{count:,} of {whole:,} {'call' if whole == 1 else 'calls'} {what}"
