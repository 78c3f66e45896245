"""OpenAI SDK: tool calls in a host's own loop, or in the SDK's tool runner for Responses."""

from abs_shield.core.optional_extras import requires_extra

with requires_extra("openai"):
    from abs_shield.adapters.openai.response_loop import (
        arun_tool_calls,
        asettle_answer,
        run_tool_calls,
        settle_answer,
    )
    from abs_shield.adapters.openai.responses_runner import shielded_runner

__all__ = [
    "arun_tool_calls",
    "asettle_answer",
    "run_tool_calls",
    "settle_answer",
    "shielded_runner",
]
