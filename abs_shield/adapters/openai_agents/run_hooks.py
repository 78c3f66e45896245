"""Hooks of a run, which record requests and proposals, and settle the text that ends the run."""

from __future__ import annotations

import inspect
import logging
from collections.abc import Mapping
from typing import Any

from agents import RunHooks, Runner

from abs_shield.adapters.openai_agents.run_context import AgentRun, AgentRuns, run_of

logger = logging.getLogger("abs_shield")
_STORED_CONVERSATION = ("session", "conversation_id")
"""Options of a run with which the SDK or the provider stores the conversation."""
_CHAINS = ("previous_response_id", "auto_previous_response_id")


async def check_streamed_text(output: Any, run: AgentRun) -> None:
    """Check a text that was already shown; structured output is not checked."""
    firewall = run.firewall
    if not isinstance(output, str) or not output.strip() or firewall.policy.answer is False:
        return
    try:
        await firewall.acheck_answer(output, session=run.session)
    # the text has already been shown: an error of the check must not end the run
    except Exception as error:
        logger.error("abs_shield could not check an answer: %s", type(error).__name__)


class FinalOutput:
    """
    The output of a run, which may be continued with feedback.

    Args:
        result: The result of the run.
        args: The arguments that the run was started with.
        options: Its options.
    """

    def __init__(self, result: Any, args: tuple[Any, ...], options: Mapping[str, Any]) -> None:
        self.result = result
        self._options = inspect.signature(Runner.run).bind(*args, **options).arguments
        self._options |= self._options.pop("kwargs", {})  # some options are in the SDK's `**kwargs`
        self._run = run_of(result.context_wrapper)

    @property
    def run(self) -> AgentRun | None:
        """The run, if it ended with a text; None for structured output and for a paused run."""
        output = self.result.final_output
        is_text = isinstance(output, str) and bool(output.strip())
        return self._run if is_text and not self.result.interruptions else None

    def settle(self) -> Any:
        """Return the result with the text to show."""
        run = self.run
        if run is None:
            return self.result

        def write(feedback: str) -> str:
            with run.session:
                self.result = Runner.run_sync(**self._continuation(feedback))
            return _text(self.result)

        text = self.result.final_output
        done = run.firewall.settle_answer(text, write=write, session=run.session)
        return self._with_text(done.text)

    async def asettle(self) -> Any:
        """Async version of `settle`."""
        run = self.run
        if run is None:
            return self.result

        async def write(feedback: str) -> str:
            with run.session:
                self.result = await Runner.run(**self._continuation(feedback))
            return _text(self.result)

        text = self.result.final_output
        done = await run.firewall.asettle_answer(text, write=write, session=run.session)
        return self._with_text(done.text)

    def _with_text(self, text: str) -> Any:
        if text != self.result.final_output:
            self.result.final_output = text
        return self.result

    def _continuation(self, feedback: str) -> dict[str, Any]:
        """Return the arguments of a run that continues from the result."""
        options = {**self._options, "starting_agent": self.result.last_agent}
        if any(options.get(name) for name in _STORED_CONVERSATION):
            return {**options, "input": feedback}
        if any(options.get(name) for name in _CHAINS):
            newest = self.result.last_response_id
            return {**options, "input": feedback, "previous_response_id": newest}
        message = {"role": "user", "content": feedback}
        return {**options, "input": [*self.result.to_input_list(), message]}


def _text(result: Any) -> str:
    output = result.final_output
    return output if isinstance(output, str) else ""


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
