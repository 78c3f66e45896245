"""A streamed text, held back until it is judged: as a whole, or in windows of sentences."""

from __future__ import annotations

from collections.abc import AsyncIterable, AsyncIterator, Iterable, Iterator
from typing import NamedTuple

from abs_shield.answer.faithfulness.result import FaithfulnessResult
from abs_shield.errors import PolicyError
from abs_shield.text.sentences import sentence_spans
from abs_shield.text.show import shown

LONGEST = 200_000
"""Characters of a text that is judged; a longer one is undetermined."""


class Checked(NamedTuple):
    """
    A judged part of a stream.

    Attributes:
        text: Text to pass on; empty if it is denied.
        result: The part's own statements; score and verdict are those of everything so far.
    """

    text: str
    result: FaithfulnessResult


class Buffer:
    """
    The text of a stream that has not been judged.

    Args:
        window: Characters from which on whole sentences are released; None waits for the end.
        longest: Characters that are held; more of them are released as they are.

    Raises:
        PolicyError: *window* is not a whole number above 0.
    """

    def __init__(self, window: int | None, *, longest: int = LONGEST) -> None:
        if window is not None and (type(window) is not int or window < 1):
            raise PolicyError(f"faithfulness: `window` is {shown(window)}; give characters above 0")
        self._window, self._longest = window, longest
        self._due = longest if window is None else min(window, longest)
        self._chunks: list[str] = []
        self._length = 0
        self._empty = True

    def parts(self, chunks: Iterable[str]) -> Iterator[str]:
        """Yield the parts of a stream when they are due; at least one, if empty."""
        for chunk in chunks:
            yield from self.add(chunk)
        yield from self.rest()

    async def aparts(self, chunks: AsyncIterable[str]) -> AsyncIterator[str]:
        """As `parts`, of chunks that come asynchronously."""
        async for chunk in chunks:
            for part in self.add(chunk):
                yield part
        for part in self.rest():
            yield part

    def add(self, chunk: str) -> Iterator[str]:
        """
        Add a chunk, and yield the part that is due, if any.

        Raises:
            PolicyError: *chunk* is not a text.
        """
        if not isinstance(chunk, str):
            raise PolicyError(f"faithfulness: the stream holds {shown(chunk)}; give texts")
        self._chunks.append(chunk)
        self._length += len(chunk)
        if self._length > self._longest:
            yield self._take()
        elif self._window is not None and self._length >= self._due:
            text = self._take()
            *_, (start, _) = [(0, 0), *sentence_spans(text)]  # the last sentence may go on
            if start:
                yield text[:start]
            self._chunks, self._length = [text[start:]], len(text) - start
            self._due = max(self._window, 2 * self._length)  # else each chunk reads all again

    def rest(self) -> Iterator[str]:
        """Yield the rest; an empty one only if it is all there was."""
        first = self._empty
        text = self._take()
        if text or first:
            yield text

    def _take(self) -> str:
        text, self._chunks, self._length = "".join(self._chunks), [], 0
        self._empty = False
        return text
