"""A streamed text held back until it has been judged, as a whole or in windows of sentences."""

from __future__ import annotations

from collections.abc import AsyncIterable, AsyncIterator, Iterable, Iterator
from typing import NamedTuple

from abs_shield.answer.faithfulness.result import FaithfulnessResult
from abs_shield.answer.faithfulness.scoring import NONE_YET, Tally
from abs_shield.errors import PolicyError
from abs_shield.text.sentences import sentence_spans
from abs_shield.text.show import shown


class Checked(NamedTuple):
    """
    A part of a stream that was judged.

    Attributes:
        text: What may go on; empty where it is denied.
        result: The part's own statements; score and verdict are those of everything up to here.
    """

    text: str
    result: FaithfulnessResult


class Held:
    """
    What of a stream has come and has not been judged.

    Args:
        window: Characters after which whole sentences are judged; None waits for the end.
        longest: Characters that are held; more of them are due as they are.

    Raises:
        PolicyError: *window* is no whole number above 0.
    """

    def __init__(self, window: int | None, *, longest: int) -> None:
        if window is not None and (type(window) is not int or window < 1):
            raise PolicyError(f"faithfulness: `window` is {shown(window)}; give characters above 0")
        self._window = window
        self._longest = longest
        self._chunks: list[str] = []
        self._length = 0
        self._due = window
        self.given = False
        self.tally: Tally = NONE_YET

    def parts(self, chunks: Iterable[str]) -> Iterator[str]:
        """Give the parts of a stream as they are due; at least one, if empty."""
        for chunk in chunks:
            yield from self.add(chunk)
        yield from self._last()

    async def aparts(self, chunks: AsyncIterable[str]) -> AsyncIterator[str]:
        """As `parts`, of chunks that come asynchronously."""
        async for chunk in chunks:
            for part in self.add(chunk):
                yield part
        for part in self._last():
            yield part

    def checked(self, text: str, result: FaithfulnessResult) -> Checked:
        """Give a part that was judged; count its verdicts for those that follow."""
        self.tally = self.tally.with_(result)
        return Checked("" if result.denied else text, result)

    def add(self, chunk: str) -> Iterator[str]:
        """
        Take in a chunk; give the part that is due, if any.

        Raises:
            PolicyError: *chunk* is no text.
        """
        if not isinstance(chunk, str):
            raise PolicyError(f"faithfulness: the stream holds {shown(chunk)}; give texts")
        self._chunks.append(chunk)
        self._length += len(chunk)
        if self._length > self._longest:
            yield self.rest()
        elif self._due is not None and self._length >= self._due:
            text = self.rest()
            *_, last = [(0, 0), *sentence_spans(text)]
            if last[0]:
                yield text[: last[0]]
            self._chunks, self._length = [text[last[0] :]], len(text) - last[0]
            self._due = max(self._window or 0, 2 * self._length)

    def rest(self) -> str:
        """Give what is left."""
        text, self._chunks, self._length = "".join(self._chunks), [], 0
        self.given = True
        return text

    def _last(self) -> Iterator[str]:
        some = self.given
        rest = self.rest()
        if rest or not some:
            yield rest
