"""The OpenAI SDK: the calls of a host's own loop over chat completions or Responses."""

from abs_shield.adapters.openai.loop import arun_tool_calls, run_tool_calls

__all__ = ["arun_tool_calls", "run_tool_calls"]
