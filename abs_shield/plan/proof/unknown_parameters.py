"""A parameter in the policy that its tool does not have."""

from __future__ import annotations

from collections.abc import Iterator

from abs_shield.plan.compile import find_marks_without_parameter, rejects_name
from abs_shield.plan.mark_places import ImpossibleMark, impossible_marks
from abs_shield.plan.policy_problem import Problem, problem
from abs_shield.plan.proof_context import ProofContext, nearest_name_hint
from abs_shield.plan.rule_plan import compile_rule, find_undeclared_parameters
from abs_shield.policy import Rule, Tool
from abs_shield.policy.declaration_base import SourceLocation
from abs_shield.schema import CompiledSchema
from abs_shield.text.safe_display import escaped


def unknown_parameters(context: ProofContext) -> Iterator[Problem]:
    """A rule that takes ``amuont``: no call has it, so the rule would never run."""
    yield from _problems_of_rules(context)
    yield from _problems_of_marks(context)
    yield from _problems_of_inverses(context)


def _problems_of_rules(context: ProofContext) -> Iterator[Problem]:
    for rule in context.policy.rules:
        if "*" in rule.tools:
            yield from _problems_of_general_rule(rule, context)
            continue
        for name in context.judged_tools(rule.tools):
            schema = context.plans[name].schema
            if schema is not None:
                plan = compile_rule(rule, schema, tool=name, tolerant=True)
                for parameter in find_undeclared_parameters(plan, schema, tool=name):
                    where = SourceLocation(rule.file, rule.line)
                    yield _problem(f"rule `{rule.name}`", where, parameter, name, schema)


def _problems_of_general_rule(rule: Rule, context: ProofContext) -> Iterator[Problem]:
    """Report parameters that no tool has, as a rule for every tool may need what only some have."""
    schemas = [plan.schema for plan in context.plans.values()]
    closed = [schema for schema in schemas if schema is not None]
    # A tool without a schema may have any parameter.
    if not schemas or len(closed) < len(schemas):
        return
    needed = compile_rule(rule, None, tool="*", tolerant=True).needs
    for parameter in sorted(needed):
        if all(rejects_name(schema, parameter) for schema in closed):
            names = frozenset().union(*(schema.declared_names for schema in closed))
            yield problem(
                "unknown_parameter",
                f"rule `{rule.name}` names parameter `{parameter}`, which no tool has",
                subject=f"rule `{rule.name}`",
                place=SourceLocation(rule.file, rule.line),
                hint=nearest_name_hint(parameter, names, what="parameter"),
            )


def _problems_of_marks(context: ProofContext) -> Iterator[Problem]:
    for name, tool in context.tools.items():
        schema = context.plans[name].schema
        if schema is not None:
            marks = [*find_marks_without_parameter(tool, schema)]
            for field, parameter in marks:
                what = f"`{field}` of tool `{escaped(name)}`"
                yield _problem(what, context.place(name, field), parameter, name, schema)
            for mark in _impossible_marks(tool, context):
                if (mark.field, mark.key) not in marks:
                    yield _nested_problem(mark, context.place(name, mark.field))


def _impossible_marks(tool: Tool, context: ProofContext) -> Iterator[ImpossibleMark]:
    names = context.names.get(tool.name)
    # The marks of a function come from its own type hints, so only the policy's may be wrong.
    declared = tool if names is None else context.declaration(tool.name)
    if declared is not None:
        yield from impossible_marks([declared], [tool.parameters], names or list)


def _nested_problem(mark: ImpossibleMark, place: SourceLocation) -> Problem:
    what = f"`{mark.field}` of tool `{escaped(mark.tool.name)}`"
    return problem(
        "unknown_parameter",
        f"{what} names `{escaped(mark.key)}`, which no call can have",
        subject=what,
        place=place,
        hint=mark.hint,
    )


def _problems_of_inverses(context: ProofContext) -> Iterator[Problem]:
    for pair in context.policy.inverses:
        what = f"`inverse` of `{escaped(pair.first)}` and `{escaped(pair.then)}`"
        for name, parameter in pair.same.items():
            schema = context.plans[name].schema if name in context.tools else None
            if schema is not None and rejects_name(schema, parameter):
                yield _problem(what, pair.place, parameter, name, schema)


def _problem(
    what: str, place: SourceLocation, parameter: str, tool: str, schema: CompiledSchema
) -> Problem:
    return problem(
        "unknown_parameter",
        f"{what} names parameter `{escaped(parameter)}`, "
        f"which tool `{escaped(tool)}` does not have",
        subject=what,
        place=place,
        hint=nearest_name_hint(parameter, schema.declared_names, what="parameter of it"),
    )
