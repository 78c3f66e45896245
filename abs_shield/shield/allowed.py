"""What a policy and its tools allow: an answer may speak of it unseen."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from abs_shield.policy import Policy
from abs_shield.shield.registry import Registry


def allowed(policy: Policy, registry: Registry) -> tuple[Any, ...]:
    """Give the entries of every allowlist: the policy's, its tools' and their parameters'."""
    return (*policy.allow, *_of_tools(registry))


def _of_tools(registry: Registry) -> Iterator[Any]:
    for tool in registry.tools().values():
        yield from tool.allow
        for target in tool.targets.values():
            yield from target.allow
