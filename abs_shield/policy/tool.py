"""A tool's declaration: its parameters, marks, effects and profile."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from pydantic import Field, field_validator

from abs_shield.core import Mode
from abs_shield.core.tool_shapes import ToolShape
from abs_shield.policy.declaration_base import Declaration
from abs_shield.policy.parameter_marks import Target
from abs_shield.policy.tool_profile import ToolProfile

# Providers allow 64 or 128; servers join their own name to it.
LONGEST_NAME = 512
"""Characters of a tool's name."""


class Tool(Declaration):
    """
    A tool without a decorated function, or a refinement of a decorated one of the same name.

    Attributes:
        name: The name that the model calls, of at most 512 characters.
        parameters: JSON Schema of the arguments; None if unknown.
        description: The description for the model.
        targets: Parameters that name entities the run must have seen, with their `Target`.
        soft: Parameters that hold names or places.
        free: Parameters that hold free text.
        creates: Parameters that hold the id which the call creates.
        allow: Values, globs or callables accepted for every parameter.
        destructive: Whether a wrong call cannot be undone.
        read_only: Whether a call changes nothing.
        idempotent: Whether repeating a call has no further effect; stored, no layer reads it yet.
        open_world: Whether its results come from outside, e.g. from the web; stored, no layer
            reads it yet.
        reads_first: Tools that should have been called before.
        mode: The mode of this tool; None for the policy's.
        profile: The expected results; None if not declared.
    """

    name: str = Field(min_length=1, max_length=LONGEST_NAME)
    parameters: Mapping[str, Any] | bool | None = None
    description: str = ""
    targets: Mapping[str, Target] = {}
    soft: tuple[str, ...] = ()
    free: tuple[str, ...] = ()
    creates: tuple[str, ...] = ()
    allow: tuple[Any, ...] = ()
    destructive: bool = False
    read_only: bool = False
    idempotent: bool = False
    open_world: bool = False
    reads_first: tuple[str, ...] = ()
    mode: Mode | None = None
    profile: ToolProfile | None = None

    @field_validator("targets", mode="before")
    @classmethod
    def _targets_by_name(cls, targets: Any) -> Any:
        # A single text would be read letter by letter.
        if isinstance(targets, str):
            return {targets: Target()}
        if isinstance(targets, Mapping):
            return targets
        if not isinstance(targets, Iterable):
            raise ValueError("give names, or a mapping of name to `Target`")
        return {name: Target() for name in targets}

    def refined(self, other: Tool) -> Tool:
        """
        Return this tool with every field that *other* sets explicitly; targets are merged.

        Args:
            other: A tool of the same name.
        """
        explicit = {name: getattr(other, name) for name in other.model_fields_set}
        if "targets" in explicit:
            # Merged, as a refinement of one target may not unmark the others.
            explicit["targets"] = {**self.targets, **other.targets}
        return self.model_copy(update=explicit)


def tool_of(shape: ToolShape) -> Tool:
    """
    Return the tool that a run or a server describes, with MCP's hints as its fields.

    An absent ``destructiveHint`` does not make a tool destructive.

    Args:
        shape: The description: name, schema and hints.
    """
    hints = shape.annotations if isinstance(shape.annotations, Mapping) else {}
    fields: dict[str, Any] = {"name": shape.name, "parameters": shape.parameters}
    if shape.description:
        fields["description"] = shape.description
    # `is True`: only a plain hint counts, as a server may send anything.
    fields |= {own: True for hint, own in HINTS.items() if hints.get(hint) is True}
    return Tool(**fields)


HINTS = {
    "destructiveHint": "destructive",
    "readOnlyHint": "read_only",
    "idempotentHint": "idempotent",
    "openWorldHint": "open_world",
}
