"""What a host calls: a runner, or an agent for its own runner."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Concatenate, ParamSpec, TypeVar

from agents import Agent, Runner

from abs_shield.adapters.openai_agents.answers import Ending
from abs_shield.adapters.openai_agents.run import NEXT, Entry, Runs, agent_runs, marked_agent
from abs_shield.adapters.openai_agents.sdk import install
from abs_shield.session import Session
from abs_shield.shield import Shield

_P = ParamSpec("_P")
_T = TypeVar("_T")


def _same_options(
    theirs: Callable[_P, _T],
) -> Callable[[Callable[..., Any]], Callable[Concatenate[Any, _P], _T]]:
    """Give a method the parameters of *theirs*, for type checkers and editors."""

    def decorate(method: Callable[..., Any]) -> Callable[Concatenate[Any, _P], _T]:
        signature = inspect.signature(theirs)
        this = inspect.Parameter("self", inspect.Parameter.POSITIONAL_ONLY)
        listed = [this, *signature.parameters.values()]
        method.__signature__ = signature.replace(parameters=listed)  # type: ignore[attr-defined]
        return method

    return decorate


class ShieldedRunner:
    """
    Stands where `agents.Runner` stood: the same runs, judged.

    Share it between runs, tasks and threads.

    Args:
        firewall: The Shield.
        session: The session of every run; the current one, that of the run's conversation, or a
            new one for each run where None.
        answers: Whether the text that ends a run is settled: in strict mode the run goes on with
            feedback, and an answer that does not hold is replaced by the refusal. The text of
            `run_streamed` is checked at its end.

    Raises:
        ShieldError: The SDK lacks a part that judging depends on.
    """

    def __init__(
        self, firewall: Shield, *, session: Session | None = None, answers: bool = False
    ) -> None:
        install()
        self._answers = answers
        self._runs = Runs(firewall, session)

    def agent(self, agent: Agent[Any]) -> Agent[Any]:
        """
        Give a copy of an agent that is judged in runs of ``Runner`` as well.

        Args:
            agent: The agent; it is left as it is.

        Returns:
            Its copy, which shares its lists of tools, handoffs and guardrails.
        """
        return marked_agent(agent, self._runs)

    # The signatures are the SDK's own: positional and named options alike.
    @_same_options(Runner.run)
    async def run(self, *args: Any, **options: Any) -> Any:
        """
        As ``Runner.run``.

        Returns:
            The SDK's ``RunResult``.

        Raises:
            AgentsException: As ``Runner.run`` does.
        """
        with self._judged():
            result = await Runner.run(*args, **options)
            return await Ending(result, args, options).asettle() if self._answers else result

    @_same_options(Runner.run_sync)
    def run_sync(self, *args: Any, **options: Any) -> Any:
        """As `run`, in a program that is not async; see ``Runner.run_sync``."""
        with self._judged():
            result = Runner.run_sync(*args, **options)
            return Ending(result, args, options).settle() if self._answers else result

    @_same_options(Runner.run_streamed)
    def run_streamed(self, *args: Any, **options: Any) -> Any:
        """As `run`, with events as they come; see ``Runner.run_streamed``."""
        with self._judged(streams=True):
            return Runner.run_streamed(*args, **options)

    @contextmanager
    def _judged(self, *, streams: bool = False) -> Iterator[None]:
        flags = self._answers and streams
        token = NEXT.set(Entry(self._runs, answers=True, flags_output=flags))
        try:
            yield
        finally:
            NEXT.reset(token)


def shielded_agent(
    agent: Agent[Any], *, firewall: Shield, session: Session | None = None
) -> Agent[Any]:
    """
    Give a copy of an agent whose runs are judged, those of agents that it hands off to as well.

    `ShieldedRunner` needs none. With ``Runner.run`` it takes `shielded_config` as well, or the
    call of an unknown tool ends the run, as it does without a Shield.

    Args:
        agent: The agent; it is left as it is.
        firewall: The Shield.
        session: The session of every run; the current one, that of the run's conversation, or a
            new one for each run where None.

    Returns:
        The copy; it may be run many times, at once too.

    Raises:
        ShieldError: The SDK lacks a part that judging depends on.
    """
    install()
    known = agent_runs(agent)
    if known is not None and known.firewall is firewall:
        return agent
    return marked_agent(agent, Runs(firewall, session))
