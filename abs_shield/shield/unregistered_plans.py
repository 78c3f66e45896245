"""Cached plans of unregistered names, and of functions that another one replaced."""

from __future__ import annotations

from collections import OrderedDict
from threading import RLock
from typing import TYPE_CHECKING

from abs_shield.core.fork_safety import renewed
from abs_shield.policy import Policy, Tool
from abs_shield.policy.tool_declaration import LONGEST_NAME
from abs_shield.shield.signature import Binding
from abs_shield.shield.tool_entry import compile_declarations

if TYPE_CHECKING:
    from abs_shield.plan import ToolPlan

_MOST_CACHED = 256
"""Maximum number of plans of either kind; a model may invent any number of names."""


class UnregisteredPlans:
    """
    Plans that no registered tool has; the least recently added are dropped.

    Args:
        policy: The policy, whose modes apply.
    """

    def __init__(self, policy: Policy) -> None:
        self._policy = policy
        self._unknown_tools: OrderedDict[str, ToolPlan] = OrderedDict()
        self._replaced: OrderedDict[int, tuple[Binding, ToolPlan]] = OrderedDict()
        self._lock = renewed(RLock())

    def of_name(self, name: str) -> ToolPlan:
        """Return the plan of an unregistered tool: without a schema, with the policy's modes."""
        with self._lock:
            plan = self._unknown_tools.get(name)
            if plan is None:
                plan = compile_declarations(
                    [Tool(name=_valid_name(name))], self._policy, tolerant=True
                )
                self._unknown_tools[name] = plan
                if len(self._unknown_tools) > _MOST_CACHED:
                    self._unknown_tools.popitem(last=False)
            return plan

    def of_function(self, binding: Binding, refinement: Tool | None) -> ToolPlan:
        """
        Return the plan of a function that was replaced by another function of the same name.

        Args:
            binding: The function.
            refinement: The policy's declaration of its name.
        """
        with self._lock:
            stored = self._replaced.get(id(binding))
            if stored is None or stored[0] is not binding:
                plan = compile_declarations(
                    [binding.tool], self._policy, refinement, binding, tolerant=True
                )
                stored = self._replaced[id(binding)] = (binding, plan)
                if len(self._replaced) > _MOST_CACHED:
                    self._replaced.popitem(last=False)
            return stored[1]


def _valid_name(name: str) -> str:
    """Return a valid tool name for the one that a model wrote, which may be empty."""
    # It may also contain a lone surrogate, which cannot be encoded.
    return name.encode("utf-8", "replace").decode()[:LONGEST_NAME] or "_"
