"""Every run without a Shield is judged as a run of the `ShieldedRunner`."""

from __future__ import annotations

from typing import Any

from suite_shield import firewall

from abs_shield.adapters.openai_agents import sdk_patches
from abs_shield.adapters.openai_agents.run_context import AgentRuns, RunScope

_original = sdk_patches._scope_of


def entry(agent: Any, state: Any, context: Any) -> RunScope:
    """Return the scope of a run, also if the host calls `Runner` or its own runner."""
    return _original(agent, state, context) or RunScope(AgentRuns(firewall(), None), answers=True)


sdk_patches.install()
sdk_patches._scope_of = entry
