"""LangChain's agents and LangGraph's graphs: each turn is judged, each tool call admitted."""

from abs_shield.adapters.langgraph.middleware import ShieldMiddleware, ShieldModelMiddleware

__all__ = ["ShieldMiddleware", "ShieldModelMiddleware"]
