"""The OpenAI Agents SDK: every turn of a run is judged as a whole, every tool at its dispatch."""

from abs_shield.adapters.openai_agents.runner import (
    ShieldedRunner,
    shielded_agent,
    shielded_config,
)

__all__ = ["ShieldedRunner", "shielded_agent", "shielded_config"]
