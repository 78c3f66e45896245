"""The text that ends a run: settled by runs that go on from it, or flagged where it streamed."""

from __future__ import annotations

import inspect
import logging
from collections.abc import Mapping
from typing import Any

from agents import Runner

from abs_shield.adapters.openai_agents.run import Run, known_run

logger = logging.getLogger("abs_shield")
_KEEPS = ("session", "conversation_id")
"""Options of a run with which the SDK, or the provider, holds the conversation so far."""
_CHAINS = ("previous_response_id", "auto_previous_response_id")


async def flag(output: Any, run: Run) -> None:
    """Check a text that its reader has; structured output is left alone."""
    firewall = run.firewall
    if not isinstance(output, str) or not output.strip() or firewall.policy.answer is False:
        return
    try:
        await firewall.acheck_answer(output, session=run.session)
    except Exception as error:
        logger.error("abs_shield could not check an answer: %s", type(error).__name__)


class Ending:
    """
    The end of a run, which may go on with feedback.

    Args:
        result: The result of the run.
        args: The arguments that the run was started with.
        options: Its options.
    """

    def __init__(self, result: Any, args: tuple[Any, ...], options: Mapping[str, Any]) -> None:
        self.result = result
        self._options = inspect.signature(Runner.run).bind(*args, **options).arguments
        self._options |= self._options.pop("kwargs", {})
        self._run = known_run(result.context_wrapper)

    @property
    def run(self) -> Run | None:
        """The run, where it ended with a text; None of structured output, and of a pause."""
        output = self.result.final_output
        is_text = isinstance(output, str) and bool(output.strip())
        return self._run if is_text and not self.result.interruptions else None

    def settle(self) -> Any:
        """Return the result with the text that may be emitted."""
        run = self.run
        if run is None:
            return self.result

        def write(feedback: str) -> str:
            with run.session:
                self.result = Runner.run_sync(**self._going_on(feedback))
            return _text(self.result)

        text = self.result.final_output
        done = run.firewall.settle_answer(text, write=write, session=run.session)
        return self._ended(done.text)

    async def asettle(self) -> Any:
        """As `settle`, on this event loop."""
        run = self.run
        if run is None:
            return self.result

        async def write(feedback: str) -> str:
            with run.session:
                self.result = await Runner.run(**self._going_on(feedback))
            return _text(self.result)

        text = self.result.final_output
        done = await run.firewall.asettle_answer(text, write=write, session=run.session)
        return self._ended(done.text)

    def _ended(self, text: str) -> Any:
        if text != self.result.final_output:
            self.result.final_output = text
        return self.result

    def _going_on(self, feedback: str) -> dict[str, Any]:
        """Return the arguments of a run that goes on from the result."""
        options = {**self._options, "starting_agent": self.result.last_agent}
        if any(options.get(name) for name in _KEEPS):
            return {**options, "input": feedback}
        if any(options.get(name) for name in _CHAINS):
            newest = self.result.last_response_id
            return {**options, "input": feedback, "previous_response_id": newest}
        asked = {"role": "user", "content": feedback}
        return {**options, "input": [*self.result.to_input_list(), asked]}


def _text(result: Any) -> str:
    output = result.final_output
    return output if isinstance(output, str) else ""
