"""LangChain agents and LangGraph graphs: middleware that judges each turn and each tool call."""

from abs_shield.core.optional_extras import requires_extra

with requires_extra("langgraph"):
    from abs_shield.adapters.langgraph.agent_middleware import (
        ShieldMiddleware,
        ShieldModelMiddleware,
    )

__all__ = ["ShieldMiddleware", "ShieldModelMiddleware"]
