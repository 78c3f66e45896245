"""The plan of one tool: its compiled schema, its rules, and each layer's mode for it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from abs_shield.core import Mode
from abs_shield.plan.argument_conversion import Convert
from abs_shield.plan.rule_plan import RulePlan
from abs_shield.plan.tool_action import ToolAction
from abs_shield.plan.tool_targets import Targets
from abs_shield.policy import Inverse, Suppression, Tool
from abs_shield.schema import CompiledSchema


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolPlan:
    """
    One compiled tool.

    Attributes:
        tool: The tool, with the schema that its model reads.
        schema: The compiled schema of its arguments; None if it declares none.
        broken: The error if a description's schema could not be compiled; else empty. In that case
            `schema` is what the tool's author declared, if anything.
        rules: The rules that judge it.
        modes: Layer name to its mode for this tool.
        mode: The mode that applies if no layer's does.
        suppress: The suppressions for this tool, or for every tool.
        inverses: The declared pairs in which a call of it undoes another call.
        targets: Its arguments that must come from the run.
        action: The action that the tool's name describes.
        writes: Whether a call changes something, by the author's declaration or the name.
        needs_existing_entity: Whether a call needs an existing entity.
        kinds: Kinds of entities that it identifies: ``order`` for ``order_id``.
        convert: Converts arguments as the registered function receives them; None without one.
        schema_of_function: Whether the schema was generated from that function's type hints.
        description: If the schema is combined of several, the combination without the function's
            own signature; else None.
        lost_targets: Declared targets for which the tool offered to the model has no parameter,
            unless the host has a function that judges them when it is called.
    """

    tool: Tool
    schema: CompiledSchema | None
    broken: str
    rules: tuple[RulePlan, ...]
    modes: Mapping[str, Mode]
    mode: Mode
    suppress: tuple[Suppression, ...]
    targets: Targets
    action: ToolAction
    writes: bool
    needs_existing_entity: bool
    inverses: tuple[Inverse, ...] = ()
    kinds: frozenset[str] = frozenset()
    convert: Convert | None = None
    schema_of_function: bool = False
    description: CompiledSchema | None = None
    lost_targets: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        return self.tool.name
