"""Anthropic SDK: tool calls in a host's own message loop, or in the SDK's tool runner."""

from abs_shield.core.optional_extras import requires_extra

with requires_extra("anthropic"):
    from abs_shield.adapters.anthropic.message_loop import (
        arun_tool_calls,
        asettle_answer,
        run_tool_calls,
        settle_answer,
    )
    from abs_shield.adapters.anthropic.tool_runner import shielded_runner

__all__ = [
    "arun_tool_calls",
    "asettle_answer",
    "run_tool_calls",
    "settle_answer",
    "shielded_runner",
]
