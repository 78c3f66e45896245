"""The hooks of a run: what the model is sent and what it proposes, then the host's own hooks."""

from __future__ import annotations

from typing import Any

from agents import RunHooks

from abs_shield.adapters.openai_agents.answers import flag
from abs_shield.adapters.openai_agents.run import Runs


class Listener(RunHooks[Any]):
    """
    Takes in each request and each answer of the model, then calls the host's hooks.

    Args:
        runs: The runs of one Shield.
        host: The host's hooks of the run; None where it has none.
        flags_output: Whether the text that ends the run is checked as it stands.
    """

    def __init__(self, runs: Runs, host: Any, *, flags_output: bool = False) -> None:
        self._runs = runs
        self._flags_output = flags_output
        self._host: Any = RunHooks() if host is None else host

    async def on_llm_start(
        self, context: Any, agent: Any, system_prompt: str | None, input_items: Any
    ) -> None:
        self._runs.of(context).listen(agent, system_prompt, input_items)
        await self._host.on_llm_start(context, agent, system_prompt, input_items)

    async def on_llm_end(self, context: Any, agent: Any, response: Any) -> None:
        self._runs.of(context).propose(agent, response.output)
        await self._host.on_llm_end(context, agent, response)

    async def on_agent_start(self, context: Any, agent: Any) -> None:
        await self._host.on_agent_start(context, agent)

    async def on_agent_end(self, context: Any, agent: Any, output: Any) -> None:
        if self._flags_output:
            await flag(output, self._runs.of(context))
        await self._host.on_agent_end(context, agent, output)

    async def on_handoff(self, context: Any, from_agent: Any, to_agent: Any) -> None:
        await self._host.on_handoff(context, from_agent, to_agent)

    async def on_tool_start(self, context: Any, agent: Any, tool: Any) -> None:
        await self._host.on_tool_start(context, agent, tool)

    async def on_tool_end(self, context: Any, agent: Any, tool: Any, result: Any) -> None:
        await self._host.on_tool_end(context, agent, tool, result)
