"""Allowlist entries of a policy and its tools; an answer may mention them without evidence."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from abs_shield.policy import Policy
from abs_shield.shield.session_tools import SessionTools
from abs_shield.shield.tool_registry import Registry


def allowlist_entries(policy: Policy, tools: Registry | SessionTools) -> tuple[Any, ...]:
    """Return the entries of the allowlists of the policy, its tools and their parameters."""
    return (*policy.allow, *_tool_entries(tools))


def _tool_entries(tools: Registry | SessionTools) -> Iterator[Any]:
    for tool in tools.tools().values():
        yield from tool.allow
        for target in tool.targets.values():
            yield from target.allow
