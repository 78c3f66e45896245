"""Context classes of frameworks; a parameter of such a type is injected by the framework."""

from __future__ import annotations

CONTEXTS = frozenset(
    {
        ("agents", "RunContextWrapper"),
        ("fastmcp", "Context"),
        ("langgraph", "ToolRuntime"),
        ("mcp", "Context"),
        ("pydantic_ai", "RunContext"),
    }
)
"""Package and name of each class; compared by name, because frameworks are optional."""


def is_context(kind: type) -> bool:
    """Return whether a class is the context of a framework's run, or derived from one."""
    return any(
        (each.__module__.partition(".")[0], each.__name__) in CONTEXTS for each in kind.__mro__
    )
