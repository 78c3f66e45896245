"""The check of an answer: each draft is checked and recorded, and revised if it fails."""

from __future__ import annotations

import logging
from collections.abc import Generator
from threading import Lock
from typing import TYPE_CHECKING, Any

from abs_shield.core.fork_safety import renewed
from abs_shield.core.vocabularies import ANSWER
from abs_shield.errors import ShieldError
from abs_shield.policy import AnswerConfig
from abs_shield.session import Session
from abs_shield.session.session_record import record_of
from abs_shield.shield.allowlist_entries import allowlist_entries
from abs_shield.shield.answer_decision import CheckStart
from abs_shield.shield.internal_error import error_location
from abs_shield.shield.lifecycle import Lifecycle
from abs_shield.shield.off_switch import NOTE, SWITCH
from abs_shield.shield.tool_registry import Registry

if TYPE_CHECKING:
    from abs_shield.answer.answer_revision import Settled, Write
    from abs_shield.answer.report_assembly import Checked

logger = logging.getLogger("abs_shield")
_UNDECLARED = "answers_not_judged"


class AnswerCheck:
    """
    The check of one answer's drafts; each is recorded once its outcome is final.

    Args:
        lifecycle: Records the results.
        registry: The tools and their allowlists.
        session: The session.
        question: The user's question; None for the newest user message of the session.
        config: The settings of the check.
    """

    def __init__(
        self,
        lifecycle: Lifecycle,
        registry: Registry,
        session: Session,
        question: str | None,
        config: AnswerConfig,
    ) -> None:
        from abs_shield.answer.evidence.evidence_collection import (
            CachedEvidence,  # imported only where answers are checked: it is slow
        )

        self._lifecycle = lifecycle
        self._session = session
        self._config = config
        self._newest: tuple[Checked, CheckStart, str] | None = None
        self._lock = renewed(Lock())
        # Results of probes that finished early; None once the answer itself is recorded.
        self._early: list[Checked] | None = []
        self._arguments: dict[str, Any] = {
            "session": session,
            "question": question,
            "config": config,
            "gathered": CachedEvidence(
                session, allow=allowlist_entries(lifecycle.policy, registry.of(session))
            ),
            "probed": self._record_background,
        }

    def check(self, answer: str) -> Checked:
        """Check one answer, and record the result."""
        result = self._check(answer)
        self._record(result, last=True)
        return result

    async def acheck(self, answer: str) -> Checked:
        """Check one answer like `check`, without blocking the event loop."""
        result = await self._acheck(answer)
        self._record(result, last=True)
        return result

    def settle(self, answer: str, write: Write) -> Settled:
        """Return the answer to emit; in audit mode that is the first draft, whatever its result."""
        from abs_shield.answer.answer_revision import settled

        # The draft is recorded before the model is asked again, or a crash would lose it.
        def write_again(feedback: str) -> Any:
            self._ask_again(feedback)
            return write(feedback)

        enforced = self._lifecycle.enforces_answers()
        done = settled(
            answer, write=write_again, check=self._check, config=self._config, enforced=enforced
        )
        self._record(done.checked, last=True)
        return done

    async def asettle(self, answer: str, write: Write) -> Settled:
        """Return the answer to emit like `settle`, on this event loop."""
        from abs_shield.answer.answer_revision import asettled

        def write_again(feedback: str) -> Any:
            self._ask_again(feedback)
            return write(feedback)

        enforced = self._lifecycle.enforces_answers()
        done = await asettled(
            answer, write=write_again, check=self._acheck, config=self._config, enforced=enforced
        )
        self._record(done.checked, last=True)
        return done

    def revision(self) -> AnswerRevision:
        """Return the revision of one answer, for a framework that calls its model itself."""
        return AnswerRevision(self, self._config, enforced=self._lifecycle.enforces_answers())

    def _ask_again(self, feedback: str) -> None:
        self._record()
        record_of(self._session).end_turn(feedback)

    def _check(self, answer: str) -> Checked:
        from abs_shield.answer.check_pipeline import checked

        began = CheckStart.now()
        if SWITCH.off:
            return self._skip(began)
        try:
            return self._keep_draft(checked(answer, **self._arguments), began)
        # First, as it is an `Exception` as well: the caller passed an invalid value.
        except ShieldError:
            raise
        except Exception as error:
            return self._handle_error(error, began)

    async def _acheck(self, answer: str) -> Checked:
        from abs_shield.answer.check_pipeline import achecked

        began = CheckStart.now()
        if SWITCH.off:
            return self._skip(began)
        try:
            return self._keep_draft(await achecked(answer, **self._arguments), began)
        except ShieldError:
            raise
        except Exception as error:
            return self._handle_error(error, began)

    def _keep_draft(self, result: Checked, began: CheckStart, *, error: str = "") -> Checked:
        """Store the newest draft until its outcome is final."""
        self._newest = result, began, error
        return result

    def _skip(self, began: CheckStart) -> Checked:
        from abs_shield.answer.report_assembly import unchecked_result

        return self._keep_draft(unchecked_result(self._session, note=NOTE), began)

    def _handle_error(self, error: Exception, began: CheckStart) -> Checked:
        """Handle an internal error, which is not a verdict; strict blocks an unchecked answer."""
        from abs_shield.answer.report_assembly import NOT_CHECKED, unchecked_result

        message = f"{ANSWER}: {error_location(error)}"
        logger.error("abs_shield could not check an answer: %s", message)
        # With None as well: in audit mode the block is recorded, and not enforced.
        blocks = self._lifecycle.policy.on_error != "allow"
        result = unchecked_result(
            self._session, note=NOT_CHECKED, action="block" if blocks else "emit"
        )
        return self._keep_draft(result, began, error=message)

    def _record(self, result: Checked | None = None, *, last: bool = False) -> None:
        """Record the newest draft by its own result, or by the final *result* if given."""
        assert self._newest is not None
        latest, began, error = self._newest
        self._lifecycle.record_answer(result or latest, self._session, began=began, error=error)
        if last:
            self._record_early()

    def _record_background(self, result: Checked) -> None:
        """Record the results of background probes, after the result of the answer itself."""
        # Under the lock, or a result could be added to a list that was already recorded.
        with self._lock:
            if self._early is not None:
                self._early.append(result)
                return
        self._lifecycle.record_answer(result, self._session, began=CheckStart.now())

    def _record_early(self) -> None:
        with self._lock:
            early, self._early = self._early or [], None
        for result in early:
            self._lifecycle.record_answer(result, self._session, began=CheckStart.now())


class AnswerRevision:
    """
    The revision of one answer, for a framework that calls its model itself; created by a `Shield`.

    Submit each draft: `submit` returns the feedback to send to the model, or the answer to emit.

    Attributes:
        is_over: Whether the answer to emit is final.
    """

    def __init__(self, check: AnswerCheck, config: AnswerConfig, *, enforced: bool) -> None:
        self._answer_check = check
        self._config = config
        self._enforced = enforced
        self._steps: Generator[tuple[str, str], Any, Settled] | None = None
        self.is_over = False

    @property
    def enforced(self) -> bool:
        """True if a draft that fails its check is blocked, and not only recorded."""
        return self._enforced

    def submit(self, draft: str) -> str | Settled:
        """
        Check a draft, and record the result.

        Returns:
            The feedback for the model as a text; or the answer to emit, if the revision is over.
        """
        done = self._add_draft(draft)
        return self._continue(self._answer_check._check(draft)) if done is None else done

    async def asubmit(self, draft: str) -> str | Settled:
        """Check a draft like `submit`, without blocking the event loop."""
        done = self._add_draft(draft)
        return self._continue(await self._answer_check._acheck(draft)) if done is None else done

    def _add_draft(self, draft: str) -> Settled | None:
        """Add a draft; return the final outcome if the draft repeats an earlier one, else None."""
        from abs_shield.answer.answer_revision import rounds

        if self._steps is None:
            self._steps = rounds(draft, self._config, enforced=self._enforced)
            # Runs to the first `yield`: a generator accepts no value before it.
            next(self._steps)
            return None
        return self._end_if_repeated(draft)

    def _continue(self, result: Checked) -> str | Settled:
        assert self._steps is not None
        try:
            _, feedback = self._steps.send(result)
        except StopIteration as end:
            return self._finish(end.value)
        self._answer_check._ask_again(feedback)
        return feedback

    def _end_if_repeated(self, draft: str) -> Settled | None:
        assert self._steps is not None
        try:
            self._steps.send(draft)
        except StopIteration as end:
            return self._finish(end.value)
        return None

    def _finish(self, done: Settled) -> Settled:
        self.is_over = True
        self._answer_check._record(done.checked, last=True)
        return done


def unchecked_answer(answer: str, session: Session) -> Settled:
    """Return an answer unchecked, for a policy with ``answer=False``."""
    from abs_shield.answer.answer_revision import Settled
    from abs_shield.answer.report_assembly import unchecked_result

    return Settled(answer, unchecked_result(session, note=_UNDECLARED), 0)
