"""OpenAI Agents SDK: each turn of a run is judged as a whole, each tool call at its dispatch."""

from abs_shield.adapters.openai_agents.agents_runner import ShieldedRunner, shielded_agent
from abs_shield.adapters.openai_agents.run_config import shielded_config

__all__ = ["ShieldedRunner", "shielded_agent", "shielded_config"]
