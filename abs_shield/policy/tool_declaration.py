"""The declaration of a tool: its parameters, marks, effects and profile."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal, Required, TypedDict, Unpack

from pydantic import Field, ValidationInfo, field_validator

from abs_shield.core import Mode
from abs_shield.core.tool_shapes import ToolShape
from abs_shield.policy.declaration_base import Declaration, as_tuple
from abs_shield.policy.parameter_marks import Target
from abs_shield.policy.tool_profile import ToolProfile
from abs_shield.text.safe_display import shown

# Providers allow 64 or 128 characters, but servers add their own name as a prefix.
LONGEST_NAME = 512
"""Maximum length of a tool's name, in characters."""


class ToolFields(TypedDict, total=False):
    """The arguments of `Tool`, whose types are wider than those of its fields."""

    name: Required[str]
    parameters: Mapping[str, Any] | bool | None
    description: str
    targets: str | Iterable[str] | Mapping[str, Target | Mapping[str, Any]]
    soft: Iterable[str]
    free: Iterable[str]
    creates: Iterable[str]
    allow: Iterable[Any]
    destructive: bool
    read_only: bool
    idempotent: bool
    open_world: bool
    reads_first: Iterable[str]
    mode: Literal["strict", "audit"] | Mode | None
    profile: ToolProfile | Mapping[str, Any] | None


class Tool(Declaration):
    """
    A tool without a decorated function, or a refinement of a decorated function of the same name.

    Attributes:
        name: The tool's name for the model, 1 to 512 characters.
        parameters: JSON Schema of the arguments; None if unknown.
        description: The description for the model.
        targets: Parameters that name entities which must occur earlier in the run, with their
            `Target`.
        soft: Parameters with names or places.
        free: Parameters with free text.
        creates: Parameters with the id of an entity that the call creates.
        allow: Values, globs or callables that are accepted in every parameter.
        destructive: Whether a wrong call cannot be undone.
        read_only: Whether a call changes nothing.
        idempotent: Whether repeating a call has no further effect; no layer reads it yet.
        open_world: Whether its results come from outside, e.g. from the web; no layer reads it
            yet.
        reads_first: Tools that should be called earlier in the run.
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

    if TYPE_CHECKING:

        def __init__(self, **fields: Unpack[ToolFields]) -> None: ...

    @field_validator("parameters", mode="before")
    @classmethod
    def _parse_parameters(cls, parameters: Any) -> Any:
        if parameters is None or isinstance(parameters, (Mapping, bool)):
            return parameters
        raise ValueError(f"got {shown(parameters)}; give a JSON Schema, which is a mapping")

    @field_validator("soft", "free", "creates", "reads_first", "allow", mode="before")
    @classmethod
    def _parse_list(cls, values: Any, info: ValidationInfo) -> Any:
        return as_tuple(values, where=f"tool: `{info.field_name}`")

    @field_validator("targets", mode="before")
    @classmethod
    def _parse_targets(cls, targets: Any) -> Any:
        # A string is iterable by letters, so it is read as one name.
        if isinstance(targets, str):
            return {targets: Target()}
        if isinstance(targets, Mapping):
            # Built here, because pydantic's message for an unknown field does not list the fields.
            return {k: Target(**v) if isinstance(v, Mapping) else v for k, v in targets.items()}
        if not isinstance(targets, Iterable):
            raise ValueError("give names, or a mapping of name to `Target`")
        return {name: Target() for name in targets}

    def refined(self, other: Tool) -> Tool:
        """
        Return this tool with all fields that *other* sets explicitly; marks are merged.

        Args:
            other: A tool of the same name.
        """
        explicit = {name: getattr(other, name) for name in other.model_fields_set}
        if "targets" in explicit:
            # Merged, because a refinement of one parameter must not remove the marks of others.
            explicit["targets"] = merge_targets(other.targets, self.targets)
        marked = {*other.soft, *other.free}
        explicit["soft"] = _union(other.soft, (name for name in self.soft if name not in marked))
        explicit["free"] = _union(other.free, (name for name in self.free if name not in marked))
        explicit["creates"] = _union(other.creates, self.creates)
        return self.model_copy(update=explicit)


def tool_of(shape: ToolShape) -> Tool:
    """
    Return the tool of a description, with MCP's hints as its fields.

    An absent ``destructiveHint`` does not make a tool destructive.

    Args:
        shape: The description: name, schema and hints.
    """
    hints = shape.annotations if isinstance(shape.annotations, Mapping) else {}
    fields: dict[str, Any] = {"name": shape.name, "parameters": shape.parameters}
    if shape.description:
        fields["description"] = shape.description
    # `is True`, because a server may send any value.
    fields |= {own: True for hint, own in HINTS.items() if hints.get(hint) is True}
    return Tool(**fields)


HINTS = {
    "destructiveHint": "destructive",
    "readOnlyHint": "read_only",
    "idempotentHint": "idempotent",
    "openWorldHint": "open_world",
}


MARKS = ("targets", "soft", "free", "creates")
"""The fields of a `Tool` that mark parameters."""
_AUTHOR_FIELDS = (
    "allow", "destructive", "read_only", "idempotent", "open_world", "mode", "profile",
)  # fmt: skip


def with_declaration(description: Tool, author: Tool) -> Tool:
    """
    Return *description* merged with the declaration of the tool's *author*, as strict as both.

    If both mark the same parameter, the stricter mark applies. The schema is that of the
    description, if it has one.

    >>> author = Tool(name="pay", targets=["account"], destructive=True)
    >>> with_declaration(Tool(name="pay", free=("account", "note")), author).free
    ('note',)
    """
    update: dict[str, Any] = {}
    if description.parameters is None:
        update["parameters"] = author.parameters
    if not description.description:
        update["description"] = author.description
    # A value that equals the default was not declared, so the description's value stays.
    default = Tool(name=author.name)
    for field in _AUTHOR_FIELDS:
        value = getattr(author, field)
        if value != getattr(default, field):
            update[field] = value
    if description.mode is Mode.STRICT:
        update["mode"] = Mode.STRICT
    update["reads_first"] = _union(author.reads_first, description.reads_first)
    # A description must not make a tool that its author declared as writing read-only.
    writes = author.destructive or "read_only" in author.model_fields_set
    if writes and not author.read_only:
        update["read_only"] = False
    return description.model_copy(update=update | _marks(description, author))


def _marks(description: Tool, author: Tool) -> dict[str, Any]:
    """Return the merged marks; a parameter that both tools mark has the stricter mark."""
    targets = merge_targets(author.targets, description.targets)
    soft = [name for name in _union(author.soft, description.soft) if name not in targets]
    # a parameter whose values must come from the run is not free text
    free = [name for name in author.free if name not in {*targets, *soft}]
    others = {*targets, *soft, *author.creates}
    free += [name for name in description.free if name not in {*others, *free}]
    creates = _union(author.creates, (c for c in description.creates if c not in {*others, *free}))
    return {"targets": targets, "soft": (*soft,), "free": (*free,), "creates": creates}


def merge_targets(first: Mapping[str, Target], other: Mapping[str, Target]) -> dict[str, Target]:
    """Merge targets; for a parameter in both, *first* applies, but is as strict as either."""
    targets = {**other, **first}
    for name in first.keys() & other.keys():
        if other[name].must_be_seen:
            targets[name] = replace(first[name], must_be_seen=True)
    return targets


def _union(first: Iterable[str], other: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*first, *other)))


def shared_parameters(author: Tool, names: frozenset[str] | None) -> Mapping[str, Any] | None:
    """
    Return the author's schema without the constraints on which arguments exist.

    A framework may hide injected parameters, add its own, and fill in required ones, so only
    constraints on values apply.

    Args:
        author: The tool.
        names: The parameters to include; None for all.

    Returns:
        The schema; None if the tool has none.
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
"""Schema keywords that constrain which arguments exist, not their values."""
_REST = frozenset({"additionalProperties", "unevaluatedProperties"})
