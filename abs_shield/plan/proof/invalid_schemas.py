"""A schema that cannot be compiled, or that no value satisfies."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from abs_shield.plan.policy_problem import Problem, problem
from abs_shield.plan.proof_context import ProofContext
from abs_shield.policy import Tool
from abs_shield.schema.satisfiability import find_contradiction
from abs_shield.text.safe_display import escaped


def invalid_schemas(context: ProofContext) -> Iterator[Problem]:
    """``{"type": "integer", "minimum": 5, "maximum": 3}``: no call can be valid."""
    for name, tool in context.tools.items():
        plan = context.plans[name]
        if plan.broken:
            yield _problem("invalid_schema", name, plan.broken, context)
        elif plan.schema is None:
            continue
        elif problems := [*_contradictions(name, tool, context)]:
            yield from problems
        elif next(context.samples(name), None) is None:
            what = f"no valid arguments of tool `{escaped(name)}` were found to test its rules with"
            yield _problem("not_sampled", name, what, context)
        else:
            yield from _parameters_without_samples(name, tool, context)


def _parameters_without_samples(name: str, tool: Tool, context: ProofContext) -> Iterator[Problem]:
    """Report parameters that occur in no sample, although no contradiction was found."""
    members = tool.parameters.get("properties") if isinstance(tool.parameters, Mapping) else None
    properties = members if isinstance(members, Mapping) else {}
    # `false` forbids the name on purpose.
    remaining = {str(each) for each, schema in properties.items() if schema is not False}
    for arguments in context.samples(name):
        remaining -= arguments.keys()
        if not remaining:
            return
    for parameter in sorted(remaining):
        what = f"no valid arguments of tool `{escaped(name)}` with parameter "
        yield _problem("not_sampled", name, f"{what}`{escaped(parameter)}` were found", context)


def _contradictions(name: str, tool: Tool, context: ProofContext) -> Iterator[Problem]:
    """Report why no arguments satisfy the schema; else, the parameters that no value satisfies."""
    what = f"tool `{escaped(name)}`"
    if reason := find_contradiction(tool.parameters):
        yield _problem(
            "unsatisfiable_schema", name, f"no arguments of {what} can fit: {reason}", context
        )
        return
    members = tool.parameters.get("properties") if isinstance(tool.parameters, Mapping) else None
    for parameter, schema in members.items() if isinstance(members, Mapping) else ():
        if schema is not False and (reason := find_contradiction(schema, root=tool.parameters)):
            message = f"no value of parameter `{escaped(parameter)}` of {what} can fit: {reason}"
            yield _problem("unsatisfiable_schema", name, message, context)


def _problem(code: str, name: str, message: str, context: ProofContext) -> Problem:
    return problem(
        code,
        escaped(message, limit=600),
        subject=f"tool `{escaped(name)}`",
        place=context.place(name, "parameters"),
    )
