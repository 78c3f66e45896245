"""What a Shield does with the answer that ends a run: check it, or let it be written again."""

from __future__ import annotations

import logging
from collections.abc import Callable
from threading import Lock
from typing import TYPE_CHECKING, Any

from abs_shield.core import Mode
from abs_shield.core.forked import renewed
from abs_shield.core.names import ANSWER
from abs_shield.errors import ShieldError
from abs_shield.policy import AnswerConfig, Policy
from abs_shield.session import Session
from abs_shield.shield.allowed import allowed
from abs_shield.shield.desk import Desk
from abs_shield.shield.judge import place_of
from abs_shield.shield.registry import Registry

if TYPE_CHECKING:
    from abs_shield.answer.report import HallucinationReport
    from abs_shield.answer.reported import Checked
    from abs_shield.answer.revise import Settled

logger = logging.getLogger("abs_shield")


class Answers:
    """The part of a `Shield` that judges answers; what it imports, only its users pay for."""

    policy: Policy
    registry: Registry
    desk: Desk

    def check_answer(
        self,
        answer: str,
        *,
        question: str | None = None,
        session: Session | None = None,
        config: AnswerConfig | None = None,
    ) -> HallucinationReport:
        """
        Check the answer that ends a run against what the run really returned.

        Args:
            answer: The answer.
            question: What the user asked; the session's newest user message where None.
            session: The session; the current one where None.
            config: How it is judged; as the policy says where None.

        Returns:
            The report; the caller emits the answer, revises or refuses it by its ``action``. The
            session's newest ``answer_decisions`` has the notes.

        Raises:
            ShieldError: The answer is no text, or the policy says ``answer=False``.
        """
        found = self._session(session)
        given = self._given(found, question, config)
        told = self._check(answer, given)
        self.desk.answered(told, found)
        given["probed"].open()
        return told.report

    async def acheck_answer(
        self,
        answer: str,
        *,
        question: str | None = None,
        session: Session | None = None,
        config: AnswerConfig | None = None,
    ) -> HallucinationReport:
        """As `check_answer`; models are asked without holding up the event loop."""
        found = self._session(session)
        given = self._given(found, question, config)
        told = await self._acheck(answer, given)
        self.desk.answered(told, found)
        given["probed"].open()
        return told.report

    def settle_answer(
        self,
        answer: str,
        *,
        write: Callable[[str], str],
        question: str | None = None,
        session: Session | None = None,
        config: AnswerConfig | None = None,
    ) -> Settled:
        """
        Check an answer, let it be written again where it does not hold, and give what to say.

        In audit mode the answer is checked and recorded, and stays as it is.

        Args:
            answer: The first draft.
            write: Writes it again, given feedback that names what the evidence does not support.
            question: What the user asked; the session's newest user message where None.
            session: The session; the current one where None.
            config: How it is judged; as the policy says where None.

        Returns:
            What may be said: a draft that holds, or the refusal.

        Raises:
            ShieldError: A draft is no text, or the policy says ``answer=False``.
        """
        from abs_shield.answer.revise import settled

        found = self._session(session)
        given = self._given(found, question, config)
        drafts = _Drafts(self.desk, found, write)
        done = settled(
            answer,
            write=drafts.write,
            check=lambda draft: drafts.keep(self._check(draft, given)),
            config=given["config"],
            enforced=self._enforced(),
        )
        self.desk.answered(done.checked, found)
        given["probed"].open()
        return done

    async def asettle_answer(
        self,
        answer: str,
        *,
        write: Callable[[str], Any],
        question: str | None = None,
        session: Session | None = None,
        config: AnswerConfig | None = None,
    ) -> Settled:
        """As `settle_answer`, for a *write* that may be async."""
        from abs_shield.answer.revise import asettled

        found = self._session(session)
        given = self._given(found, question, config)
        drafts = _Drafts(self.desk, found, write)

        async def check(draft: str) -> Checked:
            return drafts.keep(await self._acheck(draft, given))

        done = await asettled(
            answer, write=drafts.write, check=check, config=given["config"],
            enforced=self._enforced(),
        )  # fmt: skip
        self.desk.answered(done.checked, found)
        given["probed"].open()
        return done

    def _given(
        self, session: Session, question: str | None, config: AnswerConfig | None
    ) -> dict[str, Any]:
        """What `checked` is given, whoever calls it."""
        if config is None and self.policy.answer is False:
            raise ShieldError("the policy says `answer=False`: no answers are judged")
        from abs_shield.answer.gathering import Gathered

        return {
            "session": session,
            "question": question,
            "config": config or self.policy.answer,
            "gathered": Gathered(session, allow=allowed(self.policy, self.registry)),
            "probed": _Late(self.desk, session),
        }

    def _check(self, answer: str, given: dict[str, Any]) -> Checked:
        from abs_shield.answer.check import checked

        try:
            return checked(answer, **given)
        except ShieldError:
            raise  # what the caller gave is wrong
        except Exception as error:
            return self._failed(error, given["session"])

    async def _acheck(self, answer: str, given: dict[str, Any]) -> Checked:
        from abs_shield.answer.check import achecked

        try:
            return await achecked(answer, **given)
        except ShieldError:
            raise  # as above
        except Exception as error:
            return self._failed(error, given["session"])

    def _failed(self, error: Exception, session: Session) -> Checked:
        """Our own failure is no verdict; strict lets no answer pass that nobody checked."""
        from abs_shield.answer.reported import failed

        said = f"{ANSWER}: {place_of(error)}"
        logger.error("abs_shield could not check an answer: %s", said)
        return failed(session, said, closes=self.policy.on_error != "allow")

    def _enforced(self) -> bool:
        return self.desk.answer_mode() is Mode.STRICT

    def _session(self, session: Session | None) -> Session:
        raise NotImplementedError


class _Late:
    """Records what probes in the background found, behind what was found before them."""

    def __init__(self, desk: Desk, session: Session) -> None:
        self._desk = desk
        self._session = session
        self._lock = renewed(Lock())
        self._early: list[Checked] | None = []

    def __call__(self, found: Checked) -> None:
        with self._lock:
            if self._early is not None:
                self._early.append(found)
                return
        self._desk.answered(found, self._session)

    def open(self) -> None:
        """Record what has come too early, and from now on whatever comes."""
        with self._lock:
            early, self._early = self._early or [], None
        for found in early:
            self._desk.answered(found, self._session)


class _Drafts:
    """Records each draft when it is clear what became of it."""

    def __init__(self, desk: Desk, session: Session, write: Callable[[str], Any]) -> None:
        self._desk = desk
        self._session = session
        self._write = write
        self._newest: Checked | None = None

    def keep(self, found: Checked) -> Checked:
        """Keep what was found out of the newest draft."""
        self._newest = found
        return found

    def write(self, feedback: str) -> Any:
        """Record that the newest draft is written again, and let it be."""
        assert self._newest is not None
        self._desk.answered(self._newest, self._session)
        return self._write(feedback)
