"""The OpenAI Agents SDK: every turn of a run is judged as a whole, every tool at its dispatch."""

from abs_shield.adapters.openai_agents.config import shielded_config
from abs_shield.adapters.openai_agents.runner import ShieldedRunner, shielded_agent

__all__ = ["ShieldedRunner", "shielded_agent", "shielded_config"]
