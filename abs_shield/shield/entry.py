"""One tool of a Shield or of a session: its compiled plan, and the function that runs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from pydantic import ValidationError

from abs_shield.errors import ShieldError
from abs_shield.plan import ToolPlan, compile_tool
from abs_shield.policy import Policy, Tool
from abs_shield.schema import Undecided
from abs_shield.shield.signature import Binding
from abs_shield.text.show import escaped


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """
    One tool that may be called.

    Attributes:
        plan: The compiled tool.
        binding: The function that runs; None where the host runs it.
        own: Whether the function was registered on this Shield itself.
        described: Whether the plan is that of a description, and not of the function's signature.
    """

    plan: ToolPlan
    binding: Binding | None = None
    own: bool = False
    described: bool = False

    def run(self, arguments: Mapping[str, Any]) -> Any:
        """
        Call the function with the Python values that its types make of a model's arguments.

        Where they refuse arguments that the schema refuses too, it gets those as they were written
        and the others as values: in audit mode such a call runs, and nothing is changed. No
        finding, mode or suppression has a say in what it gets.

        Raises:
            ShieldError: There is no function, or it needs an injected value.
            ValidationError: A validator of the tool's own refuses what its schema allows.
        """
        if self.binding is None:
            raise ShieldError(f"no function is registered for tool `{escaped(self.plan.name)}`")
        try:
            values = self.binding.values(arguments)
        except ValidationError as error:
            if self._fits(arguments):
                raise
            values = self.binding.values_where_taken(arguments, error)
        return self.binding.call(values)

    def _fits(self, arguments: Mapping[str, Any]) -> bool:
        schema = self.plan.schema
        try:
            return schema is None or schema.accepts(arguments)
        except Undecided:
            return False


def compiled(
    tool: Tool, policy: Policy, binding: Binding | None = None, *, tolerant: bool = False
) -> ToolPlan:
    """
    Compile a tool beside its function.

    Args:
        tool: The tool as it was declared: by its function, or by a description.
        policy: Whose rules, modes and suppressions hold.
        binding: The function; what is kept of it goes with the plan.
        tolerant: Keep an invalid schema as an error of every check, instead of raising.

    Raises:
        PolicyError: The schema is invalid, or a rule or a mark names an unknown parameter.
    """
    plan = compile_tool(tool, policy, tolerant=tolerant)
    if binding is None:
        return plan
    same = binding.tool.parameters == tool.parameters
    return replace(plan, convert=binding.convert, schema_of_function=same)
