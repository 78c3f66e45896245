"""OpenAI Agents SDK: turns of a run are judged as a whole, and tool calls at their dispatch."""

from abs_shield.core.optional_extras import requires_extra

with requires_extra("openai-agents"):
    from abs_shield.adapters.openai_agents.agents_runner import ShieldedRunner, shielded_agent
    from abs_shield.adapters.openai_agents.run_config import shielded_config

__all__ = ["ShieldedRunner", "shielded_agent", "shielded_config"]
