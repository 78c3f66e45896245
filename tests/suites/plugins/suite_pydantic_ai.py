"""Every agent of pydantic-ai is made with the capability."""

from __future__ import annotations

import functools
from typing import Any

from pydantic_ai import Agent
from suite_shield import firewall

from abs_shield.adapters.pydantic_ai import ShieldCapability

_agent = Agent.__init__


@functools.wraps(_agent)
def agent(self: Agent, *args: Any, capabilities: Any = None, **options: Any) -> None:
    """Add the capability to those of the host."""
    guarded = [*(capabilities or ()), ShieldCapability(firewall())]
    _agent(self, *args, capabilities=guarded, **options)


Agent.__init__ = agent
