"""Check of an answer's citations against the retrieved sources."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from abs_shield.answer.claim_types import Claim, Opinions, from_conflicts
from abs_shield.answer.evidence.evidence_passages import Evidence, Passage, PassageSource
from abs_shield.text.citations import Citation, citations
from abs_shield.text.json_leaves import leaves
from abs_shield.text.safe_display import shown

_MOST_LEAVES = 20_000  # results of a search have some 1,000 values
_LONGEST_LABEL = 60  # an id; a number at the end of a sentence labels nothing
_LABEL = re.compile(
    # three digits: a year or an amount at the beginning of a line is no label
    r"^[ \t>*_#-]{0,12}[\[(<#]{0,2}(?:[A-Za-z]{2,12}[ #:=\"'_-]{1,4})?#?\[?(\d{1,3})"
    r"(?=[\])>.:\"'*]|[ \t]|$)"
    r"|\b(?:id|index|idx|no|number|n|rank|key)[\"']?[ ]?[=:#][ ]?[\"'\[]?(\d{1,3})\b",
    re.MULTILINE | re.IGNORECASE,
)
"""A number at the beginning of a line, or one labelled as an id."""
_ENDING = re.compile(r"(?:^|[^\d.,])0{0,6}(\d{1,3})$")


def sources(
    claims: Sequence[Claim],
    evidence: Evidence,
    *,
    question: str | None = None,
    answer: str | None = None,
) -> Opinions:
    """Check that each citation of a claim names a retrieved source."""
    return tuple(
        from_conflicts(_conflict(one, evidence) for one in citations(claim.text))
        for claim in claims
    )


def _conflict(citation: Citation, evidence: Evidence) -> str:
    retrieved: Sources = evidence.derived(Sources)
    return retrieved.conflict(citation)


class Sources:
    """The retrieved results, and the numbers and names of their passages."""

    def __init__(self, evidence: Evidence) -> None:
        self._blind = bool(evidence.blind)
        results = [one for one in evidence if one.source is PassageSource.TOOL_RESULT]
        # unnamed results are retrieved documents, each cited by its number
        are_documents = len(results) > 1 and not any(one.name for one in results)
        self._count = len(results) if are_documents else sum(map(count_passages, results))
        self._ids = {one.id.casefold() for one in results}
        self._numbers = {number for one in results for number in numbers_of(one)}
        self._texts = [one.text.casefold() for one in evidence]

    def conflict(self, citation: Citation) -> str:
        """Return why a citation names no retrieved source, in one line; empty if it names one."""
        if self._blind:  # unseen text may contain the source
            return ""
        if citation.name:
            name = citation.name.casefold()
            # a path or a file may be cited that a result only mentions
            if name in self._ids or (("." in name.strip(".") or "/" in name) and self._have(name)):
                return ""
            return f"{shown(citation.text)} cites a source that was not retrieved"
        missing = [number for number in citation.numbers if not self._has(number)]
        # the citation itself may be quoted from a result
        if not missing or self._have(citation.text.casefold()):
            return ""
        return (
            f"{shown(citation.text)} cites source {missing[0]} of {self._count} that were retrieved"
        )

    def _has(self, number: int) -> bool:
        # counts from 0 or from 1 are both usual
        return 0 <= number <= self._count or number in self._numbers or str(number) in self._ids

    def _have(self, text: str) -> bool:
        return any(text in whole for whole in self._texts)


def count_passages(result: Passage) -> int:
    """
    Return the number of passages in a result: items of lists, or lines of text; at least 1.

    >>> from abs_shield.answer.evidence.evidence_collection import evidence_from
    >>> [count_passages(one) for one in evidence_from(['[{"a": 1}, {"a": 2}]', "Rain.\\nSnow."])]
    [2, 2]
    """
    if not isinstance(result.value, (dict, list)):
        return max(1, _lines(result.text))
    texts = (one for _, one in leaves(result.value, most=_MOST_LEAVES) if isinstance(one, str))
    # the most generous count: only a citation beyond it is certainly wrong
    return max(1, _items(result.value), sum(_lines(text) for text in texts if " " in text))


def numbers_of(result: Passage) -> Iterator[int]:
    """
    Yield the numbers that label parts of a result: ids, headings, list numbers.

    >>> from abs_shield.answer.evidence.evidence_collection import evidence_from
    >>> [sorted(numbers_of(one)) for one in evidence_from(['[{"id": "doc-12"}]', "[3] Rain."])]
    [[12], [3, 3]]
    """
    if not isinstance(result.value, (dict, list)):
        yield from _labels(result.text)
        return
    for path, leaf in leaves(result.value, most=_MOST_LEAVES):
        for step in path:
            yield from _ending(step) if isinstance(step, str) else ()
        if isinstance(leaf, str) and len(leaf) > _LONGEST_LABEL:
            yield from _labels(leaf)
        elif isinstance(leaf, str):
            yield from _ending(leaf)
        # as in a citation, at most three digits
        elif isinstance(leaf, int) and not isinstance(leaf, bool) and abs(leaf) < 1_000:
            yield abs(leaf)


def _lines(text: str) -> int:
    return sum(1 for line in text.splitlines() if line.strip())


def _items(value: Any) -> int:
    """Return the number of items in the outermost lists, or of an object's nested members."""
    if isinstance(value, list):
        return len(value)
    if not isinstance(value, Mapping):
        return 0
    inner = [one for one in value.values() if isinstance(one, (Mapping, list))]
    return max(sum(map(_items, inner)), len(inner))


def _ending(label: str) -> Iterator[int]:
    match = _ENDING.search(label) if len(label) <= _LONGEST_LABEL else None
    if match:
        yield int(match[1])


def _labels(text: str) -> Iterator[int]:
    for match in _LABEL.finditer(text):
        yield int(match[1] or match[2])
    for citation in citations(text):
        yield from citation.numbers
