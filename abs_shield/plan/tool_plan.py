"""One tool, compiled: its schema, its rules, and each layer's mode for it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from abs_shield.core import Mode
from abs_shield.plan.argument_conversion import Convert
from abs_shield.plan.judged_arguments import Targets
from abs_shield.plan.rule_plan import RulePlan
from abs_shield.plan.tool_action import ToolAction
from abs_shield.policy import Inverse, Suppression, Tool
from abs_shield.schema import CompiledSchema


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolPlan:
    """
    One compiled tool.

    Attributes:
        schema: Compiled parameters; None if the tool declares none.
        broken: Why the schema of a description could not be compiled; empty if it could.
            What the tool's author declared is then the schema, if anything.
        modes: Layer name to its mode for this tool.
        mode: The mode that applies if no layer's does.
        suppress: The suppressions that name this tool, or every tool.
        inverses: The declared pairs in which a call of it undoes another.
        targets: Its arguments that must come from the run.
        action: The action that the tool's name describes.
        writes: Whether a call changes something, by the author's declaration or the name.
        needs_existing_entity: Whether a call needs an existing entity.
        kinds: Kinds of entities that it identifies: ``order`` of ``order_id``.
        convert: Converts arguments as the registered function gets them; None without one.
        schema_of_function: Whether the schema was made from that function's type hints.
        description: The schema of all declarations and descriptions but the function's own
            signature; None if no schema is combined of several.
        lost_targets: Declared targets for which the tool offered to the model has no parameter,
            and the host has no function that judges them when it is called.
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
