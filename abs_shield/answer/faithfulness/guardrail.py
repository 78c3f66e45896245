"""The faithfulness guardrail: a text passes when enough of it can be inferred from the context."""

from __future__ import annotations

from collections.abc import AsyncIterable, AsyncIterator, Iterable, Iterator
from typing import Any

from abs_shield.answer.faithfulness.declared import Context, Declared, Text
from abs_shield.answer.faithfulness.judging import LONGEST
from abs_shield.answer.faithfulness.lexical import LexicalProvider
from abs_shield.answer.faithfulness.model import ModelProvider
from abs_shield.answer.faithfulness.provider import Provider
from abs_shield.answer.faithfulness.result import FaithfulnessResult, Statement
from abs_shield.answer.faithfulness.streaming import Checked, Held

__all__ = [
    "Checked",
    "Faithfulness",
    "FaithfulnessResult",
    "LexicalProvider",
    "ModelProvider",
    "Provider",
    "Statement",
]

BEFORE, AFTER = "before", "after"


class Faithfulness(Declared):
    """
    Judges whether what a text states can be inferred from a context.

    A text is taken apart into statements; each gets verdict 1 or 0; the score is the share of 1,
    an exact fraction; it passes from the threshold on, equality included. A text that states
    nothing passes, and says ``no_statements``. Whatever a model does, no check raises: where no
    verdict can be had, the result is ``undetermined``, which strict mode denies.

    A streamed text is held back: `stream` judges it at its end, or in windows of whole sentences.
    What can be declared, and its defaults, stands on `Declared`.

    >>> guard = Faithfulness(provider="lexical", context="The tower was built in 1889.")
    >>> guard.check("The tower was built in 1890.").denied
    True
    """

    __slots__ = ()

    def check(self, response: Text, *, context: Context | None = None) -> FaithfulnessResult:
        """
        Judge a model's response, where ``after`` is on.

        Args:
            response: The text, or the texts of several messages, judged together.
            context: The context of this one response; the declared one where None.

        Returns:
            Statements, score, and whether it passes; nothing raises for what a model says.

        Raises:
            PolicyError: *response* or *context* is no text.
        """
        return self._check(AFTER, response, context)

    async def acheck(self, response: Text, *, context: Context | None = None) -> FaithfulnessResult:
        """As `check`, without holding up the event loop."""
        return await self._acheck(AFTER, response, context)

    def check_input(self, text: Text, *, context: Context | None = None) -> FaithfulnessResult:
        """Judge the user's input as `check` judges a response, where ``before`` is on."""
        return self._check(BEFORE, text, context)

    async def acheck_input(
        self, text: Text, *, context: Context | None = None
    ) -> FaithfulnessResult:
        """As `check_input`, without holding up the event loop."""
        return await self._acheck(BEFORE, text, context)

    def stream(
        self,
        chunks: Iterable[str],
        *,
        window: int | None = None,
        context: Context | None = None,
    ) -> Iterator[Checked]:
        """
        Judge a streamed response before it goes on; the stream ends with a part that is denied.

        Without a window everything is held until the end, and judged as `check` does. With one,
        whole sentences are judged and let go as soon as so many characters are there; the score
        is that of all parts so far, so a wrong statement early denies what a whole text evens out.
        A model is asked twice for each part.

        Args:
            chunks: The pieces of the text as they come.
            window: Characters after which what is there is judged; at least 1.
            context: As in `check`.

        Raises:
            PolicyError: *window* or *context* is wrong, or a chunk is no text.
        """
        return self._stream(chunks, Held(window, longest=LONGEST), context)

    def astream(
        self,
        chunks: AsyncIterable[str],
        *,
        window: int | None = None,
        context: Context | None = None,
    ) -> AsyncIterator[Checked]:
        """As `stream`, of chunks that come asynchronously."""
        return self._astream(chunks, Held(window, longest=LONGEST), context)

    def _check(self, phase: str, given: Any, context: Any) -> FaithfulnessResult:
        if off := self._off(phase):
            return self._judging.not_run(phase, off)
        return self._judging.within(context).result(phase, given)

    async def _acheck(self, phase: str, given: Any, context: Any) -> FaithfulnessResult:
        if off := self._off(phase):
            return self._judging.not_run(phase, off)
        return await self._judging.within(context).aresult(phase, given)

    def _stream(self, chunks: Iterable[str], held: Held, context: Any) -> Iterator[Checked]:
        if off := self._off(AFTER):
            yield from (Checked(one, self._judging.not_run(AFTER, off)) for one in chunks)
            return
        judging = self._judging.within(context)
        for text in held.parts(chunks):
            part = held.checked(text, judging.result(AFTER, text, earlier=held.tally))
            yield part
            if part.result.denied:
                return

    async def _astream(
        self, chunks: AsyncIterable[str], held: Held, context: Any
    ) -> AsyncIterator[Checked]:
        if off := self._off(AFTER):
            async for chunk in chunks:
                yield Checked(chunk, self._judging.not_run(AFTER, off))
            return
        judging = self._judging.within(context)
        async for text in held.aparts(chunks):
            part = held.checked(text, await judging.aresult(AFTER, text, earlier=held.tally))
            yield part
            if part.result.denied:
                return
