"""The connection of a framework's run to a Shield: its session, tools and conversation."""

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
    The connection of a framework's agent to a Shield, used at every step of every run.

    Args:
        firewall: The Shield.
        session: The session of every run; None for the current or the conversation's session.
    """

    def __init__(self, firewall: Shield, session: Session | None = None) -> None:
        self.firewall = firewall
        self._own_session = session

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
        Return the session of one step.

        Args:
            conversation: The framework's id of the conversation.
            run: The framework's id of the run.
            agent: The current agent.
            model: The model of the agent.
            parent: The session of the agent whose tool started this run; the fixed and the current
                session belong to that agent then, not to this run.
        """
        # A run that a tool started belongs to another agent: it gets a session of its own.
        session = None if parent is not None else self._own_session or current_session()
        if session is None:
            session = self.firewall.session(conversation, parent=parent)
        # `or`: a framework that does not pass an id must not erase an earlier one.
        session.run_id = run or session.run_id
        session.agent = agent or session.agent
        session.model = model or session.model
        return session

    def offer(self, session: Session, tools: Iterable[Any]) -> None:
        """
        Register the tools that the model is offered at this step; their schemas judge its calls.

        A tool without a schema does not change the declarations of its name.

        Args:
            session: The session of the step.
            tools: Tools in a provider's or MCP's shape; unreadable ones are skipped.
        """
        described = [
            description for tool in tools if (description := Description.of(tool)) is not None
        ]
        self.firewall.registry.offer(session, described)
        offered, granted = (
            frozenset(tool.shape.name for tool in described),
            record_of(session).grant,
        )
        # At most the tools that the host granted when it opened the session.
        session.tools = offered if granted is None else offered & granted

    def add_offer(self, session: Session, tool: Any) -> None:
        """Add one tool to those that the model was offered at this step."""
        offered = session.tools
        self.offer(session, [tool])
        # `offer` has just replaced all names by this one: restore the others.
        session.tools = (offered or frozenset()) | (session.tools or frozenset())

    def guard(self, call: ToolCall, session: Session, *, proposed: ToolCall | None = None) -> Guard:
        """
        Return the guard of one dispatch.

        Args:
            call: The call that the framework runs.
            session: The session of the step.
            proposed: The call as the model wrote it, if the framework's own mechanism changed it
                since: arguments that differ count as values that the host provided. Never take it
                from text that the model writes.
        """
        guard = self.firewall.guard(call, session=session)
        guard.proposed = proposed
        return guard

    def add_messages(self, session: Session, messages: Iterable[Mapping[str, Any]]) -> None:
        """Add the conversation's messages to the session; unreadable ones are skipped."""
        session.add(messages, tolerant=True)
