"""Compilation of one tool against a policy; every declaration error is raised here."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from abs_shield.core import Mode
from abs_shield.core.vocabularies import VERIFICATION
from abs_shield.errors import PolicyError
from abs_shield.plan.entity_kinds import entity_kinds_of
from abs_shield.plan.rule_plan import compile_rule
from abs_shield.plan.tool_action import needs_existing_entity
from abs_shield.plan.tool_plan import ToolPlan
from abs_shield.plan.tool_targets import compile_targets
from abs_shield.policy import Policy, Tool
from abs_shield.policy.parameter_marks import ANY, first_name
from abs_shield.policy.tool_declaration import MARKS, shared_parameters
from abs_shield.schema import CompiledSchema, compile_schema, intersect_schemas
from abs_shield.schema.annotations import is_same
from abs_shield.text.nearest import nearest
from abs_shield.text.safe_display import escaped


def compile_tool(
    tool: Tool,
    policy: Policy,
    *,
    beside: Iterable[Tool] = (),
    authors: Iterable[Tool] = (),
    tolerant: bool = False,
) -> ToolPlan:
    """
    Compile *tool* under *policy*.

    Args:
        tool: The tool's contract.
        policy: The policy with the rules, modes and suppressions.
        beside: If *tool* is a third party's description, the declarations of the tool's author;
            their schemas apply as well.
        authors: The host's own declarations of the tool, which a description must not loosen.
        tolerant: Report a schema that cannot be compiled as an error of every check instead of
            raising; for tools that a third party declared.

    Raises:
        PolicyError: The schema is invalid, or a rule or a mark names an unknown parameter.
    """
    own_schema, broken = _compile_parameters(tool, tolerant=tolerant)
    schema = _combine_all(own_schema, tool, beside, broken=broken)
    # A third party's tool may lack a marked parameter: that is reported, and blocks no call.
    if schema is not None and not tolerant:
        _require_parameters_of_marks(tool, schema)
    rules = [rule for rule in policy.rules if rule.judges(tool.name)]
    lost = _find_lost_targets(tool, schema)
    targets = compile_targets(tool, allow=policy.allow, authors=authors, hidden=lost)
    writes = not tool.read_only and targets.action.writes
    return ToolPlan(
        tool=tool,
        schema=schema,
        broken=broken,
        rules=tuple(
            compile_rule(rule, schema, tool=tool.name, tolerant=tolerant) for rule in rules
        ),
        modes={
            name: layer_mode(policy, name, tool) for name in (*policy.layer_names, VERIFICATION)
        },
        mode=tool_mode(policy, tool) or policy.mode,
        suppress=tuple(s for s in policy.suppress if s.tool in (None, tool.name)),
        targets=targets,
        action=targets.action,
        writes=writes,
        needs_existing_entity=writes and needs_existing_entity(targets.action),
        inverses=tuple(pair for pair in policy.inverses if pair.then == tool.name),
        kinds=entity_kinds_of(tool),
        description=None if schema is own_schema else own_schema,
        lost_targets=lost,
    )


def compile_combined_schema(tool: Tool, beside: Iterable[Tool]) -> CompiledSchema | None:
    """
    Return the schema of *tool* combined with those of *beside*; None if it has none.

    Args:
        tool: The tool's contract.
        beside: As in `compile_tool`.
    """
    schema, broken = _compile_parameters(tool, tolerant=True)
    return _combine_all(schema, tool, beside, broken=broken)


def layer_mode(policy: Policy, layer: str, tool: Tool) -> Mode:
    """
    Return the mode of one layer for one tool.

    An entry for (tool, layer) comes first, then the entries for the layer and for the tool (audit
    if they differ), then the policy's own mode.
    """
    declared = policy.modes.get((tool.name, layer))
    if declared is not None:
        return declared
    modes = {policy.modes.get(layer), tool_mode(policy, tool)} - {None}
    if not modes:
        return policy.mode
    # If two declarations disagree, the milder one applies: what either audits is not blocked.
    return Mode.AUDIT if Mode.AUDIT in modes else Mode.STRICT


def tool_mode(policy: Policy, tool: Tool) -> Mode | None:
    """Return the mode that is declared for a whole tool; None if there is none."""
    modes = {policy.modes.get(tool.name), tool.mode} - {None}
    if not modes:
        return None
    return Mode.AUDIT if Mode.AUDIT in modes else Mode.STRICT


def _compile_parameters(tool: Tool, *, tolerant: bool) -> tuple[CompiledSchema | None, str]:
    if tool.parameters is None:
        return None, ""
    try:
        # Closed: an argument that the schema does not name is a mistake of the model.
        return compile_schema(tool.parameters, where=escaped(tool.name), closed=True), ""
    except PolicyError as error:
        if not tolerant:
            raise PolicyError(f"tool {error}") from None
        return None, f"tool {error}"


def _combine_all(
    schema: CompiledSchema | None, tool: Tool, beside: Iterable[Tool], *, broken: str
) -> CompiledSchema | None:
    # If the description's schema is broken, the author's declarations still apply.
    if schema is None:
        return _combine_author_schemas(beside, where=escaped(tool.name)) if broken else None
    for author in beside:
        schema = _combine_schemas(schema, tool, author)
    return schema


def _combine_schemas(schema: CompiledSchema, tool: Tool, author: Tool) -> CompiledSchema:
    """Return the schema of a description combined with the author's for the same parameters."""
    if schema.nameless and isinstance(author.parameters, Mapping):
        # a description must not add a name that the author's function would not take
        names_too = _compile_without_required(author.parameters, where=escaped(tool.name))
        return (
            intersect_schemas(schema, names_too)
            if schema.is_closed
            else intersect_schemas(names_too, schema)
        )
    # a description may take an argument of the author's without naming it
    names = schema.declared_names if schema.lists_every_name else None
    own = shared_parameters(author, names)
    if own is None:
        return schema
    closed = names is None and _is_closed(author)
    if closed:
        described: dict[str, Any] = {name: {} for name in sorted(schema.declared_names)}
        own = {**own, "properties": {**described, **own.get("properties", {})}}
    elif is_same(own, shared_parameters(tool, names)):
        return schema
    return intersect_schemas(schema, compile_schema(own, where=escaped(tool.name), closed=closed))


def _is_closed(author: Tool) -> bool:
    """Return whether an author's schema refuses the arguments that it does not name."""
    assert author.parameters is not None
    return compile_schema(author.parameters, where=escaped(author.name), closed=True).is_closed


def _combine_author_schemas(beside: Iterable[Tool], *, where: str) -> CompiledSchema | None:
    """Return the combined schemas of a tool's authors, for a description that does not compile."""
    schema: CompiledSchema | None = None
    for author in beside:
        if isinstance(author.parameters, Mapping):
            own = _compile_without_required(author.parameters, where=where)
            schema = own if schema is None else intersect_schemas(schema, own)
    return schema


def _compile_without_required(parameters: Mapping[str, Any], *, where: str) -> CompiledSchema:
    """Compile an author's schema without `required`: a framework may supply these arguments."""
    optional = {key: value for key, value in parameters.items() if key != "required"}
    return compile_schema(optional, where=where, closed=True)


def _find_lost_targets(tool: Tool, schema: CompiledSchema | None) -> tuple[str, ...]:
    """Return the declared targets that the schema, a third party's, allows in no call."""
    marks = () if schema is None else find_marks_without_parameter(tool, schema)
    return tuple(name for field, name in marks if field == "targets")


def _require_parameters_of_marks(tool: Tool, schema: CompiledSchema) -> None:
    """Raise if a mark names a parameter that no call can have."""
    for field, name in find_marks_without_parameter(tool, schema):
        near = nearest(name, schema.declared_names)
        allowed = ", ".join(f"`{name}`" for name in sorted(schema.declared_names))
        hint = f"did you mean `{near[0]}`?" if near else f"it has {allowed or 'none'}"
        raise PolicyError(
            f"tool `{escaped(tool.name)}`: `{field}` names `{escaped(name)}`, "
            f"which is not one of its parameters; {hint}"
        )


def find_marks_without_parameter(tool: Tool, schema: CompiledSchema) -> Iterator[tuple[str, str]]:
    """Yield the field and the name of each mark of a parameter that no call can have."""
    for field in MARKS:
        for name in getattr(tool, field):
            first = first_name(name)
            if first != ANY and rejects_name(schema, first):
                yield field, name


def rejects_name(schema: CompiledSchema, name: str) -> bool:
    """Return whether the schema rejects a parameter of that name in every call."""
    if name in schema.declared_names:
        return False
    # The schema engine decides, as a schema may forbid names by pattern or by reference.
    return any(problem.code == "unknown_argument" for problem in schema.problems({name: None}))
