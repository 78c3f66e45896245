"""Where a framework's run meets the door: whose session it is, its tools, its conversation."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from abs_shield.core.digest import digest_of
from abs_shield.core.messages import ToolShape, UnreadableMessage, read_tool
from abs_shield.errors import PolicyError
from abs_shield.session import Session, current_session
from abs_shield.shield.session_tools import SessionTools

if TYPE_CHECKING:
    from abs_shield.shield.shield import Shield


logger = logging.getLogger("abs_shield")


class Seam:
    """
    One framework's agent in front of one Shield; it is asked again at every step of every run.

    Args:
        firewall: The Shield.
        session: The session of every run; None for the current one, or that of the conversation.
    """

    def __init__(self, firewall: Shield, session: Session | None = None) -> None:
        self.firewall = firewall
        self._given = session
        self._known: dict[str, bytes] = {}

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
        Say which tools the model is offered at this step; each is registered once a schema.

        A tool without a schema leaves alone what was registered under its name.

        Args:
            session: The session of the step.
            tools: Tools as OpenAI, Anthropic or MCP describe them; what is none is not judged.
        """
        offered, granted = self.register(tools, session=session), session.granted
        session.tools = offered if granted is None else offered & granted

    def register(self, tools: Iterable[Any], *, session: Session | None = None) -> frozenset[str]:
        """
        Make tools known, each once a schema, without offering them to a session.

        Args:
            tools: As `offer` takes them.
            session: One whose own functions need no description; they stay known to it alone.

        Returns:
            Their names.
        """
        names = []
        known = self.firewall.registry.of(session)
        for tool in tools:
            try:
                shape = read_tool(tool)
            except UnreadableMessage:
                continue
            names.append(shape.name)
            if shape.parameters is None and shape.name in known:
                continue
            if isinstance(known, SessionTools) and known.is_own(shape.name):
                continue
            seen = _digest(shape)
            if self._known.get(shape.name) != seen:
                self._take(tool, shape.name)
                self._known[shape.name] = seen
        return frozenset(names)

    def _take(self, tool: Any, name: str) -> None:
        """Register a tool; one that cannot be declared stops no run, and is told of once."""
        try:
            self.firewall.register(tool, tolerant=True)
        except PolicyError as error:
            logger.error("abs_shield cannot judge an offered tool by what it declares: %s", error)
            with suppress(PolicyError):  # its name at least, where it is one
                self.firewall.register({"name": name}, tolerant=True)

    def hear(self, session: Session, messages: Iterable[Mapping[str, Any]]) -> None:
        """Take in the conversation as it stands; what cannot be read was not seen here."""
        session.add(messages, tolerant=True)


def _digest(shape: ToolShape) -> bytes:
    hints = shape.annotations if isinstance(shape.annotations, Mapping) else {}
    return digest_of(shape.name, {"parameters": shape.parameters, "annotations": dict(hints)})
