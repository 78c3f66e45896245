"""Public entry points: a runner, and a copy of an agent for the host's own runner."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Concatenate, ParamSpec, TypeVar

from agents import Agent, Runner

from abs_shield.adapters.openai_agents.run_context import (
    NEXT,
    AgentRuns,
    RunScope,
    agent_runs,
    mark_agent,
)
from abs_shield.adapters.openai_agents.run_hooks import FinalOutput
from abs_shield.adapters.openai_agents.sdk_patches import install
from abs_shield.session import Session
from abs_shield.shield import Shield

_P = ParamSpec("_P")
_T = TypeVar("_T")


def _same_options(
    original: Callable[_P, _T],
) -> Callable[[Callable[..., Any]], Callable[Concatenate[Any, _P], _T]]:
    """Set the signature of a method to that of *original*, for type checkers and editors."""

    def decorate(method: Callable[..., Any]) -> Callable[Concatenate[Any, _P], _T]:
        signature = inspect.signature(original)
        this = inspect.Parameter("self", inspect.Parameter.POSITIONAL_ONLY)
        parameters = [this, *signature.parameters.values()]
        method.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
        return method

    return decorate


class ShieldedRunner:
    """
    A replacement for `agents.Runner` whose runs are judged.

    One runner can be used for many runs, tasks and threads.

    Args:
        firewall: The Shield.
        session: The session of every run; None for the current one, that of the run's conversation,
            or a new one for each run.
        answers: Whether the text that ends a run is settled: in strict mode the run continues with
            feedback, and an unsupported answer is replaced by the refusal. The text of
            `run_streamed` is checked at its end.

    Raises:
        ShieldError: The SDK does not have an attribute that the adapter needs.
    """

    def __init__(
        self, firewall: Shield, *, session: Session | None = None, answers: bool = False
    ) -> None:
        install()
        self._answers = answers
        self._runs = AgentRuns(firewall, session)

    def agent(self, agent: Agent[Any]) -> Agent[Any]:
        """
        Return a copy of an agent whose runs are judged with ``Runner``, too.

        Args:
            agent: The agent; it is not changed.

        Returns:
            A copy, which shares its lists of tools, handoffs and guardrails.
        """
        return mark_agent(agent, self._runs)

    # The signature is the SDK's own, with positional and keyword options.
    @_same_options(Runner.run)
    async def run(self, *args: Any, **options: Any) -> Any:
        """
        Run an agent like ``Runner.run``, judged by the Shield.

        Returns:
            The SDK's ``RunResult``.

        Raises:
            AgentsException: The errors of ``Runner.run``.
        """
        with self._judge_run():
            result = await Runner.run(*args, **options)
            return await FinalOutput(result, args, options).asettle() if self._answers else result

    @_same_options(Runner.run_sync)
    def run_sync(self, *args: Any, **options: Any) -> Any:
        """Run an agent like ``Runner.run_sync``, judged by the Shield."""
        with self._judge_run():
            result = Runner.run_sync(*args, **options)
            return FinalOutput(result, args, options).settle() if self._answers else result

    @_same_options(Runner.run_streamed)
    def run_streamed(self, *args: Any, **options: Any) -> Any:
        """Run an agent like ``Runner.run_streamed``, judged by the Shield."""
        with self._judge_run(streams=True):
            return Runner.run_streamed(*args, **options)

    @contextmanager
    def _judge_run(self, *, streams: bool = False) -> Iterator[None]:
        # a streamed text has already been shown, so it can only be flagged
        flags = self._answers and streams
        token = NEXT.set(RunScope(self._runs, answers=True, flags_output=flags))
        try:
            yield
        finally:
            NEXT.reset(token)


def shielded_agent(
    agent: Agent[Any], *, firewall: Shield, session: Session | None = None
) -> Agent[Any]:
    """
    Return a copy of an agent whose runs are judged, including the agents that it hands off to.

    Not needed with `ShieldedRunner`. With ``Runner.run``, also pass `shielded_config`; otherwise
    the call of an unknown tool ends the run, as it does without a Shield.

    Args:
        agent: The agent; it is not changed.
        firewall: The Shield.
        session: The session of every run; None for the current one, that of the run's conversation,
            or a new one for each run.

    Returns:
        The copy; it can be run many times, also concurrently.

    Raises:
        ShieldError: The SDK does not have an attribute that the adapter needs.
    """
    install()
    existing = agent_runs(agent)
    if existing is not None and existing.firewall is firewall:
        return agent
    return mark_agent(agent, AgentRuns(firewall, session))
