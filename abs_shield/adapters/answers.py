"""The answer that ends a run: written again by the framework, or by the host's own model."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from abs_shield.errors import ShieldError
from abs_shield.policy import AnswerConfig
from abs_shield.session import Session
from abs_shield.session.session_record import record_of
from abs_shield.shield import Shield
from abs_shield.shield.settling import AnswerRevision

_MOST_STEPS = 10
"""Most requests of one rewrite that calls tools."""


class Revisions:
    """
    The revision that is under way in one session; a rewrite may call tools before it answers.

    Get it as ``record_of(session).derive(Revisions, owner=adapter)``.
    """

    def __init__(self) -> None:
        self._turn = -1
        self._revision: AnswerRevision | None = None

    def of(
        self, firewall: Shield, session: Session, *, most: int | None = None
    ) -> AnswerRevision | None:
        """
        Return the revision of the answer to the user's newest message; None where none is judged.

        Args:
            firewall: The Shield.
            session: The session of the run.
            most: Most rewrites that the framework allows; None for those of the policy.
        """
        known = self._revision
        if known is None or known.is_over or self._turn != session.turns:
            config = firewall.policy.answer
            if most is not None and isinstance(config, AnswerConfig):
                config = config.model_copy(update={"revisions": min(most, config.revisions)})
            self._turn = session.turns
            self._revision = firewall.answer_revision(session=session, config=config or None)
        return self._revision


class Sent:
    """
    The conversation that a tool runner sent last in one session.

    Get it as ``record_of(session).derive(Sent)``; an adapter's runner sets it at each request.
    """

    def __init__(self) -> None:
        self.messages: Iterable[Any] | None = None


class Api(NamedTuple):
    """
    The replies of one API.

    Attributes:
        text_of: Returns the text of a reply; empty where it calls tools.
        has_calls: Returns whether a reply calls tools.
        written: Returns a reply as the conversation has it, as a list of messages.
    """

    text_of: Callable[[Any], str]
    has_calls: Callable[[Any], bool]
    written: Callable[[Any], list[Any]]


class Rewriter:
    """
    Writes an answer again: asks the host's model, and runs what it calls.

    Args:
        api: How replies are read.
        reply: The reply with the first draft.
        conversation: What the model was sent; it is left as it is.
        ask: The host's way to ask its model: it takes the conversation, and returns the reply.
        run: Runs the calls of a reply, and returns the messages with their results.
    """

    def __init__(
        self,
        api: Api,
        reply: Any,
        conversation: Iterable[Any],
        *,
        ask: Callable[[list[Any]], Any],
        run: Callable[[Any, list[Any]], Any],
    ) -> None:
        self._api = api
        self._reply = reply
        self._conversation = [*conversation]
        self._ask = ask
        self._run = run

    def write(self, feedback: str) -> str:
        """Return the new draft."""
        self._request(feedback)
        for _ in range(_MOST_STEPS):
            self._reply = self._ask([*self._conversation])
            if not self._api.has_calls(self._reply):
                break
            told = self._run(self._reply, self._conversation)
            self._conversation += [*self._api.written(self._reply), *told]
        return self._api.text_of(self._reply)

    async def awrite(self, feedback: str) -> str:
        """As `write`; the host's model may be asked, and tools may run, on the event loop."""
        self._request(feedback)
        for _ in range(_MOST_STEPS):
            self._reply = await _awaited(self._ask([*self._conversation]))
            if not self._api.has_calls(self._reply):
                break
            told = await _awaited(self._run(self._reply, self._conversation))
            self._conversation += [*self._api.written(self._reply), *told]
        return self._api.text_of(self._reply)

    def _request(self, feedback: str) -> None:
        asked = {"role": "user", "content": feedback}
        self._conversation += [*self._api.written(self._reply), asked]


def conversation_of(session: Session, messages: Iterable[Any] | None) -> Iterable[Any]:
    """
    Return the conversation; that of the newest tool runner of the session where None.

    Raises:
        ShieldError: No tool runner ran in this session.
    """
    known = record_of(session).derive(Sent).messages if messages is None else messages
    if known is None:
        raise ShieldError(
            "`messages` is None, and no shielded runner ran in this session; run it in a"
            " `with firewall.session():` block around both, or give `messages`"
        )
    return known


async def _awaited(value: Any) -> Any:
    return await value if inspect.isawaitable(value) else value
