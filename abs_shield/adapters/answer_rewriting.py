"""Rewriting of the answer that ends a run, by the framework or by the host's own model."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from abs_shield.errors import ShieldError
from abs_shield.policy import AnswerConfig
from abs_shield.session import Session
from abs_shield.session.session_record import record_of
from abs_shield.shield import Shield
from abs_shield.shield.answer_check import AnswerRevision

_MAX_STEPS = 10
"""Maximum number of model requests in one rewrite, because a model may call tools endlessly."""


class Revisions:
    """
    The current answer revision of one session; a rewrite may take several steps with tool calls.

    Created by ``record_of(session).derive(Revisions, owner=adapter)``.
    """

    def __init__(self) -> None:
        self._turn = -1
        self._revision: AnswerRevision | None = None

    def current_revision(
        self, firewall: Shield, session: Session, *, most: int | None = None
    ) -> AnswerRevision | None:
        """
        Return the revision of the answer to the user's newest message.

        None if answers are not checked.

        Args:
            firewall: The Shield.
            session: The session of the run.
            most: Maximum number of rewrites that the framework allows; None for the policy's.
        """
        current = self._revision
        # a new message of the user begins a new answer, with its own number of revisions
        if current is None or current.is_over or self._turn != session.turns:
            config = firewall.policy.answer
            if most is not None and isinstance(config, AnswerConfig):
                config = config.model_copy(update={"revisions": min(most, config.revisions)})
            self._turn = session.turns
            self._revision = firewall.answer_revision(session=session, config=config or None)
        return self._revision


class SentConversation:
    """
    The newest conversation that a tool runner sent in one session.

    Created by ``record_of(session).derive(SentConversation)``; a runner sets it at each request.
    """

    def __init__(self) -> None:
        self.messages: Iterable[Any] | None = None


class ReplyFormat(NamedTuple):
    """
    Functions that read the replies of one API.

    Attributes:
        text_of: Returns the text of a reply; empty if it calls tools.
        has_calls: Returns whether a reply calls tools.
        as_messages: Returns a reply as a list of messages of the conversation.
    """

    text_of: Callable[[Any], str]
    has_calls: Callable[[Any], bool]
    as_messages: Callable[[Any], list[Any]]


class Rewriter:
    """
    Rewrites an answer with the host's model, and runs the tools that the model calls.

    Args:
        api: Functions that read a reply.
        reply: The reply with the first draft.
        conversation: The messages that were sent to the model; they are not changed.
        ask: Calls the host's model with the conversation, and returns the reply.
        run: Runs the calls of a reply, and returns the messages with their results.
    """

    def __init__(
        self,
        api: ReplyFormat,
        reply: Any,
        conversation: Iterable[Any],
        *,
        ask: Callable[[list[Any]], Any],
        run: Callable[[Any, list[Any]], Any],
    ) -> None:
        self._api = api
        self._reply = reply
        # a copy, because the drafts must not be added to the host's own list
        self._conversation = [*conversation]
        self._ask = ask
        self._run = run

    def write(self, feedback: str) -> str:
        """Return a new draft, written by the model in response to *feedback*."""
        self._append_request(feedback)
        for _ in range(_MAX_STEPS):
            self._reply = self._ask([*self._conversation])
            if not self._api.has_calls(self._reply):
                break
            results = self._run(self._reply, self._conversation)
            self._conversation += [*self._api.as_messages(self._reply), *results]
        return self._api.text_of(self._reply)

    async def awrite(self, feedback: str) -> str:
        """Async version of `write`; the model and the tools may be async."""
        self._append_request(feedback)
        for _ in range(_MAX_STEPS):
            self._reply = await _resolve(self._ask([*self._conversation]))
            if not self._api.has_calls(self._reply):
                break
            results = await _resolve(self._run(self._reply, self._conversation))
            self._conversation += [*self._api.as_messages(self._reply), *results]
        return self._api.text_of(self._reply)

    def _append_request(self, feedback: str) -> None:
        request = {"role": "user", "content": feedback}
        self._conversation += [*self._api.as_messages(self._reply), request]


def conversation_of(session: Session, messages: Iterable[Any] | None) -> Iterable[Any]:
    """
    Return *messages*; if None, the newest conversation of a tool runner in the session.

    Raises:
        ShieldError: *messages* is None, and no tool runner ran in the session.
    """
    conversation = (
        record_of(session).derive(SentConversation).messages if messages is None else messages
    )
    if conversation is None:
        raise ShieldError(
            "`messages` is None, and no shielded runner ran in this session; run it in a"
            " `with firewall.session():` block around both, or pass `messages`"
        )
    return conversation


async def _resolve(value: Any) -> Any:
    return await value if inspect.isawaitable(value) else value
