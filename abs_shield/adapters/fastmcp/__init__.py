"""FastMCP: a middleware that judges every tool call a server is asked for."""

from __future__ import annotations

from abs_shield.adapters.fastmcp.middleware import (
    AGENT,
    CALL,
    HEADER,
    MESSAGES,
    SESSION,
    ShieldMiddleware,
    session_key,
)

__all__ = ["AGENT", "CALL", "HEADER", "MESSAGES", "SESSION", "ShieldMiddleware", "session_key"]
