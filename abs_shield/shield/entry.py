"""One tool of a Shield or of a session: its compiled plan, and the function that runs."""

from __future__ import annotations

from dataclasses import dataclass

from abs_shield.plan import ToolPlan, compile_tool
from abs_shield.policy import Policy, Tool
from abs_shield.shield.signature import Binding


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
    return compile_tool(tool, policy, tolerant=tolerant)
