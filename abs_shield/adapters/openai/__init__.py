"""The OpenAI SDK: the calls of a host's own loop, and those of its tool runner for Responses."""

from abs_shield.adapters.openai.answers import asettle_answer, settle_answer
from abs_shield.adapters.openai.loop import arun_tool_calls, run_tool_calls
from abs_shield.adapters.openai.runner import shielded_runner

__all__ = [
    "arun_tool_calls",
    "asettle_answer",
    "run_tool_calls",
    "settle_answer",
    "shielded_runner",
]
