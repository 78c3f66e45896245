"""FastMCP middleware that judges every tool call of a server."""

from __future__ import annotations

from abs_shield.core.optional_extras import requires_extra

with requires_extra("fastmcp"):
    from abs_shield.adapters.fastmcp.mcp_middleware import (
        AGENT,
        CALL,
        HEADER,
        MESSAGES,
        SESSION,
        ShieldMiddleware,
        session_key,
    )

__all__ = ["AGENT", "CALL", "HEADER", "MESSAGES", "SESSION", "ShieldMiddleware", "session_key"]
