"""LangChain agents and LangGraph graphs: middleware that judges each turn and each tool call."""

from abs_shield.adapters.langgraph.agent_middleware import ShieldMiddleware, ShieldModelMiddleware

__all__ = ["ShieldMiddleware", "ShieldModelMiddleware"]
