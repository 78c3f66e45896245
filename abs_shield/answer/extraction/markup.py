"""Removal of tags and closed reasoning blocks from an answer."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator

_TAG = re.compile(
    r"<(/?)([A-Za-z][\w-]{0,40})"
    r"(?:\s{1,4}[\w:-]{1,40}\s{0,4}=\s{0,4}(?:\"[^\"<>]{0,300}\"|'[^'<>]{0,300}'|[^\s<>\"']{1,300})){0,9}"
    r"\s{0,4}/?>"
)
_REASONING = frozenset({"think", "thinking", "thought", "reasoning", "scratchpad", "reflection"})


def without_markup(answer: str) -> str:
    """
    Return *answer* with its tags and closed reasoning blocks replaced by blanks, of equal length.

    An unclosed block is kept. Time is linear.

    >>> without_markup("<think>Maybe 5?</think>It is <b>4</b>.").split()
    ['It', 'is', '4', '.']
    """
    if "<" not in answer:
        return answer
    pieces, behind = [], 0
    for start, end in _hidden_spans(answer):
        if start >= behind:
            pieces += [answer[behind:start], re.sub(r"[^\n]", " ", answer[start:end])]
            behind = end
    return "".join([*pieces, answer[behind:]])


def _hidden_spans(answer: str) -> Iterator[tuple[int, int]]:
    """Yield the offsets of tags and reasoning blocks, in order of their starts."""
    tags = list(_TAG.finditer(answer))
    ends: dict[str, list[int]] = defaultdict(list)
    for tag in tags:
        if tag[1]:
            ends[tag[2].lower()].append(tag.end())
    for tag in tags:
        name = tag[2].lower()
        # an unclosed block hides nothing, or a model could hide its answer
        closed = ends[name] if name in _REASONING and not tag[1] else []
        # the nearest end; sorted, so a search by halves keeps the time linear
        first = bisect_right(closed, tag.end())
        yield tag.start(), closed[first] if first < len(closed) else tag.end()
