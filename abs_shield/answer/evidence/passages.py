"""How many passages a tool result holds, and by which numbers they may be called."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from abs_shield.answer.evidence.types import Passage
from abs_shield.text.citations import citations
from abs_shield.text.leaves import leaves

_MOST_LEAVES = 20_000
_LONGEST_LABEL = 60
_LABEL = re.compile(
    r"^[ \t>*_#-]{0,12}[\[(<#]{0,2}(?:[A-Za-z]{2,12}[ #:=\"'_-]{1,4})?#?\[?(\d{1,3})"
    r"(?=[\])>.:\"'*]|[ \t]|$)"
    r"|\b(?:id|index|idx|no|number|n|rank|key)[\"']?[ ]?[=:#][ ]?[\"'\[]?(\d{1,3})\b",
    re.MULTILINE | re.IGNORECASE,
)
"""A number at a line's beginning, or one that is called an id."""
_ENDING = re.compile(r"(?:^|[^\d.,])0{0,6}(\d{1,3})$")


def passages(piece: Passage) -> int:
    """
    Count all that may be a passage of its own: items of lists, lines of text; at least 1.

    >>> from abs_shield.answer.evidence.collect import evidence_from
    >>> [passages(one) for one in evidence_from(['[{"a": 1}, {"a": 2}]', "It rains.\\nIt snows."])]
    [2, 2]
    """
    if not isinstance(piece.value, (dict, list)):
        return max(1, _lines(piece.text))
    said = (leaf for _, leaf in leaves(piece.value, most=_MOST_LEAVES) if isinstance(leaf, str))
    return max(1, _items(piece.value), sum(_lines(text) for text in said if " " in text))


def labels(piece: Passage) -> frozenset[int]:
    """
    Give the numbers that label something of a piece: ids, headings, numbers of a list.

    >>> from abs_shield.answer.evidence.collect import evidence_from
    >>> [sorted(labels(one)) for one in evidence_from(['[{"id": "doc-12"}]', "[3] It rains."])]
    [[12], [3]]
    """
    return frozenset(_labels(piece))


def _lines(text: str) -> int:
    return sum(1 for line in text.splitlines() if not line.isspace() and line)


def _items(value: Any) -> int:
    """The items of the outermost lists, and the members of an object of texts or objects."""
    if isinstance(value, list):
        return len(value)
    if not isinstance(value, Mapping):
        return 0
    inner = [one for one in value.values() if isinstance(one, (Mapping, list))]
    return max(sum(map(_items, inner)), len(inner))


def _labels(piece: Passage) -> Iterator[int]:
    if not isinstance(piece.value, (dict, list)):
        yield from _labelled(piece.text)
        return
    for path, leaf in leaves(piece.value, most=_MOST_LEAVES):
        for step in path:
            if isinstance(step, str):
                yield from _ending(step)
        if isinstance(leaf, str) and len(leaf) > _LONGEST_LABEL:
            yield from _labelled(leaf)
        elif isinstance(leaf, (str, int)) and not isinstance(leaf, bool):
            yield from _ending(str(leaf) if isinstance(leaf, str) or abs(leaf) < 1_000 else "")


def _ending(label: str) -> Iterator[int]:
    found = _ENDING.search(label) if len(label) <= _LONGEST_LABEL else None
    if found:
        yield int(found[1])


def _labelled(text: str) -> Iterator[int]:
    for found in _LABEL.finditer(text):
        yield int(found[1] or found[2])
    for one in citations(text):
        yield from one.numbers
