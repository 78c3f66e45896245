"""Where a framework's run meets the door: whose session it is, its tools, its conversation."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from abs_shield.core import ToolCall
from abs_shield.session import Session, current_session
from abs_shield.session.session_record import record_of
from abs_shield.shield.guard import Guard
from abs_shield.shield.offered_tools import Description

if TYPE_CHECKING:
    from abs_shield.shield.shield import Shield


class AdapterSession:
    """
    One framework's agent in front of one Shield; it is asked again at every step of every run.

    Args:
        firewall: The Shield.
        session: The session of every run; None for the current one, or that of the conversation.
    """

    def __init__(self, firewall: Shield, session: Session | None = None) -> None:
        self.firewall = firewall
        self._given = session

    def session(
        self,
        conversation: str | None = None,
        *,
        run: str | None = None,
        agent: str | None = None,
        model: str | None = None,
        parent: Session | None = None,
    ) -> Session:
        """
        Give the session of one step.

        Args:
            conversation: The framework's id of the conversation.
            run: The framework's id of the run.
            agent: The agent that speaks now.
            model: The model that it asks.
            parent: The session of the agent one of whose tools started this run; the given and
                the current session are that agent's then, and not this run's.
        """
        session = None if parent is not None else self._given or current_session()
        if session is None:
            session = self.firewall.session(conversation, parent=parent)
        session.run_id = run or session.run_id
        session.agent = agent or session.agent
        session.model = model or session.model
        return session

    def offer(self, session: Session, tools: Iterable[Any]) -> None:
        """
        Say which tools the model is offered at this step; it is judged by these descriptions.

        A tool without a schema leaves alone what was declared under its name.

        Args:
            session: The session of the step.
            tools: Tools as a provider or MCP describes them; what is none is not judged.
        """
        described = [
            description for tool in tools if (description := Description.of(tool)) is not None
        ]
        self.firewall.registry.offer(session, described)
        offered, granted = (
            frozenset(tool.shape.name for tool in described),
            record_of(session).grant,
        )
        session.tools = offered if granted is None else offered & granted

    def add_offer(self, session: Session, tool: Any) -> None:
        """Add one tool to those that the model was offered at this step."""
        offered = session.tools
        self.offer(session, [tool])
        session.tools = (offered or frozenset()) | (session.tools or frozenset())

    def guard(self, call: ToolCall, session: Session, *, proposed: ToolCall | None = None) -> Guard:
        """
        Return the guard of one dispatch.

        Args:
            call: The call that the framework runs.
            session: The session of the step.
            proposed: The call as the model wrote it, where the framework's own way to change a
                call was used since: arguments that differ are the host's words. Never take it
                from anything that the model writes.
        """
        guard = self.firewall.guard(call, session=session)
        guard.proposed = proposed
        return guard

    def hear(self, session: Session, messages: Iterable[Mapping[str, Any]]) -> None:
        """Take in the conversation as it stands; what cannot be read was not seen here."""
        session.add(messages, tolerant=True)
