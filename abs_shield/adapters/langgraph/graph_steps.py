"""The session, run and agent of a graph's step."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from langchain_core.messages import AIMessage
from langchain_core.runnables import ensure_config
from langgraph.runtime import get_runtime

from abs_shield.adapters.langgraph.framework_checks import NAMESPACE, check_step
from abs_shield.session import Session, Sessions, current_session
from abs_shield.session.session_context import RUNNING
from abs_shield.shield import Shield

_MAX_RUNS = 1_000  # runs without a thread id that are open at the same time; each holds a session


class GraphPosition(NamedTuple):
    """
    The position of a step in a graph.

    Attributes:
        thread: The thread, which is the conversation.
        namespace: The agent's namespace below the graph that was started.
        control: An object that every step of one run shares.
        run: The run's id, if the host set one.
    """

    thread: str | None
    namespace: str
    control: object
    run: str | None

    @classmethod
    def current(cls) -> GraphPosition:
        """Return the position of the current step."""
        config = ensure_config()
        try:
            runtime: Any = get_runtime()
        except Exception:  # called outside of a graph
            runtime = None
        if runtime is not None:
            check_step(config)
        thread = config.get("configurable", {}).get("thread_id")
        namespace = config.get("metadata", {}).get(NAMESPACE, "")
        return cls(
            thread=None if thread is None else str(thread),
            namespace=str(namespace).rpartition("|")[0],  # without the step's own node
            control=getattr(runtime, "control", None),
            run=getattr(getattr(runtime, "execution_info", None), "run_id", None),
        )


class StepNames(NamedTuple):
    """The framework's names for a step; None for missing ones."""

    run: str | None
    agent: str | None
    model: str | None

    @classmethod
    def of(cls, message: AIMessage, position: GraphPosition) -> StepNames:
        """Read the names from the model's answer and its position."""
        metadata = message.response_metadata
        return cls(position.run, message.name, metadata.get("model_name") or metadata.get("model"))

    def apply_to(self, session: Session) -> None:
        """Set the names on the session."""
        session.run_id = self.run or session.run_id
        session.agent = self.agent or session.agent
        session.model = self.model or session.model


class StepSessions:
    """
    The sessions of one adapter's steps.

    Args:
        firewall: The Shield.
        session: The session of every run; None for that of its thread, or one per run.
    """

    def __init__(self, firewall: Shield, session: Session | None) -> None:
        self._firewall = firewall
        self._fixed_session = session
        self._runs = Sessions(most=_MAX_RUNS)

    def session(self, position: GraphPosition) -> Session:
        """
        Return the session of a step; an agent run by a tool has a child of the tool's session.
        """
        explicit, running = self._fixed_session or current_session(), RUNNING.get()
        # an agent inside a tool must not read the values of the run around it as the user's
        if running is not None and explicit in (None, running):
            return self._run_session(
                position.control, running.id, position.namespace, running.child
            )
        if explicit is not None:
            return explicit
        if position.thread is not None:
            return self._firewall.session(position.thread)
        return self._run_session(position.control, "", "", self._firewall.session)

    def _run_session(
        self, control: object, parent: str, namespace: str, create: Callable[[], Session]
    ) -> Session:
        """Return a run's session; it references *control*, so that its id stays unique."""
        if control is None:
            return create()
        return self._runs.get(f"{id(control)} {parent} {namespace}", create, of=control)
