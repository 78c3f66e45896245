"""The author's declaration of a tool, merged into a description from another source."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from abs_shield.policy.tool import Tool

MARKS = ("targets", "soft", "free", "creates")
"""The fields of a `Tool` that name parameters."""
_AUTHOR_FIELDS = (
    "allow", "destructive", "read_only", "idempotent", "open_world", "reads_first", "mode",
    "profile",
)  # fmt: skip


def with_declaration(description: Tool, author: Tool) -> Tool:
    """
    Return *description* with everything that *author* declared of the tool, loosening nothing.

    The marks of both tools are merged; the author's win where both mark one parameter. The
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
    # Both at once would read a destructive tool as one that only looks.
    if author.destructive and not author.read_only:
        update["read_only"] = False
    return description.model_copy(update=update | _marks(description, author))


def _marks(description: Tool, author: Tool) -> dict[str, Any]:
    marked = {name for field in MARKS for name in getattr(author, field)}
    marks: dict[str, Any] = {"targets": dict(author.targets)}
    for name, target in description.targets.items():
        if name not in marked:
            marks["targets"][name] = target
        elif target.must_be_seen and name in author.targets:
            # the stricter of two targets holds, whichever was declared first
            marks["targets"][name] = replace(author.targets[name], must_be_seen=True)
    for field in MARKS[1:]:
        # A parameter has one mark: the author's wins, as a description may come from anyone.
        more = (name for name in getattr(description, field) if name not in marked)
        marks[field] = (*getattr(author, field), *more)
    return marks


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
