"""One tool of a Shield or a session: its compiled plan and its function."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from abs_shield.errors import ShieldError
from abs_shield.policy import Policy, Tool
from abs_shield.policy.tool_declaration import with_declaration
from abs_shield.schema import Undecided
from abs_shield.schema.annotations import is_same
from abs_shield.shield.signature import Binding
from abs_shield.text.safe_display import escaped

if TYPE_CHECKING:
    from abs_shield.plan import ToolPlan


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """
    One tool that may be called.

    Attributes:
        plan: The compiled tool.
        binding: The function that runs; None if the host runs it.
        own: Whether the function was registered on this Shield itself.
        declaration: The `Tool` that the host registered; None without one.
        description: The tool as a framework, a server or a run describes it; None without one.
        own_plan: The plan without that description.
    """

    plan: ToolPlan
    own_plan: ToolPlan
    binding: Binding | None = None
    own: bool = False
    declaration: Tool | None = None
    description: Tool | None = None

    @property
    def has_declarations(self) -> bool:
        """True if the entry has more than a function with a bare ``@shielded``."""
        return self.own or self.declaration is not None or self.description is not None

    def run(self, arguments: Mapping[str, Any]) -> Any:
        """
        Call the function with the model's arguments, converted to Python values.

        An argument that both its type and the schema reject is passed unconverted, so that such a
        call still runs in audit mode. Findings, modes and suppressions never affect the arguments.

        Raises:
            ShieldError: No function is registered, or it needs an injected value.
            ValidationError: The tool's own validator rejects a value that the schema accepts.
        """
        if self.binding is None:
            raise ShieldError(f"no function is registered for tool `{escaped(self.plan.name)}`")
        try:
            values = self.binding.values(arguments)
        except ValidationError as error:
            # The schema accepts the arguments, so the error is that of the tool's own validator.
            if self._matches_schema(arguments):
                raise
            values = self.binding.accepted_values(arguments, error)
        return self.binding.call(values)

    def _matches_schema(self, arguments: Mapping[str, Any]) -> bool:
        schema = self.plan.schema
        try:
            return schema is None or schema.accepts(arguments)
        except Undecided:
            return False


def compile_entry(
    policy: Policy,
    refinement: Tool | None,
    *,
    binding: Binding | None = None,
    declaration: Tool | None = None,
    description: Tool | None = None,
    own: bool = False,
    tolerant: bool = False,
) -> Entry:
    """
    Compile one tool from all its declarations; a description cannot loosen the others.

    Args:
        policy: The policy, for its rules, modes and suppressions.
        refinement: The policy's declaration of the tool, which takes precedence; None without one.
        binding: As in `Entry`.
        declaration: As in `Entry`.
        description: As in `Entry`.
        own: As in `Entry`.
        tolerant: Report an invalid schema as an error of each check, instead of raising.

    Raises:
        PolicyError: The schema is invalid, or a rule or a mark names an unknown parameter.
    """
    from abs_shield.plan.mark_places import require_possible_marks

    function = None if binding is None else binding.tool
    authors = [tool for tool in (function, declaration) if tool is not None]
    if description is not None and description.read_only:
        # a third party's hint; the policy's inverses show that the tool does change state
        pairs = any(description.name in (pair.first, pair.then) for pair in policy.inverses)
        description = description.model_copy(update={"read_only": not pairs})
    tools = authors if description is None else [*authors, description]
    own_plan = plan = compile_declarations(
        tools, policy, refinement, binding, described=description is not None, tolerant=tolerant
    )
    if not tolerant:
        declared = [tool for tool in (declaration, refinement) if tool is not None]
        alone = refinement is not None and refinement.parameters is not None
        schemas = [tool.parameters for tool in ([refinement] if alone else tools) if tool]
        require_possible_marks(
            declared, schemas, list if binding is None else binding.names_of_models
        )
    if authors and description is not None:
        # For calls from Python, which are judged without a third party's description.
        own_plan = compile_declarations(authors, policy, refinement, binding, tolerant=tolerant)
    return Entry(
        plan=plan, binding=binding, own=own, declaration=declaration, description=description,
        own_plan=own_plan,
    )  # fmt: skip


def compile_declarations(
    tools: Sequence[Tool],
    policy: Policy,
    refinement: Tool | None = None,
    binding: Binding | None = None,
    *,
    described: bool = False,
    tolerant: bool = False,
) -> ToolPlan:
    """
    Compile several declarations of one tool, together with its function.

    Args:
        tools: The declarations, the author's first; empty if only the policy has one.
        policy: The policy, for its rules, modes and suppressions.
        refinement: The policy's declaration of the tool, which takes precedence; None without one.
        binding: The function; the plan stores its conversion of arguments.
        described: Whether the last declaration is a third party's description.
        tolerant: Report an invalid schema as an error of each check, instead of raising.

    Raises:
        PolicyError: The schema is invalid, or a rule or a mark names an unknown parameter.
    """
    # Imported lazily, because the layers and the compiler of plans are slow to import. A process
    # that declares a tool will judge calls, so no call waits for the import of the layers.
    from abs_shield.plan.compile import compile_tool
    from abs_shield.shield import evaluator  # noqa: F401

    beside = tools[:-1]
    tool = reduce(_merge_declarations, tools) if tools else refinement
    assert tool is not None
    if refinement is not None:
        tool = tool.refined(refinement)
        if refinement.destructive and "read_only" not in refinement.model_fields_set:
            tool = tool.model_copy(update={"read_only": False})
        # Parameters in the policy replace all other schemas.
        beside = () if refinement.parameters is not None else beside
    authors = [*(tools[:-1] if described else tools), *([] if refinement is None else [refinement])]
    if binding is not None:
        authors = _with_defaults(authors, tool, binding)
    plan = compile_tool(tool, policy, beside=beside, authors=authors, tolerant=tolerant)
    return plan if binding is None else _bound_plan(plan, tools, binding)


def _with_defaults(authors: list[Tool], tool: Tool, binding: Binding) -> list[Tool]:
    """Add the function's defaults to its own declaration."""
    # the schema for the model contains no defaults, but a framework's description may
    must_be_seen = {name for name, target in tool.targets.items() if target.must_be_seen}
    function = binding.tool_with_defaults(binding.names if tool.destructive else must_be_seen)
    return [function if author is binding.tool else author for author in authors]


def _bound_plan(plan: ToolPlan, tools: Sequence[Tool], binding: Binding) -> ToolPlan:
    """Return the plan of a tool whose calls reach a function."""
    from abs_shield.plan.compile import compile_combined_schema

    others = [declared for declared in tools if declared is not binding.tool]
    if plan.description is not None and others and (len(others) > 1 or others[0] is not tools[-1]):
        # only the function's own schema is lenient about values that the function converts
        schema = compile_combined_schema(reduce(_merge_declarations, others), others[:-1])
        plan = replace(plan, description=schema)
    # the function's own parameters are judged when it is called, whatever their names
    plan = replace(plan, lost_targets=())
    same = plan.description is None and is_same(binding.tool.parameters, plan.tool.parameters)
    return replace(plan, convert=binding.convert, schema_of_function=same)


def _merge_declarations(author: Tool, other: Tool) -> Tool:
    return with_declaration(other, author)
