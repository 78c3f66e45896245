"""Takes an answer through the door: checked, recorded, and written again where it does not hold."""

from __future__ import annotations

import logging
from collections.abc import Generator
from threading import Lock
from typing import TYPE_CHECKING, Any

from abs_shield.core.forked import renewed
from abs_shield.core.layer_names import ANSWER
from abs_shield.errors import ShieldError
from abs_shield.policy import AnswerConfig
from abs_shield.session import Session
from abs_shield.session.session_record import record_of
from abs_shield.shield.allowed import allowed
from abs_shield.shield.answering import Began
from abs_shield.shield.fault import place_of
from abs_shield.shield.lifecycle import Lifecycle
from abs_shield.shield.off import NOTE, SWITCH
from abs_shield.shield.registry import Registry

if TYPE_CHECKING:
    from abs_shield.answer.assembly import Checked
    from abs_shield.answer.revision import Settled, Write

logger = logging.getLogger("abs_shield")
_UNDECLARED = "answers_not_judged"


class Door:
    """
    Where the drafts of one answer are checked, and recorded when it is clear what becomes of them.

    Args:
        lifecycle: Records what was found out.
        registry: The tools, and what they allow.
        session: The run.
        question: What the user asked; the session's newest user message where None.
        config: How it is judged.
    """

    def __init__(
        self,
        lifecycle: Lifecycle,
        registry: Registry,
        session: Session,
        question: str | None,
        config: AnswerConfig,
    ) -> None:
        from abs_shield.answer.evidence.collect import (
            CachedEvidence,  # only who checks answers pays for it
        )

        self._lifecycle = lifecycle
        self._session = session
        self._config = config
        self._newest: tuple[Checked, Began, str] | None = None
        self._lock = renewed(Lock())
        self._early: list[Checked] | None = []
        self._given: dict[str, Any] = {
            "session": session,
            "question": question,
            "config": config,
            "gathered": CachedEvidence(
                session, allow=allowed(lifecycle.policy, registry.of(session))
            ),
            "probed": self._probed,
        }

    def check(self, answer: str) -> Checked:
        """Check one answer, and record what was found out."""
        found = self._check(answer)
        self._record(found, last=True)
        return found

    async def acheck(self, answer: str) -> Checked:
        """As `check`; models are asked without holding up the event loop."""
        found = await self._acheck(answer)
        self._record(found, last=True)
        return found

    def settle(self, answer: str, write: Write) -> Settled:
        """Say what may be emitted; in audit that is the draft, whatever was found."""
        from abs_shield.answer.revision import settled

        def writes(feedback: str) -> Any:
            self._ask_again(feedback)
            return write(feedback)

        enforced = self._lifecycle.enforces_answers()
        done = settled(
            answer, write=writes, check=self._check, config=self._config, enforced=enforced
        )
        self._record(done.checked, last=True)
        return done

    async def asettle(self, answer: str, write: Write) -> Settled:
        """As `settle`, on this event loop."""
        from abs_shield.answer.revision import asettled

        def writes(feedback: str) -> Any:
            self._ask_again(feedback)
            return write(feedback)

        enforced = self._lifecycle.enforces_answers()
        done = await asettled(
            answer, write=writes, check=self._acheck, config=self._config, enforced=enforced
        )
        self._record(done.checked, last=True)
        return done

    def revision(self) -> AnswerRevision:
        """Return the drafts of one answer, for a framework that asks its model itself."""
        return AnswerRevision(self, self._config, enforced=self._lifecycle.enforces_answers())

    # Inside --------------------------------------------------------------------------------------

    def _ask_again(self, feedback: str) -> None:
        self._record()
        record_of(self._session).end_turn(feedback)

    def _check(self, answer: str) -> Checked:
        from abs_shield.answer.check_pipeline import checked

        began = Began.now()
        if SWITCH.off:
            return self._unchecked(began)
        try:
            return self._held(checked(answer, **self._given), began)
        except ShieldError:
            raise  # what the caller gave is wrong
        except Exception as error:
            return self._failed(error, began)

    async def _acheck(self, answer: str) -> Checked:
        from abs_shield.answer.check_pipeline import achecked

        began = Began.now()
        if SWITCH.off:
            return self._unchecked(began)
        try:
            return self._held(await achecked(answer, **self._given), began)
        except ShieldError:
            raise  # as above
        except Exception as error:
            return self._failed(error, began)

    def _held(self, found: Checked, began: Began, *, error: str = "") -> Checked:
        """Hold the newest draft until it is clear what becomes of it."""
        self._newest = found, began, error
        return found

    def _unchecked(self, began: Began) -> Checked:
        from abs_shield.answer.assembly import unchecked

        return self._held(unchecked(self._session, note=NOTE), began)

    def _failed(self, error: Exception, began: Began) -> Checked:
        """Our own failure is no verdict; strict lets no answer pass that nobody checked."""
        from abs_shield.answer.assembly import NOT_CHECKED, unchecked

        said = f"{ANSWER}: {place_of(error)}"
        logger.error("abs_shield could not check an answer: %s", said)
        closes = self._lifecycle.policy.on_error != "allow"
        found = unchecked(self._session, note=NOT_CHECKED, action="block" if closes else "emit")
        return self._held(found, began, error=said)

    def _record(self, found: Checked | None = None, *, last: bool = False) -> None:
        """Record the newest draft: as it was *found*, or as it became in the end."""
        assert self._newest is not None
        held, began, error = self._newest
        self._lifecycle.answered(found or held, self._session, began=began, error=error)
        if last:
            self._open()

    def _probed(self, found: Checked) -> None:
        """Record what probes in the background found, behind what was found before them."""
        with self._lock:
            if self._early is not None:
                self._early.append(found)
                return
        self._lifecycle.answered(found, self._session, began=Began.now())

    def _open(self) -> None:
        with self._lock:
            early, self._early = self._early or [], None
        for found in early:
            self._lifecycle.answered(found, self._session, began=Began.now())


class AnswerRevision:
    """
    The drafts of one answer, where a framework asks its model itself; made by a `Shield`.

    Submit each draft: the result is the feedback to ask the model with, or what to emit.

    Attributes:
        is_over: Whether it has come to what may be emitted.
    """

    def __init__(self, door: Door, config: AnswerConfig, *, enforced: bool) -> None:
        self._door = door
        self._config = config
        self._enforced = enforced
        self._steps: Generator[tuple[str, str], Any, Settled] | None = None
        self.is_over = False

    @property
    def enforced(self) -> bool:
        """Whether a draft that does not hold is stopped, and not only recorded."""
        return self._enforced

    def submit(self, draft: str) -> str | Settled:
        """
        Check a draft, and record what was found.

        Returns:
            The feedback for the model as a text; or, where the revision is over, what to emit.
        """
        done = self._take(draft)
        return self._go_on(self._door._check(draft)) if done is None else done

    async def asubmit(self, draft: str) -> str | Settled:
        """As `submit`; models are asked without holding up the event loop."""
        done = self._take(draft)
        return self._go_on(await self._door._acheck(draft)) if done is None else done

    def _take(self, draft: str) -> Settled | None:
        """Take a draft in; the outcome where it repeats an earlier one."""
        from abs_shield.answer.revision import rounds

        if self._steps is None:
            self._steps = rounds(draft, self._config, enforced=self._enforced)
            next(self._steps)
            return None
        return self._ended(draft)

    def _go_on(self, found: Checked) -> str | Settled:
        assert self._steps is not None
        try:
            _, feedback = self._steps.send(found)
        except StopIteration as end:
            return self._end(end.value)
        self._door._ask_again(feedback)
        return feedback

    def _ended(self, draft: str) -> Settled | None:
        assert self._steps is not None
        try:
            self._steps.send(draft)
        except StopIteration as end:
            return self._end(end.value)
        return None

    def _end(self, done: Settled) -> Settled:
        self.is_over = True
        self._door._record(done.checked, last=True)
        return done


def unsettled(answer: str, session: Session) -> Settled:
    """Give an answer as it is, where the policy judges none."""
    from abs_shield.answer.assembly import unchecked
    from abs_shield.answer.revision import Settled

    return Settled(answer, unchecked(session, note=_UNDECLARED), 0)
