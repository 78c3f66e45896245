"""Hooks of a run: they record requests and proposals, then call the host's own hooks."""

from __future__ import annotations

from typing import Any

from agents import RunHooks

from abs_shield.adapters.openai_agents.final_output import check_streamed_text
from abs_shield.adapters.openai_agents.run_context import AgentRuns


class ShieldRunHooks(RunHooks[Any]):
    """
    Records each request and each answer of the model, then calls the host's hooks.

    Args:
        runs: The runs of one Shield.
        host: The host's hooks of the run, or None.
        flags_output: Whether the text that ends the run is checked without revision.
    """

    def __init__(self, runs: AgentRuns, host: Any, *, flags_output: bool = False) -> None:
        self._runs = runs
        self._flags_output = flags_output
        self._host: Any = RunHooks() if host is None else host

    async def on_llm_start(
        self, context: Any, agent: Any, system_prompt: str | None, input_items: Any
    ) -> None:
        self._runs.current(context).record_request(agent, system_prompt, input_items)
        await self._host.on_llm_start(context, agent, system_prompt, input_items)

    async def on_llm_end(self, context: Any, agent: Any, response: Any) -> None:
        self._runs.current(context).judge_turn(agent, response.output)
        await self._host.on_llm_end(context, agent, response)

    async def on_agent_start(self, context: Any, agent: Any) -> None:
        await self._host.on_agent_start(context, agent)

    async def on_agent_end(self, context: Any, agent: Any, output: Any) -> None:
        if self._flags_output:
            await check_streamed_text(output, self._runs.current(context))
        await self._host.on_agent_end(context, agent, output)

    async def on_handoff(self, context: Any, from_agent: Any, to_agent: Any) -> None:
        await self._host.on_handoff(context, from_agent, to_agent)

    async def on_tool_start(self, context: Any, agent: Any, tool: Any) -> None:
        await self._host.on_tool_start(context, agent, tool)

    async def on_tool_end(self, context: Any, agent: Any, tool: Any, result: Any) -> None:
        await self._host.on_tool_end(context, agent, tool, result)
