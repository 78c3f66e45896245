"""pydantic-ai: a capability that judges every turn and guards every tool's run."""

from __future__ import annotations

from abs_shield.core.optional_extras import requires_extra

with requires_extra("pydantic-ai"):
    from abs_shield.adapters.pydantic_ai.shield_capability import ShieldCapability

__all__ = ["ShieldCapability"]
