"""What a host calls: a runner, or an agent and a run's configuration of its own runner."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

from agents import Agent, RunConfig, Runner, ToolErrorFormatterArgs

from abs_shield.adapters.openai_agents.copies import Copies
from abs_shield.adapters.openai_agents.run import ASKED, Asked, Runs, known_run
from abs_shield.core import Mode
from abs_shield.core.names import PHANTOM_TOOL
from abs_shield.policy import Policy
from abs_shield.session import Session
from abs_shield.shield import Shield
from abs_shield.shield.turns import feedback_text


class ShieldedRunner:
    """
    Stands where `agents.Runner` stood: the same runs, judged.

    Share it between runs, tasks and threads.

    Args:
        firewall: The Shield.
        session: The session of every run; the current one, that of the run's conversation, or a
            new one for each run where None.
    """

    def __init__(self, firewall: Shield, *, session: Session | None = None) -> None:
        self._firewall = firewall
        self._copies = Copies(Runs(firewall, session))

    def agent(self, agent: Agent[Any]) -> Agent[Any]:
        """
        Give the agent as it is run here, such as to make a tool of it, or to restore a run state.

        Args:
            agent: The agent; it is left as it is.

        Returns:
            Its copy, which hands off to copies as well.
        """
        return self._copies.agent(agent)

    async def run(self, starting_agent: Agent[Any], input: Any, **options: Any) -> Any:
        """
        As ``Runner.run``.

        Args:
            starting_agent: The agent to start with.
            input: The user's text, a list of items, or a run state to go on with.
            options: The options of ``Runner.run``, ``run_config`` included.

        Returns:
            The SDK's ``RunResult``.

        Raises:
            AgentsException: As ``Runner.run`` does.
        """
        with self._asked(options):
            return await Runner.run(self.agent(starting_agent), input, **options)

    def run_sync(self, starting_agent: Agent[Any], input: Any, **options: Any) -> Any:
        """As `run`, in a program that is not async; see ``Runner.run_sync``."""
        with self._asked(options):
            return Runner.run_sync(self.agent(starting_agent), input, **options)

    def run_streamed(self, starting_agent: Agent[Any], input: Any, **options: Any) -> Any:
        """As `run`, with events as they come; see ``Runner.run_streamed``."""
        with self._asked(options):
            return Runner.run_streamed(self.agent(starting_agent), input, **options)

    @contextmanager
    def _asked(self, options: dict[str, Any]) -> Iterator[None]:
        """Complete the options; what a run that fails has proposed is told as it stands."""
        options["run_config"] = shielded_config(options.get("run_config"), firewall=self._firewall)
        conversation = options.get("conversation_id")
        kept = bool(conversation or options.get("previous_response_id"))
        history = getattr(options.get("session"), "session_id", None)
        asked = Asked(conversation or history, kept)
        token = ASKED.set(asked)
        try:
            yield
        except BaseException:
            for session in asked.sessions:
                session.settle()
            raise
        finally:
            ASKED.reset(token)


def shielded_agent(
    agent: Agent[Any], *, firewall: Shield, session: Session | None = None
) -> Agent[Any]:
    """
    Give a copy of an agent, of its tools and of the agents it hands off to, that is judged.

    `ShieldedRunner` makes it by itself. With ``Runner.run`` it takes `shielded_config` as well,
    or the call of an unknown tool ends the run, as it does without a Shield.

    Args:
        agent: The agent, complete; it is left as it is.
        firewall: The Shield.
        session: The session of every run; the current one, that of the run's trace group, or a
            new one for each run where None.

    Returns:
        The copy; it may be run many times, at once too.
    """
    return Copies(Runs(firewall, session)).agent(agent)


def shielded_config(
    config: RunConfig | Mapping[str, Any] | None = None, *, firewall: Shield
) -> RunConfig:
    """
    Give a run's configuration with which the model, and not the host, hears of unknown tools.

    Args:
        config: The configuration so far; it is left as it is.
        firewall: The Shield; where its policy does not enforce `phantom_tool`, nothing changes.

    Returns:
        The configuration, for ``run_config``.
    """
    given: RunConfig = RunConfig(**config) if isinstance(config, Mapping) else config or RunConfig()
    if not _enforces(firewall.policy) or isinstance(given.tool_error_formatter, _Unknown):
        return given
    return replace(
        given,
        tool_not_found_behavior="return_error_to_model",
        tool_error_formatter=_Unknown(given.tool_error_formatter),
    )


def _enforces(policy: Policy) -> bool:
    mode = policy.modes.get(PHANTOM_TOOL, policy.mode)
    return mode is Mode.STRICT and PHANTOM_TOOL in policy.layer_names


@dataclass(frozen=True)
class _Unknown:
    """Answers the call of an unknown tool with feedback, all else as the host does."""

    host: Callable[[ToolErrorFormatterArgs[Any]], Any] | None

    def __call__(self, args: ToolErrorFormatterArgs[Any]) -> Any:
        run = known_run(args.run_context)
        decision = None if run is None else run.unknown.get(args.call_id)
        if args.kind == "tool_not_found" and decision is not None and decision.blocked:
            return feedback_text(decision)
        return None if self.host is None else self.host(args)
