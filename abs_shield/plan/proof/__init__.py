"""
Checks that find mistakes in a policy; each file finds one kind of mistake.

To add a check, write one file with one generator function and add its row to `CHECKS`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from time import time
from types import MappingProxyType

from abs_shield.plan.mark_places import Names
from abs_shield.plan.policy_problem import CODES, Problem, Proof, Severity
from abs_shield.plan.proof.dead_rules import dead_rules
from abs_shield.plan.proof.idle_allows import idle_allows
from abs_shield.plan.proof.idle_inverses import idle_inverses
from abs_shield.plan.proof.idle_layers import idle_layers
from abs_shield.plan.proof.idle_modes import idle_modes
from abs_shield.plan.proof.idle_suppressions import idle_suppressions
from abs_shield.plan.proof.invalid_schemas import invalid_schemas
from abs_shield.plan.proof.inverted_rules import inverted_rules
from abs_shield.plan.proof.rules_together import rules_together
from abs_shield.plan.proof.unjudged_declarations import unjudged_declarations
from abs_shield.plan.proof.unknown_names import unknown_names
from abs_shield.plan.proof.unknown_parameters import unknown_parameters
from abs_shield.plan.proof_context import ProofContext
from abs_shield.policy import Policy, Tool

Check = Callable[[ProofContext], Iterable[Problem]]
"""A generator function that yields the problems of a policy and its tools."""

CHECKS: MappingProxyType[str, Check] = MappingProxyType(
    {
        "unknown_names": unknown_names,
        "unknown_parameters": unknown_parameters,
        "invalid_schemas": invalid_schemas,
        "dead_rules": dead_rules,
        "inverted_rules": inverted_rules,
        "rules_together": rules_together,
        "idle_inverses": idle_inverses,
        "idle_layers": idle_layers,
        "unjudged_declarations": unjudged_declarations,
        "idle_allows": idle_allows,
        "idle_suppressions": idle_suppressions,
        "idle_modes": idle_modes,
    }
)


def prove(
    policy: Policy,
    tools: Mapping[str, Tool] | None = None,
    *,
    at: float | None = None,
    names: Mapping[str, Names] = MappingProxyType({}),
) -> Proof:
    """
    Compare *policy* with its tools and report every problem.

    Args:
        policy: The policy to check.
        tools: The tools by name, combined with the policy's declarations; None for those that the
            policy declares.
        at: Time for which the policy is checked, in seconds since the epoch; None for now.
        names: For the tools of functions: a function that returns, for each model in the type
            hints, all names of its fields; the schema has only one name of each.
    """
    tools = {tool.name: tool for tool in policy.tools} if tools is None else tools
    context = ProofContext(policy, tools, at=time() if at is None else at, names=names)
    # Two checks may find the same mistake.
    problems = dict.fromkeys(each for check in CHECKS.values() for each in check(context))
    by_severity = [
        [each for each in problems if each.severity is severity] for severity in Severity
    ]
    notes, warnings, errors = by_severity
    return Proof(
        problems=(*errors, *warnings),
        notes=tuple(notes),
        tools=len(tools),
        rules=len(policy.rules),
        samples=context.sample_count,
    )


__all__ = ["CHECKS", "CODES", "Problem", "Proof", "Severity", "prove"]
