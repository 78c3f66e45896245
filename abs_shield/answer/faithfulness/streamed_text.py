"""Buffering of a streamed text until it is judged, as a whole or in windows of sentences."""

from __future__ import annotations

from collections.abc import AsyncIterable, AsyncIterator, Iterable, Iterator
from typing import NamedTuple

from abs_shield.answer.faithfulness.faithfulness_result import FaithfulnessResult
from abs_shield.errors import PolicyError
from abs_shield.text.safe_display import shown
from abs_shield.text.sentences import sentence_spans

# some 80 pages
LONGEST = 200_000
"""Most characters of a text that is judged; a longer one is undetermined."""


class StreamedPart(NamedTuple):
    """
    A judged part of a stream.

    Attributes:
        text: Text to release; empty if it is denied.
        result: The part's own statements; score and verdict are those of everything so far.
    """

    text: str
    result: FaithfulnessResult


class Buffer:
    """
    The text of a stream that is not judged yet.

    Args:
        window: Number of characters from which on complete sentences are released; None waits for
            the end.
        longest: Most characters that are buffered; a longer buffer is released whole.

    Raises:
        PolicyError: *window* is not a whole number above 0.
    """

    def __init__(self, window: int | None, *, longest: int = LONGEST) -> None:
        if window is not None and (type(window) is not int or window < 1):
            raise PolicyError(f"faithfulness: `window` is {shown(window)}; give characters above 0")
        self._window, self._longest = window, longest
        # a window above the buffer would never be due
        self._due = longest if window is None else min(window, longest)
        self._chunks: list[str] = []
        self._length = 0
        self._empty = True

    def parts(self, chunks: Iterable[str]) -> Iterator[str]:
        """Yield the parts of a stream when they are due; at least one, possibly empty."""
        for chunk in chunks:
            yield from self.add(chunk)
        yield from self.rest()

    async def aparts(self, chunks: AsyncIterable[str]) -> AsyncIterator[str]:
        """Do the same as `parts`, for chunks that arrive asynchronously."""
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
        if self._length > self._longest:  # whole, as its last sentence may have no end
            yield self._take()
        elif self._window is not None and self._length >= self._due:
            text = self._take()
            *_, (start, _) = [(0, 0), *sentence_spans(text)]  # the last sentence may continue
            if start:
                yield text[:start]
            self._chunks, self._length = [text[start:]], len(text) - start
            self._due = max(
                self._window, 2 * self._length
            )  # otherwise each chunk would read everything again

    def rest(self) -> Iterator[str]:
        """Yield the rest; an empty one only for an empty stream."""
        first = self._empty
        text = self._take()
        if text or first:
            yield text

    def _take(self) -> str:
        text, self._chunks, self._length = "".join(self._chunks), [], 0
        self._empty = False
        return text
