"""Methods of a Shield for the answer that ends a run: check it, or revise it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from abs_shield.errors import ShieldError
from abs_shield.policy import AnswerConfig, Policy
from abs_shield.session import Session
from abs_shield.shield.answer_check import AnswerCheck, AnswerRevision, unchecked_answer
from abs_shield.shield.guarded_output import GuardedOutput
from abs_shield.shield.guarded_text import GuardedText
from abs_shield.shield.lifecycle import Lifecycle
from abs_shield.shield.tool_registry import Registry

if TYPE_CHECKING:
    from abs_shield.answer.answer_revision import Settled, Write
    from abs_shield.answer.hallucination_report import HallucinationReport
    from abs_shield.shield.run_recorder import Recorder


class AnswerMethods:
    """The methods of a `Shield` that check answers and record other texts."""

    policy: Policy
    registry: Registry
    lifecycle: Lifecycle
    _recorder: Recorder | None

    if TYPE_CHECKING:

        def _session(self, session: Session | None) -> Session: ...

    def check_answer(
        self,
        answer: str,
        *,
        question: str | None = None,
        session: Session | None = None,
        config: AnswerConfig | None = None,
    ) -> HallucinationReport:
        """
        Check the answer that ends a run against the results of the run's tools.

        Args:
            answer: The answer.
            question: The user's question; None for the newest user message of the session.
            session: The session; None for the current one.
            config: The settings of the check; None for the policy's.

        Returns:
            The report; its ``action`` says whether to emit, revise or refuse the answer.

        Raises:
            ShieldError: The answer is not a text, or the policy has ``answer=False``.
        """
        return self._answer_check(session, question, config).check(answer).report

    async def acheck_answer(
        self,
        answer: str,
        *,
        question: str | None = None,
        session: Session | None = None,
        config: AnswerConfig | None = None,
    ) -> HallucinationReport:
        """Check an answer like `check_answer`, without blocking the event loop."""
        return (await self._answer_check(session, question, config).acheck(answer)).report

    def settle_answer(
        self,
        answer: str,
        *,
        write: Write,
        question: str | None = None,
        session: Session | None = None,
        config: AnswerConfig | None = None,
    ) -> Settled:
        """
        Check the answer that ends a run, and revise it until it passes or is refused.

        Args:
            answer: The first draft.
            write: Called with the feedback for the model; returns the new draft.
            question: As in `check_answer`.
            session: The session; None for the current one.
            config: The settings of the check; None for the policy's.

        Returns:
            The final answer as ``text``: a draft that passes, or the refusal. In audit mode it
            is the first draft; with ``answer=False`` it is the first draft, unchecked.

        Raises:
            ShieldError: The answer is not a text.
        """
        # An explicit config asks for a check, whatever the policy says.
        if config is None and self.policy.answer is False:
            return unchecked_answer(answer, self._session(session))
        return self._answer_check(session, question, config).settle(answer, write)

    async def asettle_answer(
        self,
        answer: str,
        *,
        write: Write,
        question: str | None = None,
        session: Session | None = None,
        config: AnswerConfig | None = None,
    ) -> Settled:
        """Check and revise an answer like `settle_answer`; *write* may be async."""
        if config is None and self.policy.answer is False:
            return unchecked_answer(answer, self._session(session))
        return await self._answer_check(session, question, config).asettle(answer, write)

    def answer_revision(
        self,
        *,
        question: str | None = None,
        session: Session | None = None,
        config: AnswerConfig | None = None,
    ) -> AnswerRevision | None:
        """
        Return the revision of one answer, for a framework that calls its model itself.

        Args:
            question: As in `check_answer`.
            session: The session; None for the current one.
            config: The settings of the check; None for the policy's.

        Returns:
            The revision; None if the policy has ``answer=False``.
        """
        if config is None and self.policy.answer is False:
            return None
        return self._answer_check(session, question, config).revision()

    def guarded_text(self, session: Session | None = None) -> GuardedText:
        """
        Return the recorder of one text that a guardrail judges, for `Faithfulness`.

        Args:
            session: The session of the text; None for the current one.
        """
        return GuardedText(self.lifecycle, self._session(session))

    def guarded_output(self, session: Session | None = None) -> GuardedOutput:
        """
        Return the recorder of one output of the quality cascade, for `QualityPipeline`.

        Args:
            session: The session of the output; None for the current one.
        """
        recorder = self._recorder
        append = None if recorder is None else recorder.append_output
        return GuardedOutput(self.lifecycle, self._session(session), append)

    def _answer_check(
        self, session: Session | None, question: str | None, override: AnswerConfig | None
    ) -> AnswerCheck:
        config = self.policy.answer if override is None else override
        if config is False:
            raise ShieldError("the policy has `answer=False`: answers are not judged")
        return AnswerCheck(self.lifecycle, self.registry, self._session(session), question, config)
