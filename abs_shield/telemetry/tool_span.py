"""The `execute_tool` span around a tool's run, with the argument names that are safe to export."""

from __future__ import annotations

from contextvars import Token
from typing import Protocol
from weakref import WeakValueDictionary

from opentelemetry import context as otel_context
from opentelemetry.context import Context
from opentelemetry.trace import Span, Status, StatusCode, set_span_in_context

from abs_shield.telemetry import semconv

SCOPE = "abs_shield"
"""Instrumentation scope of everything that this package emits."""


class ToolSpan:
    """A context manager that makes *span* current; it records only the type of an error."""

    __slots__ = ("_span", "_token")

    def __init__(self, span: Span) -> None:
        self._span = span
        self._token: Token[Context] | None = None

    def __enter__(self) -> None:
        self._token = otel_context.attach(set_span_in_context(self._span))

    def __exit__(self, kind: type[BaseException] | None, error: object, traceback: object) -> None:
        if self._token is not None:
            otel_context.detach(self._token)
        # KeyboardInterrupt and a cancelled task are not failures of the tool
        if kind is not None and issubclass(kind, Exception) and not self._is_blocked():
            name = _qualified_name(kind)
            self._span.set_attribute(semconv.ATTRIBUTE_ERROR, name)
            self._span.set_attribute(semconv.ATTRIBUTE_EXECUTION, semconv.VALUE_FAILED)
            self._span.set_status(Status(StatusCode.ERROR, name))
        self._span.end()

    def _is_blocked(self) -> bool:
        """Return whether the call was blocked, which is not a failure of the tool."""
        # only the SDK's spans can be read
        attributes = getattr(self._span, "attributes", None) or {}
        return bool(attributes.get(semconv.ATTRIBUTE_EXECUTION) == semconv.VALUE_BLOCKED)


def _qualified_name(kind: type[BaseException]) -> str:
    """Return an exception's qualified class name, as the semantic conventions require."""
    name = kind.__qualname__
    return name if kind.__module__ == "builtins" else f"{kind.__module__}.{name}"


def executes_tool(span: Span) -> bool:
    """Return whether *span* is a recording `execute_tool` span, of any instrumentation."""
    if not span.is_recording():
        return False
    attributes = getattr(span, "attributes", None) or {}
    return bool(attributes.get(semconv.ATTRIBUTE_OPERATION) == semconv.VALUE_EXECUTE_TOOL)


def is_own_span(span: Span) -> bool:
    """Return whether this package opened *span*: a nested tool call gets its own span."""
    scope = getattr(span, "instrumentation_scope", None)
    return getattr(scope, "name", "") == SCOPE


def is_new_span(span: Span, parent: Span) -> bool:
    """Return whether *span* is new; without an SDK it is its parent's copy, or invalid."""
    mine = span.get_span_context()
    return mine.is_valid and mine.span_id != parent.get_span_context().span_id


class ToolRegistry(Protocol):
    """The registered tools of one Shield."""

    def argument_names(self, tool: str) -> frozenset[str]:
        """Return the declared argument names of *tool*; empty for an unknown tool."""
        ...


class ArgumentNames:
    """The argument names declared in all Shields that use one hook, weakly referenced."""

    def __init__(self) -> None:
        self._tools: WeakValueDictionary[int, ToolRegistry] = WeakValueDictionary()
        # separate from the dict, which is empty again after its Shields were deleted
        self._has_tools = False

    def add(self, tools: ToolRegistry) -> None:
        """Add the tools of a Shield."""
        self._tools[id(tools)] = tools
        self._has_tools = True

    def names(self, tool: str) -> frozenset[str] | None:
        """Return the argument names of *tool*; None if no Shield has added its tools."""
        if not self._has_tools:
            return None
        # a copy: the garbage collector may remove an entry during the iteration
        registries = [*self._tools.values()]
        return frozenset().union(*(tools.argument_names(tool) for tools in registries))
