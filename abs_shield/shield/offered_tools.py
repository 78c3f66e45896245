"""Compiled descriptions of tools that frameworks offer to models, one for each schema."""

from __future__ import annotations

import logging
from collections import OrderedDict
from collections.abc import Mapping
from contextlib import suppress
from threading import Lock
from typing import Any, NamedTuple

from abs_shield.core.digest import digest_of
from abs_shield.core.fork_safety import renewed
from abs_shield.core.messages import UnreadableMessage
from abs_shield.core.tool_shapes import ToolShape, read_tool
from abs_shield.errors import PolicyError
from abs_shield.plan.schema_lookup import authored_names
from abs_shield.policy import Policy, Tool, tool_of
from abs_shield.shield.tool_entry import Entry, compile_entry
from abs_shield.text.safe_display import escaped

logger = logging.getLogger("abs_shield")
_LOST = (
    "abs_shield: the tool `%s`, as offered to the model, does not have these parameters, which the "
    "policy declares as targets; they are not judged: %s"
)
_INVALID_SCHEMA = (
    "abs_shield cannot check arguments by the schema that a tool is offered with: %s; the "
    'registered declaration of the tool applies, and `on_error="block"` blocks its calls'
)
_MOST_NAMES = 1_000  # a server lists a few hundred tools; the number of names is not limited
_MOST_SCHEMAS = 256
"""Maximum number of cached descriptions of one tool, whose schema may differ by tenant."""


def warn_of_schema(entry: Entry) -> None:
    """Log that the arguments of a tool cannot be checked, because its schema is invalid."""
    if entry.plan.broken:
        logger.warning(_INVALID_SCHEMA, entry.plan.broken)


class Description(NamedTuple):
    """
    A parsed description of a tool, as a framework passes it to a model.

    Attributes:
        shape: The description.
        digest: Equal for descriptions with equal names, schemas and hints.
    """

    shape: ToolShape
    digest: bytes

    @classmethod
    def of(cls, tool: Any) -> Description | None:
        """Parse a description in a provider's or MCP's shape; None if it is unreadable."""
        try:
            shape = read_tool(tool)
        except UnreadableMessage:
            return None
        hints = shape.annotations if isinstance(shape.annotations, Mapping) else {}
        content = {"parameters": shape.parameters, "annotations": dict(hints)}
        return cls(shape, digest_of(shape.name, content))


class _Offer(NamedTuple):
    """
    A description, compiled together with the host's declaration of the tool.

    Attributes:
        declared: The host's entry; None without one.
        entry: The compiled description; None if the tool's name is invalid.
        names: The argument names in the description.
    """

    declared: Entry | None
    entry: Entry | None
    names: frozenset[str]


class OfferedTools:
    """A cache of descriptions by name and schema that evicts the least recently offered ones."""

    def __init__(self, policy: Policy) -> None:
        self._policy = policy
        self._refinements = {tool.name: tool for tool in policy.tools}
        self._offers: OrderedDict[str, OrderedDict[bytes, _Offer]] = OrderedDict()
        self._lock = renewed(Lock())

    def entry(self, description: Description, declared: Entry | None) -> Entry | None:
        """
        Return the compiled description; with an invalid schema, each check reports an error.

        Args:
            description: The description.
            declared: The host's entry of the tool; None without one.

        Returns:
            The entry; None if the tool's name is invalid.
        """
        shape, digest = description
        with self._lock:
            offers = self._offers.get(shape.name)
            stored = None if offers is None else offers.get(digest)
            # `is`: after a new declaration by the host, the compiled description is out of date.
            if offers is not None and stored is not None and stored.declared is declared:
                offers.move_to_end(digest)
                self._offers.move_to_end(shape.name)
                return stored.entry
        # Not under the lock, because a large schema takes milliseconds; at worst, two threads
        # compile the same description.
        entry = self._compile(shape, declared)
        if entry is not None and entry.plan.lost_targets:
            logger.error(
                _LOST, escaped(shape.name), ", ".join(map(escaped, entry.plan.lost_targets))
            )
        if entry is not None:
            warn_of_schema(entry)
        names = frozenset() if entry is None else authored_names(entry.plan.tool)
        offer = _Offer(declared, entry, names)
        with self._lock:
            offers = self._offers.setdefault(shape.name, OrderedDict())
            offers[digest] = offer
            if len(offers) > _MOST_SCHEMAS:
                offers.popitem(last=False)
            self._offers.move_to_end(shape.name)
            if len(self._offers) > _MOST_NAMES:
                self._offers.popitem(last=False)
        return entry

    def argument_names(self, tool: str) -> frozenset[str]:
        """Return the argument names of all cached descriptions of a tool."""
        if not self._offers:
            return frozenset()
        with self._lock:
            offers = [*self._offers.get(tool, {}).values()]
        return frozenset().union(*(offer.names for offer in offers))

    def _compile(self, shape: ToolShape, declared: Entry | None) -> Entry | None:
        try:
            return self._compile_with(tool_of(shape), declared)
        except PolicyError as error:
            logger.error("abs_shield cannot use the declaration of an offered tool: %s", error)
        with suppress(PolicyError):  # without its schema, if at least the name is valid
            return self._compile_with(Tool(name=shape.name), declared)
        return None

    def _compile_with(self, tool: Tool, declared: Entry | None) -> Entry:
        earlier = None if declared is None else declared.description
        if earlier is not None and earlier.destructive:
            # the schema is replaced, but a server's warning still applies
            tool = tool.model_copy(
                update={"destructive": True, "read_only": tool.read_only and earlier.read_only}
            )
        return compile_entry(
            self._policy,
            self._refinements.get(tool.name),
            binding=None if declared is None else declared.binding,
            declaration=None if declared is None else declared.declaration,
            description=tool,
            own=declared is not None and declared.own,
            tolerant=True,
        )
