"""The faithfulness guardrail: a text passes if enough of it can be inferred from the context."""

from __future__ import annotations

from collections.abc import AsyncIterable, AsyncIterator, Iterable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any, TypeAlias

from abs_shield.answer.faithfulness.faithfulness_providers import (
    LexicalProvider,
    ProviderVerdicts,
    StatementVerdict,
)
from abs_shield.answer.faithfulness.faithfulness_result import (
    NO_CONTEXT,
    FaithfulnessResult,
    Statement,
    flags,
    share,
)
from abs_shield.answer.faithfulness.guardrail_config import (
    Context,
    FaithfulnessSettings,
    evidence_in,
)
from abs_shield.answer.faithfulness.streamed_text import LONGEST, Buffer, StreamedPart
from abs_shield.core.vocabularies import Mode
from abs_shield.errors import PolicyError
from abs_shield.model import Terms, Undetermined, aplay, play
from abs_shield.model.ask import Steps
from abs_shield.text.safe_display import describe_exception, escaped, shown

BEFORE, AFTER = "before", "after"
Text: TypeAlias = str | Sequence[str]


class Faithfulness(FaithfulnessSettings):
    """
    Guardrail that checks whether the statements of a text can be inferred from a context.

    A text is split into statements; each gets verdict 1 or 0; the score is the exact share of
    verdicts 1; a score equal to the threshold or above passes. A text without statements passes
    with the note ``no_statements``. No check raises because of a model's reply: without verdicts
    the result is ``undetermined``, which strict mode denies.

    >>> guard = Faithfulness(provider="lexical", context="The tower was built in 1889.")
    >>> guard.check("The tower was built in 1890.").denied
    True
    """

    def check(self, response: Text, *, context: Context | None = None) -> FaithfulnessResult:
        """
        Judge a model's response, if ``after`` is on.

        Args:
            response: The text, or the texts of several messages, judged together.
            context: The context of this response; the declared one if None.

        Raises:
            PolicyError: *response* or *context* is not a text.
        """
        return _Check(self, AFTER, context).run(response)

    async def acheck(self, response: Text, *, context: Context | None = None) -> FaithfulnessResult:
        """Do the same as `check`, without blocking the event loop."""
        return await _Check(self, AFTER, context).arun(response)

    def check_input(self, text: Text, *, context: Context | None = None) -> FaithfulnessResult:
        """
        Judge the user's input as `check` judges a response, if ``before`` is on.

        Args:
            text: The user's input.
            context: What it is judged against; the configured context if None.
        """
        return _Check(self, BEFORE, context).run(text)

    async def acheck_input(
        self, text: Text, *, context: Context | None = None
    ) -> FaithfulnessResult:
        """Do the same as `check_input`, without blocking the event loop."""
        return await _Check(self, BEFORE, context).arun(text)

    def stream(
        self, chunks: Iterable[str], *, window: int | None = None, context: Context | None = None
    ) -> Iterator[StreamedPart]:
        """
        Judge a streamed response before it is released; the stream ends after a denied part.

        Without a window the whole text is buffered and judged as by `check`. With one, complete
        sentences are judged and released whenever that many characters have arrived; the score is
        that of all parts so far, so an early wrong statement may deny a text that passes as a
        whole. A model is asked twice for each part.

        Args:
            chunks: The pieces of the text as they come.
            window: Number of characters from which on a part is judged; at least 1.
            context: As in `check`.

        Raises:
            PolicyError: *window* or *context* is wrong, or a chunk is not a text.
        """
        return _Check(self, AFTER, context).stream(chunks, Buffer(window))

    def astream(
        self,
        chunks: AsyncIterable[str],
        *,
        window: int | None = None,
        context: Context | None = None,
    ) -> AsyncIterator[StreamedPart]:
        """Do the same as `stream`, for chunks that arrive asynchronously."""
        return _Check(self, AFTER, context).astream(chunks, Buffer(window))


class _Check:
    """One guarded text, whole or in parts, recorded once by the Shield with all its statements."""

    def __init__(self, guard: FaithfulnessSettings, phase: str, context: Context | None) -> None:
        self._guard, self._phase, self._mode = guard, phase, guard.mode
        self._provider = guard.resolved_provider
        self._evidence = guard.evidence if context is None else evidence_in(context)
        self._out_of_scope = guard.out_of_scope or (
            "pass" if guard.exclude_out_of_scope_statements else "fail"
        )
        self._off = "" if getattr(guard, phase) else f"`{phase}` is off"
        self._off = self._off if guard.enabled else "it is not enabled"
        self._recorder: Any = None
        if guard.shield is not None and not self._off:
            # `no_shield()` turns the guardrail off, too
            self._recorder = guard.shield.guarded_text()
            self._off = self._recorder.off
            # the milder mode of both
            self._mode = Mode.AUDIT if self._recorder.mode is Mode.AUDIT else guard.mode
        self._statements: list[Statement] = []
        self._faithful = self._counted = 0
        self._notes: dict[str, None] = {}

    def run(self, text: Any) -> FaithfulnessResult:
        """Judge a whole text."""
        return self._record(self._judge(_join(text)))

    async def arun(self, text: Any) -> FaithfulnessResult:
        """Do the same as `run`, without blocking the event loop."""
        return self._record(await self._ajudge(_join(text)))

    def stream(self, chunks: Iterable[str], buffer: Buffer) -> Iterator[StreamedPart]:
        """Judge the parts of a text; a denied part, or the reader's exit, ends the stream."""
        result: FaithfulnessResult | None = None
        try:
            for part in chunks if self._off else buffer.parts(chunks):
                result = self._judge(part)
                yield StreamedPart("" if result.denied else part, result)
                if result.denied:
                    return
        finally:  # a reader who stops early has received the parts so far, which are recorded
            if result is not None:
                self._record(result)

    async def astream(
        self, chunks: AsyncIterable[str], buffer: Buffer
    ) -> AsyncIterator[StreamedPart]:
        """Do the same as `stream`, for chunks that arrive asynchronously."""
        result: FaithfulnessResult | None = None
        try:
            async for part in chunks if self._off else buffer.aparts(chunks):
                result = await self._ajudge(part)
                yield StreamedPart("" if result.denied else part, result)
                if result.denied:
                    return
        finally:
            if result is not None:
                self._record(result)

    def _judge(self, text: str) -> FaithfulnessResult:
        return self._result(play(self._steps(text), self._provider.judge, terms=self._terms()))

    async def _ajudge(self, text: str) -> FaithfulnessResult:
        import asyncio  # sync programs start faster without it

        judge = self._provider.judge
        # without a model the work is the processor's, and would block the event loop
        if judge is None and not self._off:
            return await asyncio.to_thread(self._judge, text)
        return self._result(await aplay(self._steps(text), judge, terms=self._terms()))

    def _terms(self) -> Terms:
        """Return the terms with a new budget, that of one check."""
        terms = self._guard.terms
        # each check has its own budget: one text must not use up that of the next
        return replace(terms, budget=terms.budget.fresh()) if terms.budget else terms

    def _steps(self, text: str) -> Steps[ProviderVerdicts | Undetermined]:
        """Run the provider's steps; an exception of the provider makes the result undetermined."""
        if self._off or not text.strip():
            return ProviderVerdicts(())
        if len(text) > LONGEST:
            return Undetermined(f"{len(text)} characters, at most {LONGEST} are judged")
        has_context = bool(self._evidence.pieces)
        # without a context only the statements are needed, and no model is paid for them
        provider = self._provider if has_context else LexicalProvider()
        try:
            judged = yield from provider.steps(text, self._evidence)
        except Exception as error:
            return Undetermined(f"the provider failed: {escaped(describe_exception(error))}")
        if isinstance(judged, Undetermined):
            return judged
        notes = ("" if has_context else NO_CONTEXT, self._evidence.blind)
        return judged._replace(notes=(*filter(None, notes), *judged.notes))

    def _result(self, judged: ProviderVerdicts | Undetermined) -> FaithfulnessResult:
        """Return the result of the next part; its score is that of all parts so far."""
        # exact: a score of 4/5 passes a threshold of 0.8, which floats would not guarantee
        threshold = share("threshold", self._guard.threshold)
        result = FaithfulnessResult(
            phase=self._phase, passed=True, mode=self._mode, threshold=threshold
        )
        if self._off:
            return replace(result, notes=(f"not_run: {self._off}",))
        if isinstance(judged, Undetermined):
            reason = judged.reason
            return replace(result, passed=False, undetermined=reason, notes=("undetermined",))
        first = len(self._statements) + 1
        part = tuple(self._statement(n, one) for n, one in enumerate(judged.verdicts, first))
        self._statements += part
        self._notes.update(dict.fromkeys(judged.notes))
        counted = [one.verdict for one in part if one.counted]
        self._faithful += sum(counted)
        self._counted += len(counted)
        score = Fraction(self._faithful, self._counted) if self._counted else None
        notes = (*flags(part), *judged.notes)
        passed = score is None or score >= threshold
        return replace(result, passed=passed, statements=part, score=score, notes=notes)

    def _statement(self, number: int, one: StatementVerdict) -> Statement:
        rule = self._out_of_scope
        return Statement(
            id=f"s{number}",
            text=one.text,
            verdict=int(one.inferable or (not one.in_scope and rule == "pass")),
            reason=one.reason,
            in_scope=one.in_scope,
            counted=one.in_scope or rule != "exclude",
            score=one.score,
        )

    def _record(self, result: FaithfulnessResult) -> FaithfulnessResult:
        """Record the text with the statements and notes of all its parts, if a Shield is given."""
        if self._recorder is not None:
            # notes of the whole, as those of the last part say nothing of the others
            notes = (*flags(self._statements), *self._notes)
            whole = result.notes if self._off or result.undetermined else notes
            self._recorder.record(replace(result, statements=tuple(self._statements), notes=whole))
        return result


def _join(texts: Any) -> str:
    listed = [texts] if isinstance(texts, str) else texts
    if isinstance(listed, Sequence) and all(isinstance(one, str) for one in listed):
        return "\n\n".join(listed)
    raise PolicyError(f"faithfulness: got {shown(texts)}; give a text, or a list of texts")
