"""Whose step of a graph it is: its run, its agent, and the session of both."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from langchain_core.messages import AIMessage
from langchain_core.runnables import ensure_config
from langgraph.runtime import get_runtime

from abs_shield.adapters.langgraph.checks import SPACE, check_step
from abs_shield.session import Session, Sessions, current_session
from abs_shield.session.session_context import RUNNING
from abs_shield.shield import Shield

_MOST = 1_000


class Place(NamedTuple):
    """
    Where in a graph a step is taken.

    Attributes:
        thread: The thread, which is the conversation.
        space: The agent's place below the graph that was started.
        control: An object that every step of one run shares.
        run: The run's id, where the host gave it one.
    """

    thread: str | None
    space: str
    control: object
    run: str | None

    @classmethod
    def here(cls) -> Place:
        """Read the place of the current step."""
        config = ensure_config()
        try:
            runtime: Any = get_runtime()
        except Exception:  # called outside of a graph
            runtime = None
        if runtime is not None:
            check_step(config)
        thread = config.get("configurable", {}).get("thread_id")
        space = config.get("metadata", {}).get(SPACE, "")
        return cls(
            thread=None if thread is None else str(thread),
            space=str(space).rpartition("|")[0],
            control=getattr(runtime, "control", None),
            run=getattr(getattr(runtime, "execution_info", None), "run_id", None),
        )


class Step(NamedTuple):
    """What the framework calls a step; None where it has no name for it."""

    run: str | None
    agent: str | None
    model: str | None

    @classmethod
    def of(cls, message: AIMessage, place: Place) -> Step:
        """Read it from what the model answered, and where."""
        told = message.response_metadata
        return cls(place.run, message.name, told.get("model_name") or told.get("model"))

    def name(self, session: Session) -> None:
        """Say it to the session."""
        session.run_id = self.run or session.run_id
        session.agent = self.agent or session.agent
        session.model = self.model or session.model


class Steps:
    """
    The sessions of one adapter's steps.

    Args:
        firewall: The Shield.
        session: The session of every run; None for that of its thread, or one a run.
    """

    def __init__(self, firewall: Shield, session: Session | None) -> None:
        self._firewall = firewall
        self._given = session
        self._runs = Sessions(most=_MOST)

    def session(self, place: Place) -> Session:
        """Give the session of a step; an agent that a tool runs has a child of that tool's."""
        given, running = self._given or current_session(), RUNNING.get()
        if running is not None and given in (None, running):
            return self._of_run(place.control, running.id, place.space, running.child)
        if given is not None:
            return given
        if place.thread is not None:
            return self._firewall.session(place.thread)
        return self._of_run(place.control, "", "", self._firewall.session)

    def _of_run(
        self, control: object, above: str, space: str, make: Callable[[], Session]
    ) -> Session:
        """Give a run's session; its object is kept, so that no other gets the same identity."""
        if control is None:
            return make()
        return self._runs.get(f"{id(control)} {above} {space}", make, of=control)
