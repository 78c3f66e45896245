"""A tool's declaration: its parameters, marks, effects and profile; merged into a description."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
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
        Return this tool with every field that *other* sets explicitly; marks are merged.

        Args:
            other: A tool of the same name.
        """
        explicit = {name: getattr(other, name) for name in other.model_fields_set}
        if "targets" in explicit:
            # Merged, as a refinement of one parameter may not unmark the others.
            explicit["targets"] = merged_targets(other.targets, self.targets)
        marked = {*other.soft, *other.free}
        explicit["soft"] = _union(other.soft, (name for name in self.soft if name not in marked))
        explicit["free"] = _union(other.free, (name for name in self.free if name not in marked))
        explicit["creates"] = _union(other.creates, self.creates)
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


MARKS = ("targets", "soft", "free", "creates")
"""The fields of a `Tool` that name parameters."""
_AUTHOR_FIELDS = (
    "allow", "destructive", "read_only", "idempotent", "open_world", "mode", "profile",
)  # fmt: skip


def with_declaration(description: Tool, author: Tool) -> Tool:
    """
    Return *description* with everything that *author* declared of the tool, loosening nothing.

    The marks of both tools are merged; where both mark one parameter, the stricter mark holds. The
    parameters stay those of the description, where it has any.

    >>> author = Tool(name="pay", targets=["account"], destructive=True)
    >>> with_declaration(Tool(name="pay", free=("account", "note")), author).free
    ('note',)
    """
    update: dict[str, Any] = {}
    if description.parameters is None:
        update["parameters"] = author.parameters
    if not description.description:
        update["description"] = author.description
    # What equals a default was not declared: the description's value stays.
    default = Tool(name=author.name)
    for field in _AUTHOR_FIELDS:
        value = getattr(author, field)
        if value != getattr(default, field):
            update[field] = value
    if description.mode is Mode.STRICT:
        update["mode"] = Mode.STRICT
    update["reads_first"] = _union(author.reads_first, description.reads_first)
    # Both at once would read a destructive tool as one that only looks.
    writes = author.destructive or "read_only" in author.model_fields_set
    if writes and not author.read_only:
        update["read_only"] = False
    return description.model_copy(update=update | _marks(description, author))


def _marks(description: Tool, author: Tool) -> dict[str, Any]:
    """Return the marks of both tools; a parameter that both mark has the stricter mark."""
    targets = merged_targets(author.targets, description.targets)
    soft = [name for name in _union(author.soft, description.soft) if name not in targets]
    # what is to come from the run is not composed by the agent, whoever says so
    free = [name for name in author.free if name not in {*targets, *soft}]
    others = {*targets, *soft, *author.creates}
    free += [name for name in description.free if name not in {*others, *free}]
    creates = _union(author.creates, (c for c in description.creates if c not in {*others, *free}))
    return {"targets": targets, "soft": (*soft,), "free": (*free,), "creates": creates}


def merged_targets(first: Mapping[str, Target], other: Mapping[str, Target]) -> dict[str, Target]:
    """Return the targets of both; of two for one parameter the first, as strict as either."""
    targets = {**other, **first}
    for name in first.keys() & other.keys():
        if other[name].must_be_seen:
            targets[name] = replace(first[name], must_be_seen=True)
    return targets


def _union(first: Iterable[str], other: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*first, *other)))


def shared_parameters(author: Tool, names: frozenset[str] | None) -> Mapping[str, Any] | None:
    """
    Return the author's schema, restricted to the parameters in *names*; all of them for None.

    A framework may hide injected parameters, add some of its own and fill in required ones, so
    only the constraints on values are kept, not those on which arguments exist.
    """
    parameters = author.parameters
    if not isinstance(parameters, Mapping):
        return None
    schema = {
        key: value
        for key, value in parameters.items()
        # as a schema, these constrain the values of further arguments
        if key not in _NAME_KEYWORDS or (key in _REST and isinstance(value, Mapping))
    }
    properties = parameters.get("properties")
    if names is not None and isinstance(properties, Mapping):
        schema["properties"] = {k: v for k, v in properties.items() if k in names}
    return schema


_NAME_KEYWORDS = frozenset(
    "required additionalProperties unevaluatedProperties propertyNames dependentRequired".split()
)
"""Schema keywords that constrain which arguments exist rather than their values."""
_REST = frozenset({"additionalProperties", "unevaluatedProperties"})
