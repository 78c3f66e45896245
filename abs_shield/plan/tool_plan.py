"""One tool, compiled: its schema, its rules, and each layer's mode for it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from abs_shield.core import Mode
from abs_shield.plan.argument_conversion import Convert
from abs_shield.plan.rule_plan import RulePlan
from abs_shield.plan.targets import Targets
from abs_shield.plan.tool_action import ToolAction
from abs_shield.policy import Inverse, Suppression, Tool
from abs_shield.schema import CompiledSchema


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolPlan:
    """
    One tool, ready to be judged.

    Attributes:
        schema: Compiled parameters; None where the tool declares none.
        broken: Why the schema of a description could not be compiled; empty where it could.
            What the tool's author declared is then the schema, if anything.
        modes: Layer name to the mode that holds for this tool.
        mode: The mode that holds where no layer speaks.
        suppress: The suppressions that name this tool, or every tool.
        inverses: The declared pairs in which a call of it undoes another.
        targets: Which of its arguments have to come from somewhere.
        deed: What the tool's name says it does.
        writes: Whether a call changes something, as far as the author or the name says.
        touches: Whether a call needs its thing to be there.
        kinds: What its identifiers are of: ``order`` of ``order_id``.
        convert: Converts arguments as the registered function gets them; None without one.
        schema_of_function: Whether the schema was made of that function's type hints.
        description: The schema of a description that stands beside the author's own declaration;
            None where there is no such description.
        lost_targets: Declared targets that the tool, as its model is offered it, has no parameter
            for, and no function of the host's that judges them when it is called.
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
